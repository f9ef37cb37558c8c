import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../migrations/index.ts"
import { EmbeddedDatabase, layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"

const compress = promisify(zstdCompress)

/** A third smaller than at level 15, for three seconds more. Each MB counts in a download, and reading is as fast. */
const COMPRESSION_LEVEL = 19

const makeSnapshot = Effect.gen(function* () {
  yield* migrate(migrations)
  // Without a checkpoint, each start of the copy would first replay the write-ahead log.
  yield* (yield* SqlClient)`CHECKPOINT`.unprepared
  return yield* (yield* EmbeddedDatabase).snapshot
}).pipe(Effect.provide(layerInMemory()))

/** Writes an embedded database with all migrations to `file`, so that a test server need not run them. */
export const writeMigratedDatabase = async (file: string): Promise<void> => {
  const snapshot = await Effect.runPromise(makeSnapshot)
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await compress(await snapshot.bytes(), { params }))
}
