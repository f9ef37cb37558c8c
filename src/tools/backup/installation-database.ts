import { join } from "node:path"
import { Effect, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeDatabaseByteStorage } from "../../domain/guests/images/database-byte-storage.ts"
import { makeFolderByteStorage } from "../../domain/guests/images/folder-byte-storage.ts"
import type { ImageByteStorage } from "../../domain/guests/images/image-byte-storage.ts"
import { IMAGES_FOLDER } from "../../platform/database/data-folder.ts"
import { layerCommandDatabase } from "../../platform/database/database-layers.ts"
import { copyDatabaseFolder } from "../../platform/database/folder-copy.ts"

interface InstallationStorage {
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly imageStore: string | undefined
}

/** Returns undefined if the database stores the images. */
export const findImageFolder = ({ databaseUrl, dataDir, imageStore }: InstallationStorage): string | undefined =>
  imageStore ?? (databaseUrl === undefined ? join(dataDir, IMAGES_FOLDER) : undefined)

export const openImageStore = (installation: InstallationStorage, sql: SqlClient): ImageByteStorage => {
  const folder = findImageFolder(installation)
  return folder === undefined ? makeDatabaseByteStorage(sql) : makeFolderByteStorage(folder)
}

// Imported on demand, because the embedded database uses much memory.
const layerEmbedded = (folder: string) =>
  Effect.map(
    Effect.promise(() => import("../../platform/database/embedded.ts")),
    (embedded) => embedded.layerEmbedded(folder, "command")
  )

/**
 * Runs `work` on a copy of the embedded database, made after `beforeCopy`. Making the copy pauses a running service for
 * `heldMs`.
 */
export const withDatabaseCopy = <A, E, R, E2 = never>(
  dataDir: string,
  work: (heldMs: number) => Effect.Effect<A, E, R>,
  beforeCopy?: Effect.Effect<void, E2, SqlClient>
) =>
  Effect.gen(function* () {
    const { folder, heldMs } = yield* copyDatabaseFolder(dataDir, beforeCopy)
    return yield* Effect.provide(work(heldMs), yield* layerEmbedded(folder))
  }).pipe(Effect.scoped)

/** Runs `work` on a copy of the embedded database, or on the server itself. */
export const withSourceDatabase = Effect.fnUntraced(function* <A, E>(
  { databaseUrl, dataDir }: Pick<InstallationStorage, "databaseUrl" | "dataDir">,
  work: (heldMs: number | undefined) => Effect.Effect<A, E, SqlClient>
) {
  if (databaseUrl === undefined) return yield* withDatabaseCopy(dataDir, work)
  return yield* Effect.provide(work(undefined), layerCommandDatabase)
})

/** No other process may use the embedded database at this time. */
export const withTargetDatabase = Effect.fnUntraced(function* <A, E>(
  { databaseUrl, dataDir }: Pick<InstallationStorage, "databaseUrl" | "dataDir">,
  work: Effect.Effect<A, E, SqlClient>
) {
  if (databaseUrl === undefined) return yield* Effect.provide(work, yield* layerEmbedded(dataDir))
  return yield* Effect.provide(work, layerCommandDatabase)
})
