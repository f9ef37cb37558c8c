import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CallKey } from "../contract/acting.ts"
import { rowOf } from "../platform/database/rows.ts"
import { claiming, keepingAlone, knownKey, leaving, releasing, renewing, takingOver } from "./key-record.ts"

/** Milliseconds an act outside may be under way before another call may ask what became of it. */
export const UNDER_WAY_MS = 60_000

const KnownKey = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  /** Null while the change is under way outside. */
  outcome: Schema.NullOr(Schema.Json),
  under_way_until: Schema.NullOr(Schema.Date)
})
export type KnownKey = typeof KnownKey.Type

const readKnown = rowOf(KnownKey)
const readWritten = rowOf(Schema.Struct({ operator_id: Schema.Int }))

/** What is written down under idempotency keys, but for what a change itself keeps (on-record.ts). */
export class Keys extends Context.Service<Keys>()("latchkey/changes/Keys", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const done = (statement: Fragment) => Effect.map(readWritten(sql`${statement}`), (row) => row !== undefined)
    // Not cut off by a caller that hangs up: whether the claim was made must be known, to be given up.
    const claimedBy = (key: CallKey, statement: (until: Date, now: Date) => Fragment) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          const now = yield* DateTime.nowAsDate
          const until = new Date(now.getTime() + UNDER_WAY_MS)
          const claimed = yield* done(statement(until, now))
          if (claimed) {
            key.progress = "claimed"
            key.claimedUntil = until
          }
          return claimed
        })
      )
    return {
      /** Undefined: nobody has used it, or to no effect. */
      known: (key: CallKey) => readKnown(sql`${knownKey(sql, key)}`),

      /** Keeps it with what came of a call that had nothing to change; false: it is known already. */
      keep: (key: CallKey, outcome: Schema.Json) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => done(keepingAlone(sql, key, outcome, now))),

      /** Says that an act outside is under way; false: the key is known already. */
      claim: (key: CallKey) => claimedBy(key, (until, now) => claiming(sql, key, until, now)),

      /** Takes over what a call that is gone left under way; false: it is not gone, or another was faster. */
      takeOver: (key: CallKey) => claimedBy(key, (until, now) => takingOver(sql, key, until, now)),

      /** Begins the time of a claim anew; false: another has taken it over. */
      renew: (key: CallKey) => claimedBy(key, (until) => renewing(sql, key, until)),

      /** What was under way is over, and its end unknown: whoever asks next may take it over. */
      leave: (key: CallKey) =>
        DateTime.nowAsDate.pipe(
          Effect.flatMap((now) => sql`${leaving(sql, key, now)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /** Nothing happened: the key is free again. */
      release: (key: CallKey) =>
        sql`${releasing(sql, key)}`.pipe(
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
  static readonly layer = Layer.effect(Keys, Keys.make)
}
