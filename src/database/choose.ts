import { Context, Effect, Layer, type Redacted } from "effect"
import { layerBesideService } from "./beside-service.ts"
import { waitingForFolder } from "./folder-patience.ts"
import { layerPostgres } from "./postgres.ts"
import { READY_MS, Readiness } from "./Readiness.ts"
import { upkeep } from "./upkeep.ts"

/** Connections of a process for its work in the background (one of them only listens), and the statements that share one. */
export const BACKGROUND_CONNECTIONS = 4
const BACKGROUND_STATEMENTS = 4

/**
 * Milliseconds in which the embedded database must show that it is there: it has other statements to finish first, at its
 * first start those that make the demo operator.
 */
const EMBEDDED_READY_MS = 10_000

/** Which database this process works on; the settings of the process provide it. */
export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  {
    /** A PostgreSQL server; undefined: the database is embedded in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted | undefined
    readonly dataDir: string
    /** Seconds a server gives a statement of a request. */
    readonly statementSeconds: number
  }
>()("latchkey/database/DatabaseSettings") {}

// Loaded when asked for: beside a server, the embedded database would only take memory.
// Waits for a command that has the folder, and for one that has it too short to say what it is; never for a service.
const layerEmbedded = Layer.unwrap(
  Effect.gen(function* () {
    const { dataDir } = yield* DatabaseSettings
    const embedded = yield* Effect.promise(() => import("./embedded.ts"))
    const opened = waitingForFolder(
      (scope) => Layer.buildWithScope(embedded.layerEmbedded(dataDir), scope),
      ({ holder }) => holder !== "service"
    )
    return Layer.effectDiscard(upkeep).pipe(Layer.provideMerge(Layer.effectContext(opened)))
  })
)

/** The database the settings name: a PostgreSQL server, or the one embedded in the data folder. */
export const layerDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl }) =>
    databaseUrl === undefined ? layerEmbedded : layerPostgres({ url: databaseUrl })
  )
)

/** The same for a command, which the service that runs on the embedded database lets in. */
export const layerCommandDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl, dataDir }) =>
    databaseUrl === undefined ? layerBesideService(dataDir) : layerPostgres({ url: databaseUrl })
  )
)

/** Takes commands on the embedded database; on a server they need nobody. `afterwards`: see `layerControlSocket`. */
export const layerControl = (afterwards: Effect.Effect<void>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { databaseUrl, dataDir } = yield* DatabaseSettings
      if (databaseUrl !== undefined) return Layer.empty
      const control = yield* Effect.promise(() => import("./control-socket.ts"))
      return Layer.provide(control.layerControlSocket(dataDir, afterwards), layerEmbedded)
    })
  )

/**
 * The same database for requests: a server stops a statement of them that takes too long. The embedded database cannot
 * (it runs on this thread, where no timer would fire meanwhile): there a statement runs to its end.
 */
export const layerRequestDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl, statementSeconds }) =>
    databaseUrl === undefined
      ? layerDatabase
      : layerPostgres({ url: databaseUrl, statementLimit: `${statementSeconds} seconds` })
  )
)

/**
 * The same database for work in the background. On a server it has connections of its own, so that no request waits
 * behind a long statement of it, and its commits do not wait for the disk: only for work that may be done twice.
 */
export const layerBackgroundDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl }) =>
    databaseUrl === undefined
      ? layerDatabase
      : layerPostgres({
          url: databaseUrl,
          maxConnections: BACKGROUND_CONNECTIONS,
          statementsAConnection: BACKGROUND_STATEMENTS,
          synchronousCommit: "off"
        })
  )
)

/**
 * Whether the database answers. On a server this has a connection of its own, so that it tells a database that is away
 * from one that has much to do; the embedded database has one session, and is asked in its turn.
 */
export const layerReadiness = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl }) =>
    databaseUrl === undefined
      ? Readiness.layer(EMBEDDED_READY_MS).pipe(Layer.provide(layerDatabase))
      : Readiness.layer().pipe(Layer.provide(layerProbe(databaseUrl)))
  )
)

/** Questions that may share the connection: one that is given up must not hold it until it is cancelled. */
const QUESTIONS_AT_ONCE = 4

const layerProbe = (url: Redacted.Redacted) =>
  layerPostgres({
    url,
    maxConnections: 1,
    minConnections: 1,
    statementsAConnection: QUESTIONS_AT_ONCE,
    statementLimit: READY_MS
  })
