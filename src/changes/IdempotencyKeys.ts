import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { IdempotencyKeyState } from "../contract/actor.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import {
  abandonClaimSql,
  claimKeySql,
  releaseKeySql,
  renewClaimSql,
  selectKeySql,
  storeUnchangedKeySql,
  takeOverKeySql
} from "./idempotency-key-statements.ts"

export const CLAIM_MS = 60_000

const StoredKey = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  /** OAuth grant of the call, or 0 without one. Null for a key from before migration 0071. */
  grant_id: Schema.NullOr(Schema.Int),
  /** Null while the key is claimed for an external action, such as a price change at a channel. */
  outcome: Schema.NullOr(Schema.Json),
  under_way_until: Schema.NullOr(Schema.Date)
})
export type StoredKey = typeof StoredKey.Type

const readStoredKey = makeOptionalRowReader(StoredKey)
const readWritten = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

export const toStoredKeyId = ({ operatorId, digest }: Pick<IdempotencyKeyState, "operatorId" | "digest">): string =>
  `${operatorId}:${Buffer.from(digest).toString("hex")}`

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly find: (key: IdempotencyKeyState) => Effect.Effect<StoredKey | undefined>
    /**
     * Stores the outcome of a call that changed no record. Returns false if the key exists or another call took the
     * claim over.
     */
    readonly store: (key: IdempotencyKeyState, outcome: Schema.Json) => Effect.Effect<boolean>
    /** Claims a new key for an external action. Returns false if the key exists. */
    readonly claim: (key: IdempotencyKeyState) => Effect.Effect<boolean>
    /** Takes over an expired claim. Returns false if the claim has not expired or another call was faster. */
    readonly takeOver: (key: IdempotencyKeyState) => Effect.Effect<boolean>
    /** Extends a claim. Returns false if another call has taken it over. */
    readonly renew: (key: IdempotencyKeyState) => Effect.Effect<boolean>
    /** Ends a claim whose action has an unknown result. The next call with the key may take over. */
    readonly abandon: (key: IdempotencyKeyState) => Effect.Effect<void>
    readonly release: (key: IdempotencyKeyState) => Effect.Effect<void>
  }
>()("latchkey/changes/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.map(SqlClient.SqlClient, (sql) => makeSqlKeys(sql))
  )
}

/** Uninterruptible, so that `key` always shows whether there is a claim to release. */
export const recordClaim = (
  key: IdempotencyKeyState,
  claim: (until: Date, now: Date) => Effect.Effect<boolean>
): Effect.Effect<boolean> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      const until = new Date(now.getTime() + CLAIM_MS)
      const isClaimed = yield* claim(until, now)
      if (isClaimed) {
        key.progress = "claimed"
        key.claimedUntil = until
      }
      return isClaimed
    })
  )

const makeSqlKeys = (sql: SqlClient.SqlClient): IdempotencyKeys["Service"] => {
  const hasWritten = (statement: Fragment) => Effect.map(readWritten(sql`${statement}`), (row) => row !== undefined)
  const claimBy = (key: IdempotencyKeyState, statement: (until: Date, now: Date) => Fragment) =>
    recordClaim(key, (until, now) => hasWritten(statement(until, now)))
  return {
    find: (key) => readStoredKey(sql`${selectKeySql(sql, key)}`),
    store: (key, outcome) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => hasWritten(storeUnchangedKeySql(sql, key, outcome, now))),
    claim: (key) => claimBy(key, (until, now) => claimKeySql(sql, key, until, now)),
    takeOver: (key) => claimBy(key, (until, now) => takeOverKeySql(sql, key, until, now)),
    renew: (key) => claimBy(key, (until) => renewClaimSql(sql, key, until)),
    abandon: (key) =>
      DateTime.nowAsDate.pipe(
        Effect.flatMap((now) => sql`${abandonClaimSql(sql, key, now)}`),
        Effect.asVoid,
        Effect.orDie
      ),
    release: (key) =>
      sql`${releaseKeySql(sql, key)}`.pipe(
        Effect.andThen(
          Effect.sync(() => {
            key.progress = "none"
          })
        ),
        Effect.orDie
      )
  }
}
