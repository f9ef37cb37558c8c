import * as Fs from "node:fs/promises"
import { Effect, Layer } from "effect"
import { Configuration, WrongSetting } from "../configuration.ts"
import { layerEmbedded } from "./embedded.ts"
import { layerPostgres } from "./postgres.ts"

/** A folder that cannot be made or written is a wrong setting and told as one, before the database stumbles over it. */
const usableFolder = (dataDir: string): Effect.Effect<void, WrongSetting> =>
  Effect.tryPromise({
    try: async () => {
      await Fs.mkdir(dataDir, { recursive: true, mode: 0o700 })
      await Fs.access(dataDir, Fs.constants.W_OK)
    },
    catch: () =>
      new WrongSetting({ variable: "DATA_DIR", expected: "a folder this process may write to", given: dataDir })
  })

/** The database the settings name: a PostgreSQL server, or the one embedded in the data folder. */
export const layerDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl, dataDir } = yield* Configuration
    if (databaseUrl !== undefined) return layerPostgres({ url: databaseUrl })
    yield* usableFolder(dataDir)
    return layerEmbedded(dataDir)
  })
)
