import { join } from "node:path"
import { Effect, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { bytesInDatabase } from "../../domain/guests/images/bytes-in-database.ts"
import { bytesInFolder } from "../../domain/guests/images/bytes-in-folder.ts"
import type { KeptBytes } from "../../domain/guests/images/kept-bytes.ts"
import { layerCommandDatabase } from "../../platform/database/choose.ts"
import { copyOfFolder } from "../../platform/database/folder-copy.ts"
import { IMAGES } from "../../platform/database/folder-modes.ts"

/** Where an installation has its data, as its settings say. */
export interface Installation {
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly dataDir: string
  readonly imageStore: string | undefined
}

/** The folder of the images; undefined: they are in the database. */
export const imageFolderOf = ({ databaseUrl, dataDir, imageStore }: Installation): string | undefined =>
  imageStore ?? (databaseUrl === undefined ? join(dataDir, IMAGES) : undefined)

/** Where images are to be kept that come from elsewhere. */
export const imagesOf = (installation: Installation, sql: SqlClient): KeptBytes => {
  const folder = imageFolderOf(installation)
  return folder === undefined ? bytesInDatabase(sql) : bytesInFolder(folder)
}

// Loaded when asked for: beside a server, the embedded database would only take memory.
const layerEmbedded = (folder: string) =>
  Effect.map(
    Effect.promise(() => import("../../platform/database/embedded.ts")),
    (embedded) => embedded.layerEmbedded(folder, "command")
  )

/**
 * Does something with the embedded database of a data folder as it is at one moment after it is `ready`, without holding up
 * the service that has it for longer than `heldMs` tells.
 */
export const withCopy = <A, E, R, E2 = never>(
  dataDir: string,
  work: (heldMs: number) => Effect.Effect<A, E, R>,
  ready?: Effect.Effect<void, E2, SqlClient>
) =>
  Effect.gen(function* () {
    const { folder, heldMs } = yield* copyOfFolder(dataDir, ready)
    return yield* Effect.provide(work(heldMs), yield* layerEmbedded(folder))
  }).pipe(Effect.scoped)

/** The database of an installation, to be read: a copy of the embedded one, or the server itself. */
export const withSource = Effect.fnUntraced(function* <A, E>(
  { databaseUrl, dataDir }: Pick<Installation, "databaseUrl" | "dataDir">,
  work: (heldMs: number | undefined) => Effect.Effect<A, E, SqlClient>
) {
  if (databaseUrl === undefined) return yield* withCopy(dataDir, work)
  return yield* Effect.provide(work(undefined), layerCommandDatabase)
})

/** The database of an installation, to be filled: nobody else may have the embedded one. */
export const withTarget = Effect.fnUntraced(function* <A, E>(
  { databaseUrl, dataDir }: Pick<Installation, "databaseUrl" | "dataDir">,
  work: Effect.Effect<A, E, SqlClient>
) {
  if (databaseUrl === undefined) return yield* Effect.provide(work, yield* layerEmbedded(dataDir))
  return yield* Effect.provide(work, layerCommandDatabase)
})
