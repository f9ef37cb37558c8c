import { DateTime, Effect, Layer } from "effect"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import { accountRecords, tokenRecords } from "../../../changes/memory/access-records.ts"
import { findRecord, listRecords, MemoryDatabase } from "../../../changes/memory/MemoryDatabase.ts"
import { createdOrDeletedRecord, recordMemoryChange } from "../../../changes/memory/memory-change.ts"
import { Deployment } from "../../../platform/installation.ts"
import { ACCESS_TOKENS_MAX } from "../../../platform/limits.ts"
import { RowId } from "../../column-schemas.ts"
import { AccessTokens, TokenIdRow, tokenLimitError } from "./AccessTokens.ts"
import { newAccessToken } from "./access-token.ts"
import { visibleAccountOf } from "./account-viewer.ts"

export const layerMemory: Layer.Layer<AccessTokens, never, MemoryDatabase> = Layer.effect(
  AccessTokens,
  Effect.gen(function* () {
    const [database, deployment] = [yield* MemoryDatabase, yield* Deployment]
    const records = tokenRecords(database)
    return AccessTokens.of({
      create: Effect.fnUntraced(function* ({ operatorId, accountId }, { name, scope }) {
        const token = newAccessToken()
        const created = yield* recordMemoryChange(database, operatorId, TokenIdRow, () => {
          if (findRecord(accountRecords(database), operatorId, accountId) === undefined) return { unchanged: undefined }
          const active = listRecords(records, operatorId).filter(({ revoked_at }) => revoked_at === undefined)
          if (active.length >= ACCESS_TOKENS_MAX) return { unchanged: { token_id: null } }
          const id = database.takeId()
          const fields = { account_id: accountId, name, scope, digest: computeDigest(token), deployment }
          return {
            outcome: { token_id: id },
            changedRecords: createdOrDeletedRecord("token", id),
            write: () => records.set(id, { operator_id: operatorId, id, ...fields, revoked_at: undefined })
          }
        })
        if (created === undefined) return undefined
        return created.token_id === null ? yield* tokenLimitError : { token_id: created.token_id, token }
      }),

      revoke: Effect.fnUntraced(function* (viewer, id) {
        const now = yield* DateTime.nowAsDate
        const accountId = visibleAccountOf(viewer)
        const revoked = yield* recordMemoryChange(database, viewer.operatorId, RowId, () => {
          const token = findRecord(records, viewer.operatorId, id)
          const isVisible = token !== undefined && (accountId === undefined || token.account_id === accountId)
          if (!isVisible || token.revoked_at !== undefined) return { unchanged: undefined }
          return {
            outcome: { id },
            changedRecords: [{ record: `token:${id}`, fields: ["revoked_at"] }],
            write: () => records.set(id, { ...token, revoked_at: now })
          }
        })
        return revoked !== undefined
      })
    })
  })
)
