import { existsSync } from "node:fs"
import { join } from "node:path"
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { SHARED_READ_CONNECTIONS } from "../limits.ts"
import { layerCommandEmbedded } from "./command-embedded.ts"
import { MOVE_FILE } from "./data-folder.ts"
import type { DatabaseMoved } from "./database-move.ts"
import type { DataFolderTaken, DataFolderUnusable } from "./folder-lock.ts"
import { retryUntilFolderFree } from "./folder-wait.ts"
import { runMaintenance } from "./maintenance.ts"
import { layerPostgres, type PostgresOptions } from "./postgres.ts"
import { READINESS_TIMEOUT_MS, Readiness } from "./Readiness.ts"
import { SharedReads } from "./SharedReads.ts"
import { checkServer, type UnsupportedServer } from "./server-check.ts"

/** One of these connections only listens for wake-ups. */
export const BACKGROUND_CONNECTIONS = 4
const BACKGROUND_STATEMENTS_PER_CONNECTION = 4
/** Behind a pooler each statement needs its own connection. */
export const POOLED_BACKGROUND_CONNECTIONS = 8

/** More than CONCURRENCY_PERMITS, so that no read waits for a connection. */
const SHARED_READS_PER_CONNECTION = 16

/** On `DATABASE_DIRECT_URL`: one listens for wake-ups, one sends them. */
export const DIRECT_CONNECTIONS = 2

export const PROBE_CONNECTIONS = 1

/** Longer than for a server, because the embedded database first finishes other statements. */
const EMBEDDED_READINESS_TIMEOUT_MS = 10_000

export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  {
    /** If undefined, the database is embedded in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted | undefined
    /** False if a pooler without prepared statements is in front of the server. */
    readonly databasePrepared: boolean
    readonly databaseConnections: number
    /** The same server without the pooler, if it can be reached directly. */
    readonly databaseDirectUrl: Redacted.Redacted | undefined
    readonly dataDir: string
    readonly statementSeconds: number
  }
>()("latchkey/platform/database/DatabaseSettings") {}

type Settings = DatabaseSettings["Service"]

/**
 * Set for a test server: its embedded database is in memory instead of `dataDir`. It starts from `copy`, or empty.
 */
export const DatabaseInMemory = Context.Reference<{ readonly copy: Blob | undefined } | undefined>(
  "latchkey/platform/database/DatabaseInMemory",
  { defaultValue: () => undefined }
)

const toPooler = ({ databasePrepared, databaseDirectUrl }: Settings): PostgresOptions["pooler"] =>
  databasePrepared && databaseDirectUrl === undefined ? undefined : { supportsPreparedStatements: databasePrepared }

export const maxBackgroundStatements = (settings: Settings): number =>
  toPooler(settings) === undefined
    ? (BACKGROUND_CONNECTIONS - 1) * BACKGROUND_STATEMENTS_PER_CONNECTION
    : POOLED_BACKGROUND_CONNECTIONS

const layerServer = (
  settings: Settings,
  url: Redacted.Redacted,
  options: Omit<PostgresOptions, "url" | "pooler"> = {}
) => layerPostgres({ url, pooler: toPooler(settings), ...options })

const layerCheckedServer = (settings: Settings, url: Redacted.Redacted, requiresWrites: boolean) =>
  Layer.provideMerge(
    Layer.effectDiscard(checkServer(toPooler(settings), { requiresWrites })),
    layerServer(settings, url)
  )

// The module is loaded on demand to save memory. The layer waits for a command that uses the folder, never for a
// service.
export const layerEmbedded = Layer.unwrap(
  Effect.gen(function* () {
    const { dataDir } = yield* DatabaseSettings
    const embedded = yield* Effect.promise(() => import("./embedded.ts"))
    const inMemory = yield* DatabaseInMemory
    if (inMemory !== undefined) return Layer.effectContext(Layer.build(embedded.layerInMemory(inMemory.copy)))
    const openFolder = retryUntilFolderFree(
      (scope) => Effect.andThen(ensureNotMoved(dataDir), Layer.buildWithScope(embedded.layerEmbedded(dataDir), scope)),
      ({ ownerKind }) => ownerKind !== "service"
    )
    return Layer.effectDiscard(runMaintenance).pipe(Layer.provideMerge(Layer.effectContext(openFolder)))
  })
)

type DatabaseUnusable = SqlError | UnsupportedServer | DataFolderTaken | DataFolderUnusable | DatabaseMoved

export const layerDatabase = Layer.unwrap(
  Effect.map(
    DatabaseSettings,
    (settings): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable, DatabaseSettings> =>
      settings.databaseUrl === undefined ? layerEmbedded : layerCheckedServer(settings, settings.databaseUrl, true)
  )
)

/** Fails if the database was moved or is being moved. The module is loaded only then, because it loads SQLite. */
const ensureNotMoved = (dataDir: string) =>
  Effect.suspend(() =>
    existsSync(join(dataDir, MOVE_FILE))
      ? Effect.flatMap(
          Effect.promise(() => import("./database-move.ts")),
          ({ failIfMoved }) => failIfMoved(dataDir)
        )
      : Effect.void
  )

export const layerCommandDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* DatabaseSettings
    if (settings.databaseUrl === undefined) yield* ensureNotMoved(settings.dataDir)
    const layer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable> =
      settings.databaseUrl === undefined
        ? layerCommandEmbedded(settings.dataDir)
        : // Commands that only read, such as `backup`, also work on a standby.
          layerCheckedServer(settings, settings.databaseUrl, false)
    return layer
  })
)

export const layerControl = (afterTransaction: Effect.Effect<void>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { databaseUrl, dataDir } = yield* DatabaseSettings
      if (databaseUrl !== undefined || (yield* DatabaseInMemory) !== undefined) return Layer.empty
      const control = yield* Effect.promise(() => import("./control-socket.ts"))
      return Layer.provide(control.layerControlSocket(dataDir, afterTransaction), layerEmbedded)
    })
  )

export const layerWriteAccess = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = yield* DatabaseSettings
    if (databaseUrl !== undefined || (yield* DatabaseInMemory) !== undefined) return Layer.empty
    const { layerEmbeddedWriteAccess } = yield* Effect.promise(() => import("./embedded-write-access.ts"))
    return Layer.provide(layerEmbeddedWriteAccess(dataDir), layerEmbedded)
  })
)

/** Limits the time of statements, except on the embedded database: it blocks this thread, so no timer could fire. */
export const layerRequestDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, (settings) => {
    const { databaseUrl, databaseConnections, statementSeconds } = settings
    if (databaseUrl === undefined) return Layer.provideMerge(layerSharedReads, layerDatabase)
    const statementTimeout = `${statementSeconds} seconds` as const
    const layerRequests = (maxConnections: number) =>
      layerServer(settings, databaseUrl, { maxConnections, statementTimeout })
    if (toPooler(settings) !== undefined)
      return Layer.provideMerge(layerSharedReads, layerRequests(databaseConnections))
    const layerShared = layerServer(settings, databaseUrl, {
      maxConnections: SHARED_READ_CONNECTIONS,
      statementsPerConnection: SHARED_READS_PER_CONNECTION,
      statementTimeout,
      isReadOnly: true
    })
    return Layer.merge(
      layerRequests(databaseConnections - SHARED_READ_CONNECTIONS),
      Layer.provide(layerSharedReads, layerShared)
    )
  })
)

const layerSharedReads = Layer.effect(SharedReads, SqlClient.SqlClient)

/**
 * On a server, background work has its own connections, so that requests do not wait for it. Its commits do not wait
 * for the disk, so use it only for work that may run twice.
 */
export const layerBackgroundDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, (settings) =>
    settings.databaseUrl === undefined
      ? layerDatabase
      : layerServer(settings, settings.databaseUrl, {
          maxConnections: toPooler(settings) === undefined ? BACKGROUND_CONNECTIONS : POOLED_BACKGROUND_CONNECTIONS,
          statementsPerConnection: BACKGROUND_STATEMENTS_PER_CONNECTION,
          synchronousCommit: "off"
        })
  )
)

/**
 * Returns a client for LISTEN with its own sessions, not those of a pooler. Returns undefined if there is no direct
 * connection, or if the database is embedded.
 */
export const chooseSessionLayer = Effect.map(DatabaseSettings, (settings) => {
  const { databaseUrl, databaseDirectUrl } = settings
  if (databaseUrl === undefined) return undefined
  if (databaseDirectUrl !== undefined)
    return layerPostgres({ url: databaseDirectUrl, maxConnections: DIRECT_CONNECTIONS })
  return toPooler(settings) === undefined ? layerBackgroundDatabase : undefined
})

/** On a server, the probe has its own connection, so that a busy database does not count as down. */
export const layerReadiness = Layer.unwrap(
  Effect.map(DatabaseSettings, (settings) =>
    settings.databaseUrl === undefined
      ? Readiness.layer(EMBEDDED_READINESS_TIMEOUT_MS).pipe(Layer.provide(layerDatabase))
      : Readiness.layer().pipe(Layer.provide(layerProbe(settings, settings.databaseUrl)))
  )
)

/** A probe that timed out must not block the next one. */
const PROBES_PER_CONNECTION = 4

const layerProbe = (settings: Settings, url: Redacted.Redacted) =>
  layerServer(settings, url, {
    maxConnections: PROBE_CONNECTIONS,
    minConnections: PROBE_CONNECTIONS,
    statementsPerConnection: PROBES_PER_CONNECTION,
    statementTimeout: READINESS_TIMEOUT_MS
  })
