import { type Array as Arr, Clock, Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SigningSecret } from "../../domain/webhooks/deliveries/signature.ts"
import { clearAfterReset } from "../../platform/database/ResetListeners.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { CONNECTORS_MAX } from "../../platform/limits.ts"
import { CurrentSealer, type SecretSealer } from "../../platform/sealing/CurrentSealer.ts"
import { connectorSecretBinding } from "../../platform/sealing/sealed-columns.ts"

const ConnectorRow = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String),
  /** The replaced secret, or null after it has expired. */
  former_secret: Schema.NullOr(Schema.RedactedFromValue(Schema.String))
})

interface CachedConnector {
  readonly id: number
  readonly url: string
  readonly secrets: Arr.NonEmptyReadonlyArray<SigningSecret>
}

export const CONNECTOR_CACHE_TTL_MS = 1_000

const readConnectorRows = makeRowsReader(ConnectorRow)

const makeListConnectorRows = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(DateTime.nowAsDate, (now) =>
    readConnectorRows(sql`
      SELECT id, url, secret, CASE WHEN former_secret_until > ${now}::timestamptz THEN former_secret END AS former_secret
      FROM connectors ORDER BY id LIMIT ${sql.literal(String(CONNECTORS_MAX))}`)
  )

type ConnectorRowsById = ReadonlyMap<number, typeof ConnectorRow.Type>

const unsealConnector = (
  { openRedacted }: SecretSealer,
  { id, url, secret, former_secret }: typeof ConnectorRow.Type
): CachedConnector => {
  const currentSecret = openRedacted(connectorSecretBinding(id), secret)
  return {
    id,
    url,
    secrets:
      former_secret === null
        ? [currentSecret]
        : [currentSecret, openRedacted(connectorSecretBinding(id), former_secret)]
  }
}

const cacheForTtl = (readAll: Effect.Effect<ConnectorRowsById>) =>
  Effect.gen(function* () {
    const semaphore = yield* Semaphore.make(1)
    let cached: { readonly at: number; readonly all: ConnectorRowsById } | undefined
    yield* clearAfterReset(
      Effect.sync(() => {
        cached = undefined
      })
    )
    const readCached = Effect.map(Clock.currentTimeMillis, (now) =>
      cached !== undefined && Math.abs(now - cached.at) < CONNECTOR_CACHE_TTL_MS ? cached.all : undefined
    )
    const refresh = Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.map(readAll, (all) => {
        cached = { at, all }
        return all
      })
    )
    const cachedOrElse = (fallback: Effect.Effect<ConnectorRowsById>) =>
      Effect.flatMap(readCached, (all) => (all === undefined ? fallback : Effect.succeed(all)))
    return cachedOrElse(semaphore.withPermits(1)(cachedOrElse(refresh)))
  })

/** Reads all connectors at most once per second, even if unsigned messages name unknown ids. */
export class ConnectorCache extends Context.Service<
  ConnectorCache,
  {
    readonly has: (id: number) => Effect.Effect<boolean>
    readonly find: (id: number) => Effect.Effect<CachedConnector | undefined>
  }
>()("latchkey/connectors/http/ConnectorCache") {
  static readonly layer = Layer.effect(
    ConnectorCache,
    Effect.gen(function* () {
      const sealer = yield* CurrentSealer
      const readConnectorRowsById = Effect.map(
        makeListConnectorRows(yield* SqlClient.SqlClient),
        (rows): ConnectorRowsById => new Map(rows.map((row) => [row.id, row]))
      )
      const cachedRows = yield* cacheForTtl(readConnectorRowsById)
      return ConnectorCache.of({
        has: (id) => Effect.map(cachedRows, (connectors) => connectors.has(id)),
        // Decrypts only this connector's secrets, so that an unreadable secret of another connector does no harm.
        find: (id) =>
          Effect.map(cachedRows, (connectors) => {
            const row = connectors.get(id)
            return row === undefined ? undefined : unsealConnector(sealer, row)
          })
      })
    })
  )
}
