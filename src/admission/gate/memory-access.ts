import { DateTime, Effect, Layer } from "effect"
import {
  type AccountRecord,
  accountRecords,
  type OperatorRecord,
  operatorRecords,
  type TokenRecord,
  tokenRecords
} from "../../changes/memory/access-records.ts"
import { MemoryDatabase } from "../../changes/memory/MemoryDatabase.ts"
import { computeDigest, isSameDigest } from "./credentials.ts"
import { type StoredToken, Tokens } from "./Tokens.ts"

export const layerMemoryTokens: Layer.Layer<Tokens, never, MemoryDatabase> = Layer.effect(
  Tokens,
  Effect.map(MemoryDatabase, (database) => ({
    lookup: (token) =>
      Effect.sync(() => {
        const digest = computeDigest(token)
        const record = Array.from(tokenRecords(database).values()).find((each) => isSameDigest(each.digest, digest))
        const operator = record && operatorRecords(database).get(record.operator_id)
        const account = record && accountRecords(database).get(record.account_id)
        return record && operator && account ? toStoredToken(record, account, operator) : undefined
      })
  }))
)

const toStoredToken = (token: TokenRecord, account: AccountRecord, operator: OperatorRecord): StoredToken => ({
  operatorId: operator.id,
  accountId: account.id,
  accountName: account.name,
  role: account.role,
  tokenId: token.id,
  tokenName: token.name,
  application: null,
  grantId: null,
  scope: token.scope,
  timeZone: operator.time_zone,
  currency: operator.currency,
  edition: operator.edition,
  digest: token.digest,
  status: operator.status,
  revoked: token.revoked_at !== undefined,
  disabled: false,
  expiresAt: null,
  deployment: token.deployment,
  subscriptionUntil: operator.subscription_until === null ? null : DateTime.fromDateUnsafe(operator.subscription_until),
  tokenLimits: null,
  overrides: null
})
