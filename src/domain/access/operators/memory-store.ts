import { Effect, Layer } from "effect"
import {
  type AccountRecord,
  accountRecords,
  type OperatorRecord,
  operatorRecords,
  tokenRecords
} from "../../../changes/memory/access-records.ts"
import { listRecords, MemoryDatabase } from "../../../changes/memory/MemoryDatabase.ts"
import {
  applyEdit,
  createdOrDeletedRecord,
  editedRecord,
  recordMemoryChange
} from "../../../changes/memory/memory-change.ts"
import { ACCOUNTS_MAX } from "../../../platform/limits.ts"
import {
  CreatedAccount,
  CreatedOperator,
  emailConflictError,
  type MainAccount,
  OperatorRow,
  OperatorStore,
  TokenId
} from "./OperatorStore.ts"

const DEFAULT_ROOM_LIMIT = 100

type Database = MemoryDatabase["Service"]

/** Stores no passwords, because sign-in needs PostgreSQL. */
export const layerMemory: Layer.Layer<OperatorStore, never, MemoryDatabase> = Layer.effect(
  OperatorStore,
  Effect.map(MemoryDatabase, (database) => ({
    create: makeCreate(database),
    findTimeZone: (operatorId) =>
      Effect.sync(() => {
        const operator = operatorRecords(database).get(operatorId)
        return operator === undefined ? undefined : { time_zone: operator.time_zone }
      }),
    findMainAccount: (operatorId) => Effect.sync(() => findMainAccount(database, operatorId)),
    update: makeUpdate(database),
    createAccount: makeCreateAccount(database),
    findAccountOwner: (accountId) =>
      Effect.sync(() => {
        const account = accountRecords(database).get(accountId)
        return account === undefined ? undefined : { operator_id: account.operator_id }
      }),
    revokeToken: makeRevokeToken(database)
  }))
)

const findMainAccount = (database: Database, operatorId: number): MainAccount | undefined => {
  const operator = operatorRecords(database).get(operatorId)
  const account = listRecords(accountRecords(database), operatorId).find(({ role }) => role === "main")
  if (operator === undefined || account === undefined) return undefined
  const { time_zone: timeZone, currency, edition } = operator
  return { accountId: account.id, accountName: account.name, timeZone, currency, edition }
}

const isEmailTaken = (database: Database, email: string): boolean =>
  Array.from(accountRecords(database).values()).some((each) => each.email.toLowerCase() === email.toLowerCase())

const makeCreate =
  (database: Database): OperatorStore["Service"]["create"] =>
  ({ name, timeZone, currency, edition, subscriptionUntil, email }) =>
    Effect.suspend(() => {
      const [operatorId, accountId] = [database.takeId(), database.takeId()]
      return recordMemoryChange(database, operatorId, CreatedOperator, () => {
        if (isEmailTaken(database, email)) return { error: emailConflictError }
        const operator: OperatorRecord = {
          operator_id: operatorId,
          id: operatorId,
          name,
          time_zone: timeZone,
          currency,
          edition,
          status: "active",
          subscription_until: subscriptionUntil,
          room_limit: DEFAULT_ROOM_LIMIT,
          room_type_limit: DEFAULT_ROOM_LIMIT
        }
        const account: AccountRecord = { operator_id: operatorId, id: accountId, role: "main", name, email }
        return {
          outcome: { operator_id: operatorId, account_id: accountId },
          changedRecords: [
            ...createdOrDeletedRecord("account", accountId),
            ...createdOrDeletedRecord("operator", operatorId)
          ],
          write: () => {
            operatorRecords(database).set(operatorId, operator)
            accountRecords(database).set(accountId, account)
          }
        }
      })
    })

const makeUpdate =
  (database: Database): OperatorStore["Service"]["update"] =>
  (operatorId, edit, subscriptionUntil) =>
    recordMemoryChange(database, operatorId, OperatorRow, () => {
      const before = operatorRecords(database).get(operatorId)
      if (before === undefined) return { unchanged: undefined }
      const after = applyEdit(before, { ...edit, subscription_until: subscriptionUntil })
      const changed = editedRecord("operator", before, after).filter(({ fields }) => fields.length > 0)
      const { operator_id: _operator, id, ...fields } = after
      const main = listRecords(accountRecords(database), operatorId).find(({ role }) => role === "main")
      const renamed = main?.name === after.name ? undefined : main
      return {
        outcome: { operator_id: id, ...fields },
        changedRecords: [
          ...(renamed === undefined ? [] : [{ record: `account:${renamed.id}`, fields: ["name"] }]),
          ...changed
        ],
        write: () => {
          operatorRecords(database).set(operatorId, after)
          if (renamed !== undefined) accountRecords(database).set(renamed.id, { ...renamed, name: after.name })
        }
      }
    })

const makeCreateAccount =
  (database: Database): OperatorStore["Service"]["createAccount"] =>
  ({ operatorId, name, email }) =>
    recordMemoryChange(database, operatorId, CreatedAccount, () => {
      if (!operatorRecords(database).has(operatorId)) return { unchanged: undefined }
      const records = accountRecords(database)
      const subAccounts = listRecords(records, operatorId).filter(({ role }) => role === "sub")
      if (subAccounts.length >= ACCOUNTS_MAX) return { unchanged: { account_id: null } }
      if (isEmailTaken(database, email)) return { error: emailConflictError }
      const id = database.takeId()
      return {
        outcome: { account_id: id },
        changedRecords: createdOrDeletedRecord("account", id),
        write: () => records.set(id, { operator_id: operatorId, id, role: "sub", name, email })
      }
    })

const makeRevokeToken =
  (database: Database): OperatorStore["Service"]["revokeToken"] =>
  (tokenId, now) =>
    Effect.suspend(() => {
      const records = tokenRecords(database)
      const token = records.get(tokenId)
      if (token === undefined) return Effect.undefined
      return recordMemoryChange(database, token.operator_id, TokenId, () => {
        if (token.revoked_at !== undefined) return { unchanged: { token_id: tokenId } }
        return {
          outcome: { token_id: tokenId },
          changedRecords: [{ record: `token:${tokenId}`, fields: ["revoked_at"] }],
          write: () => records.set(tokenId, { ...token, revoked_at: now })
        }
      })
    })
