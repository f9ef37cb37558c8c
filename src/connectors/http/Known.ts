import { type Array as Arr, Clock, Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SigningSecret } from "../../domain/webhooks/deliveries/signature.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import { CONNECTORS } from "../../platform/limits.ts"
import { connectorSecret } from "../../platform/sealing/places.ts"
import { Sealing, type Seals } from "../../platform/sealing/Sealing.ts"

const Row = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** The replaced secret, while it still signs. */
  former_secret: Schema.NullOr(Schema.RedactedFromValue(Schema.String))
})

/** A connector as it is spoken with. */
export interface KnownConnector {
  readonly id: number
  readonly url: string
  readonly secrets: Arr.NonEmptyReadonlyArray<SigningSecret>
}

/** For so long a process may still know a connector that is gone, or not yet know a new one. */
export const KNOWN_MS = 1_000

const readRows = rowsOf(Row)

const all = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ now }: Givens<{ readonly now: Date }>) => sql`
      SELECT id, url, secret, CASE WHEN former_secret_until > ${now}::timestamptz THEN former_secret END AS former_secret
      FROM connectors ORDER BY id LIMIT ${sql.literal(String(CONNECTORS))}`
  )
  return Effect.flatMap(DateTime.nowAsDate, (now) => readRows(statement({ now })))
}

/** Their secrets are as they are kept. */
type All = ReadonlyMap<number, typeof Row.Type>

const openedBy = ({ openRedacted }: Seals, { id, url, secret, former_secret }: typeof Row.Type): KnownConnector => {
  const own = openRedacted(connectorSecret(id), secret)
  return {
    id,
    url,
    secrets: former_secret === null ? [own] : [own, openRedacted(connectorSecret(id), former_secret)]
  }
}

/** One reading of all, remembered for {@link KNOWN_MS}; a clock that was set back makes it no younger. */
const remembered = (reading: Effect.Effect<All>) =>
  Effect.map(Semaphore.make(1), (one) => {
    let last: { readonly at: number; readonly all: All } | undefined
    const fresh = Effect.map(Clock.currentTimeMillis, (now) =>
      last !== undefined && Math.abs(now - last.at) < KNOWN_MS ? last.all : undefined
    )
    const readAgain = Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.map(reading, (all) => {
        last = { at, all }
        return all
      })
    )
    const orRead = (rest: Effect.Effect<All>) =>
      Effect.flatMap(fresh, (all) => (all === undefined ? rest : Effect.succeed(all)))
    return orRead(one.withPermits(1)(orRead(readAgain)))
  })

/**
 * Connectors with their secrets, all of them remembered for a second: whoever sends messages that are not signed, whatever
 * connector they name, costs the database one statement a second.
 */
export class Known extends Context.Service<
  Known,
  {
    readonly has: (id: number) => Effect.Effect<boolean>
    readonly find: (id: number) => Effect.Effect<KnownConnector | undefined>
  }
>()("latchkey/connectors/Known") {
  static readonly layer = Layer.effect(
    Known,
    Effect.gen(function* () {
      const seals = yield* Sealing
      const read = Effect.map(all(yield* SqlClient.SqlClient), (rows): All => new Map(rows.map((row) => [row.id, row])))
      const known = yield* remembered(read)
      return Known.of({
        has: (id) => Effect.map(known, (connectors) => connectors.has(id)),
        // Opened one by one: one whose secret does not open is in the way of no other.
        find: (id) =>
          Effect.map(known, (connectors) => {
            const row = connectors.get(id)
            return row === undefined ? undefined : openedBy(seals, row)
          })
      })
    })
  )
}
