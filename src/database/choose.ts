import { Context, Effect, Layer, type Redacted } from "effect"
import { BACKGROUND_CONNECTIONS } from "../limits.ts"
import { layerPostgres } from "./postgres.ts"
import { upkeep } from "./upkeep.ts"

/** Which database this process works on; the settings of the process provide it. */
export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  {
    /** A PostgreSQL server; undefined: the database is embedded in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted | undefined
    readonly dataDir: string
  }
>()("latchkey/database/DatabaseSettings") {}

// Loaded when asked for: beside a server, the embedded database would only take memory.
const layerEmbedded = (dataDir: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./embedded.ts")),
      (embedded) => Layer.effectDiscard(upkeep).pipe(Layer.provideMerge(embedded.layerEmbedded(dataDir)))
    )
  )

/** The database the settings name: a PostgreSQL server, or the one embedded in the data folder. */
export const layerDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl, dataDir }) =>
    databaseUrl === undefined ? layerEmbedded(dataDir) : layerPostgres({ url: databaseUrl })
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
      : layerPostgres({ url: databaseUrl, maxConnections: BACKGROUND_CONNECTIONS, synchronousCommit: "off" })
  )
)
