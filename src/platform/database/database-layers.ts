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

/** Connections of a process for its work in the background (one of them only listens), and the statements that share one. */
export const BACKGROUND_CONNECTIONS = 4
const BACKGROUND_STATEMENTS_PER_CONNECTION = 4
/** The same behind a pooler, where no statement shares one. */
export const POOLED_BACKGROUND_CONNECTIONS = 8

/** Short reads of requests that may be under way on one of their connections: more than the calls that a process works on. */
const SHARED_READS_PER_CONNECTION = 16

/** Connections of a process to `DATABASE_DIRECT_URL`: one listens for wake-ups, one wakes others. */
export const DIRECT_CONNECTIONS = 2

/** The one that asks whether the database answers. */
export const PROBE_CONNECTIONS = 1

/**
 * Milliseconds in which the embedded database must show that it is there: it has other statements to finish first, at its
 * first start those that make the demo operator.
 */
const EMBEDDED_READINESS_TIMEOUT_MS = 10_000

/** Which database this process works on; the settings of the process provide it. */
export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  {
    /** A PostgreSQL server; undefined: the database is embedded in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted | undefined
    /** Whether statements are prepared there; where not, a pooler without prepared statements is in between. */
    readonly databasePrepared: boolean
    /** Connections of a process for requests. */
    readonly databaseConnections: number
    /** The same server without the pooler that is in between then; undefined: there is none, or nothing but it. */
    readonly databaseDirectUrl: Redacted.Redacted | undefined
    readonly dataDir: string
    /** Seconds a server gives a statement of a request. */
    readonly statementSeconds: number
  }
>()("latchkey/platform/database/DatabaseSettings") {}

type Settings = DatabaseSettings["Service"]

/** What is between the service and the server. */
const toPooler = ({ databasePrepared, databaseDirectUrl }: Settings): PostgresOptions["pooler"] =>
  databasePrepared && databaseDirectUrl === undefined ? undefined : { supportsPreparedStatements: databasePrepared }

/** Statements of the background that can be under way at once in a process. Without a pooler one of the connections listens. */
export const maxBackgroundStatements = (settings: Settings): number =>
  toPooler(settings) === undefined
    ? (BACKGROUND_CONNECTIONS - 1) * BACKGROUND_STATEMENTS_PER_CONNECTION
    : POOLED_BACKGROUND_CONNECTIONS

const layerServer = (
  settings: Settings,
  url: Redacted.Redacted,
  options: Omit<PostgresOptions, "url" | "pooler"> = {}
) => layerPostgres({ url, pooler: toPooler(settings), ...options })

/** Provides the server after a check that this release works on it. `requiresWrites`: see `checkServer`. */
const layerCheckedServer = (settings: Settings, url: Redacted.Redacted, requiresWrites: boolean) =>
  Layer.provideMerge(
    Layer.effectDiscard(checkServer(toPooler(settings), { requiresWrites })),
    layerServer(settings, url)
  )

// Loaded when asked for: beside a server, the embedded database would only take memory.
// Waits for a command that has the folder, and for one that has it too short to say what it is; never for a service.
const layerEmbedded = Layer.unwrap(
  Effect.gen(function* () {
    const { dataDir } = yield* DatabaseSettings
    const embedded = yield* Effect.promise(() => import("./embedded.ts"))
    const openFolder = retryUntilFolderFree(
      (scope) => Effect.andThen(ensureNotMoved(dataDir), Layer.buildWithScope(embedded.layerEmbedded(dataDir), scope)),
      ({ ownerKind }) => ownerKind !== "service"
    )
    return Layer.effectDiscard(runMaintenance).pipe(Layer.provideMerge(Layer.effectContext(openFolder)))
  })
)

/** Why there is no database to work on. */
type DatabaseUnusable = SqlError | UnsupportedServer | DataFolderTaken | DataFolderUnusable | DatabaseMoved

/** The database the settings name: a PostgreSQL server, or the one embedded in the data folder. */
export const layerDatabase = Layer.unwrap(
  Effect.map(
    DatabaseSettings,
    (settings): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable, DatabaseSettings> =>
      settings.databaseUrl === undefined ? layerEmbedded : layerCheckedServer(settings, settings.databaseUrl, true)
  )
)

/** Nobody works on a data folder that is moved to a server, or was. Looked at where it says so: others need no SQLite for it. */
const ensureNotMoved = (dataDir: string) =>
  Effect.suspend(() =>
    existsSync(join(dataDir, MOVE_FILE))
      ? Effect.flatMap(
          Effect.promise(() => import("./database-move.ts")),
          ({ failIfMoved }) => failIfMoved(dataDir)
        )
      : Effect.void
  )

/** The same for a command, which the service that runs on the embedded database lets in. */
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

/** Takes commands on the embedded database; on a server they need nobody. `afterTransaction`: see `layerControlSocket`. */
export const layerControl = (afterTransaction: Effect.Effect<void>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { databaseUrl, dataDir } = yield* DatabaseSettings
      if (databaseUrl !== undefined) return Layer.empty
      const control = yield* Effect.promise(() => import("./control-socket.ts"))
      return Layer.provide(control.layerControlSocket(dataDir, afterTransaction), layerEmbedded)
    })
  )

/** Whether it may be written to: the embedded one may not while it is moved to a server. */
export const layerWriteAccess = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = yield* DatabaseSettings
    if (databaseUrl !== undefined) return Layer.empty
    const { layerEmbeddedWriteAccess } = yield* Effect.promise(() => import("./embedded-write-access.ts"))
    return Layer.provide(layerEmbeddedWriteAccess(dataDir), layerEmbedded)
  })
)

/**
 * The same database for requests: a statement of them that takes too long is stopped. The embedded database cannot
 * (it runs on this thread, where no timer would fire meanwhile): there a statement runs to its end.
 */
export const layerRequestDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, (settings) => {
    const { databaseUrl, databaseConnections, statementSeconds } = settings
    if (databaseUrl === undefined) return Layer.provideMerge(layerSharedReads, layerDatabase)
    const statementTimeout = `${statementSeconds} seconds` as const
    const layerRequests = (maxConnections: number) =>
      layerServer(settings, databaseUrl, { maxConnections, statementTimeout })
    // Statements never share a connection of a pooler, see layerPostgres.
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
 * The same database for work in the background. On a server it has connections of its own, so that no request waits
 * behind a long statement of it, and its commits do not wait for the disk: only for work that may be done twice.
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
 * A client whose sessions are its own, for what listens: beside a pooler one that goes around it. Undefined: nothing leads to a
 * session (the pooler is the only way), or nobody else is on the database (it is embedded).
 */
export const chooseSessionLayer = Effect.map(DatabaseSettings, (settings) => {
  const { databaseUrl, databaseDirectUrl } = settings
  if (databaseUrl === undefined) return undefined
  if (databaseDirectUrl !== undefined)
    return layerPostgres({ url: databaseDirectUrl, maxConnections: DIRECT_CONNECTIONS })
  return toPooler(settings) === undefined ? layerBackgroundDatabase : undefined
})

/**
 * Whether the database answers. On a server this has a connection of its own, so that it tells a database that is away
 * from one that has much to do; the embedded database has one session, and is asked in its turn.
 */
export const layerReadiness = Layer.unwrap(
  Effect.map(DatabaseSettings, (settings) =>
    settings.databaseUrl === undefined
      ? Readiness.layer(EMBEDDED_READINESS_TIMEOUT_MS).pipe(Layer.provide(layerDatabase))
      : Readiness.layer().pipe(Layer.provide(layerProbe(settings, settings.databaseUrl)))
  )
)

/** Questions that may share the connection: one that is given up must not hold it until it is cancelled. */
const PROBES_PER_CONNECTION = 4

const layerProbe = (settings: Settings, url: Redacted.Redacted) =>
  layerServer(settings, url, {
    maxConnections: PROBE_CONNECTIONS,
    minConnections: PROBE_CONNECTIONS,
    statementsPerConnection: PROBES_PER_CONNECTION,
    statementTimeout: READINESS_TIMEOUT_MS
  })
