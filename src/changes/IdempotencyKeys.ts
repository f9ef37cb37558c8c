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

/** Milliseconds an act outside may be under way before another call may ask what became of it. */
export const CLAIM_MS = 60_000

const StoredKey = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  /** Null while the change is under way outside. */
  outcome: Schema.NullOr(Schema.Json),
  under_way_until: Schema.NullOr(Schema.Date)
})
export type StoredKey = typeof StoredKey.Type

const readStoredKey = makeOptionalRowReader(StoredKey)
const readWritten = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

/** What is written down under idempotency keys, but for what a change itself keeps (recorded-change.ts). */
export class IdempotencyKeys extends Context.Service<IdempotencyKeys>()("latchkey/changes/IdempotencyKeys", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const hasWritten = (statement: Fragment) => Effect.map(readWritten(sql`${statement}`), (row) => row !== undefined)
    // Not cut off by a caller that hangs up: whether the claim was made must be known, to be given up.
    const recordClaim = (key: IdempotencyKeyState, statement: (until: Date, now: Date) => Fragment) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const now = yield* DateTime.nowAsDate
          const until = new Date(now.getTime() + CLAIM_MS)
          const claimed = yield* hasWritten(statement(until, now))
          if (claimed) {
            key.progress = "claimed"
            key.claimedUntil = until
          }
          return claimed
        })
      )
    return {
      /** Undefined: nobody has used it, or to no effect. */
      find: (key: IdempotencyKeyState) => readStoredKey(sql`${selectKeySql(sql, key)}`),

      /** Keeps it with what came of a call that had nothing to change; false: it is known already. */
      store: (key: IdempotencyKeyState, outcome: Schema.Json) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => hasWritten(storeUnchangedKeySql(sql, key, outcome, now))),

      /** Says that an act outside is under way; false: the key is known already. */
      claim: (key: IdempotencyKeyState) => recordClaim(key, (until, now) => claimKeySql(sql, key, until, now)),

      /** Takes over what a call that is gone left under way; false: it is not gone, or another was faster. */
      takeOver: (key: IdempotencyKeyState) => recordClaim(key, (until, now) => takeOverKeySql(sql, key, until, now)),

      /** Begins the time of a claim anew; false: another has taken it over. */
      renew: (key: IdempotencyKeyState) => recordClaim(key, (until) => renewClaimSql(sql, key, until)),

      /** What was under way is over, and its end unknown: whoever asks next may take it over. */
      abandon: (key: IdempotencyKeyState) =>
        DateTime.nowAsDate.pipe(
          Effect.flatMap((now) => sql`${abandonClaimSql(sql, key, now)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /** Nothing happened: the key is free again. */
      release: (key: IdempotencyKeyState) =>
        sql`${releaseKeySql(sql, key)}`.pipe(
          Effect.andThen(
            Effect.sync(() => {
              key.progress = "none"
            })
          ),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(IdempotencyKeys, IdempotencyKeys.make)
}
