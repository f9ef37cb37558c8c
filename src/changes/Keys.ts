import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CallKey } from "../contract/acting.ts"
import { rowOf } from "../database/rows.ts"
import { claiming, keepingAlone, knownKey, leaving, releasing, takingOver } from "./key-record.ts"

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
    const until = (now: Date) => new Date(now.getTime() + UNDER_WAY_MS)
    return {
      /** Undefined: nobody has used it, or to no effect. */
      known: (key: CallKey) => readKnown(sql`${knownKey(sql, key)}`),

      /** Keeps it with what came of a call that had nothing to change; false: it is known already. */
      keep: (key: CallKey, outcome: Schema.Json) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => done(keepingAlone(sql, key, outcome, now))),

      /** Says that an act outside is under way; false: the key is known already. */
      claim: (key: CallKey) => Effect.flatMap(DateTime.nowAsDate, (now) => done(claiming(sql, key, until(now), now))),

      /** Takes over what a call that is gone left under way; false: it is not gone, or another was faster. */
      takeOver: (key: CallKey) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => done(takingOver(sql, key, until(now), now))),

      /** What is under way has an unknown end: whoever asks next may take it over. */
      leave: (key: CallKey) =>
        DateTime.nowAsDate.pipe(
          Effect.flatMap((now) => sql`${leaving(sql, key, now)}`),
          Effect.asVoid,
          Effect.orDie
        ),

      /** Nothing happened: the key is free again. */
      release: (key: CallKey) => sql`${releasing(sql, key)}`.pipe(Effect.asVoid, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(Keys, Keys.make)
}
