import { Context, Effect, Layer, type Redacted } from "effect"
import { layerEmbedded } from "./embedded.ts"
import { layerPostgres } from "./postgres.ts"

/** Which database this process works on; the settings of the process provide it. */
export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  {
    /** A PostgreSQL server; undefined: the database is embedded in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted | undefined
    readonly dataDir: string
  }
>()("latchkey/database/DatabaseSettings") {}

/** The database the settings name: a PostgreSQL server, or the one embedded in the data folder. */
export const layerDatabase = Layer.unwrap(
  Effect.map(DatabaseSettings, ({ databaseUrl, dataDir }) =>
    databaseUrl === undefined ? layerEmbedded(dataDir) : layerPostgres({ url: databaseUrl })
  )
)
