import { constants, type Dirent } from "node:fs"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { Data, Effect, type Layer, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { layerCommandEmbedded } from "./command-embedded.ts"
import { DATABASE_FOLDER, keepFilesPrivate } from "./data-folder.ts"
import { lacksDatabase } from "./database-state.ts"
import { toReason } from "./error-reason.ts"
import { makeCopyFolder, removeLeftoverCopies } from "./leftover-copies.ts"
import { makeSingleRowReader } from "./rows.ts"

// Copies the embedded database as of one moment, while a service may use it.
//
// Between two statements, the files are as after a kill of the process, and PostgreSQL can recover from them. A first
// pass copies all files while the service runs. A second pass holds the only session of the database and copies the
// changed files.

class DatabaseCopyFailed extends Data.TaggedError("DatabaseCopyFailed")<{ readonly message: string }> {}

/** While the session is held, a statement at this interval keeps the connection from timing out. */
const KEEP_ALIVE_MS = 1_000
/** Resolution of the coarsest file-system clock. */
const CLOCK_TICK_MS = 2_000

const WAL = "pg_wal"

interface FileState {
  readonly size: number
  readonly changedAt: number
  /** The file may change again without a new modification time. */
  readonly isRecent: boolean
}

const listFiles = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(folder, { recursive: true, withFileTypes: true })
  const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name).slice(folder.length + 1)
  return entries.filter((entry) => entry.isFile()).map(pathOf)
}

const readFileState = async (file: string): Promise<FileState | undefined> => {
  const stats = await Fs.stat(file).catch(() => undefined)
  if (stats === undefined) return undefined
  return { size: stats.size, changedAt: stats.mtimeMs, isRecent: Math.abs(Date.now() - stats.mtimeMs) < CLOCK_TICK_MS }
}

const copyFile = (from: string, to: string): Promise<void> => Fs.copyFile(from, to, constants.COPYFILE_FICLONE)

const isWal = (file: string): boolean => dirname(file) === WAL

/** Leaves out the WAL. The second pass repeats files that change meanwhile. */
const copyAllFiles = async (from: string, to: string): Promise<Map<string, FileState>> => {
  const copiedStates = new Map<string, FileState>()
  for (const folder of await Fs.readdir(from, { recursive: true, withFileTypes: true })) {
    if (folder.isDirectory())
      await Fs.mkdir(join(to, join(folder.parentPath, folder.name).slice(from.length)), { recursive: true })
  }
  for (const file of await listFiles(from)) {
    if (isWal(file)) continue
    const state = await readFileState(join(from, file))
    const isCopied =
      state !== undefined &&
      (await copyFile(join(from, file), join(to, file)).then(
        () => true,
        () => false
      ))
    if (isCopied) copiedStates.set(file, state)
  }
  return copiedStates
}

interface WalRange {
  readonly first: string
  readonly last: string
}

/** The caller must hold the session. */
const copyChangedFiles = async (
  from: string,
  to: string,
  copiedStates: ReadonlyMap<string, FileState>,
  walRange: WalRange
): Promise<number> => {
  const files = await listFiles(from)
  let copiedCount = 0
  for (const file of files) {
    const name = file.slice(WAL.length + 1)
    // Other WAL files are skipped, because they are older or kept for reuse.
    if (isWal(file) && !(name >= walRange.first && name <= walRange.last)) continue
    const [copiedState, state] = [copiedStates.get(file), await readFileState(join(from, file))]
    if (
      copiedState !== undefined &&
      !copiedState.isRecent &&
      copiedState.size === state?.size &&
      copiedState.changedAt === state.changedAt
    )
      continue
    await Fs.mkdir(dirname(join(to, file)), { recursive: true })
    await copyFile(join(from, file), join(to, file))
    copiedCount++
  }
  const present = new Set(files)
  for (const file of copiedStates.keys()) if (!present.has(file)) await Fs.rm(join(to, file), { force: true })
  return copiedCount
}

const readWalRange = makeSingleRowReader(Schema.Struct({ first: Schema.String, last: Schema.String }))

const toCopyError = (cause: unknown) =>
  new DatabaseCopyFailed({ message: `cannot copy the database: ${toReason(cause)}` })

const tryFileWork = <A>(work: () => Promise<A>): Effect.Effect<A, DatabaseCopyFailed> =>
  Effect.tryPromise({
    try: work,
    catch: toCopyError
  })

interface FolderCopy {
  readonly folder: string
  /** Time for which callers had to wait. */
  readonly heldMs: number
}

export const COPY_RESERVE_BYTES = 64 * 1024 * 1024

export const hasRoomForCopy = (bytes: number, free: number): boolean => free >= bytes + COPY_RESERVE_BYTES

const readSize = makeSingleRowReader(Schema.Struct({ bytes: Schema.Int }))

/**
 * Fails without enough space, because a full disk stops the service, and a CHECKPOINT without space crashes the
 * database.
 */
const requireRoomForCopy = Effect.fnUntraced(function* (sql: SqlClient, folder: string) {
  const { bytes } = yield* readSize(sql`SELECT sum(pg_database_size(oid))::bigint AS bytes FROM pg_database`)
  const { bavail, bsize } = yield* tryFileWork(() => Fs.statfs(folder))
  const free = bavail * bsize
  if (hasRoomForCopy(bytes, free)) return
  const needed = mebibytes(bytes + COPY_RESERVE_BYTES)
  return yield* new DatabaseCopyFailed({
    message: `DATA_DIR: must be on a disk with ${needed} MiB free for a copy of the database, not ${mebibytes(free)} MiB`
  })
})

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

const copyDatabase = Effect.fnUntraced(function* (from: string, to: string) {
  const sql = yield* SqlClient
  yield* requireRoomForCopy(sql, from)
  // The CHECKPOINT leaves little WAL to copy.
  yield* sql`CHECKPOINT`.unprepared
  const copiedStates = yield* tryFileWork(() => copyAllFiles(from, to))
  let heldSince = 0
  const copyWhileHeld = Effect.gen(function* () {
    heldSince = performance.now()
    const walRange = yield* readWalRange(sql`
      SELECT redo_wal_file AS first, pg_walfile_name(pg_current_wal_insert_lsn()) AS last FROM pg_control_checkpoint()`)
    const keepAlive = Effect.forever(Effect.andThen(Effect.sleep(KEEP_ALIVE_MS), sql`SELECT 1`))
    yield* Effect.raceFirst(
      tryFileWork(() => copyChangedFiles(from, to, copiedStates, walRange)),
      keepAlive
    )
    // Fails unless the session was held all the time.
    yield* sql`SELECT 1`
  })
  yield* sql.withTransaction(copyWhileHeld)
  return performance.now() - heldSince
})

/** The copy can take as much space as the database, and is removed when the scope closes. */
export const copyDatabaseFolder = Effect.fnUntraced(function* <E = never>(
  dataDir: string,
  beforeCopy: Effect.Effect<void, E, SqlClient> = Effect.void
): Effect.fn.Return<
  FolderCopy,
  E | DatabaseCopyFailed | Layer.Error<ReturnType<typeof layerCommandEmbedded>>,
  Scope.Scope
> {
  if (yield* lacksDatabase(dataDir)) {
    return yield* new DatabaseCopyFailed({ message: `DATA_DIR: there is no database in ${dataDir}` })
  }
  yield* keepFilesPrivate
  yield* removeLeftoverCopies(dataDir)
  const folder = yield* Effect.mapError(makeCopyFolder(dataDir), toCopyError)
  const copy = Effect.catchTag(
    copyDatabase(join(dataDir, DATABASE_FOLDER), join(folder, DATABASE_FOLDER)),
    "SqlError",
    toServiceError
  )
  const heldMs = yield* Effect.provide(Effect.andThen(beforeCopy, copy), layerCommandEmbedded(dataDir))
  return { folder, heldMs }
})

const toServiceError = (error: SqlError) =>
  new DatabaseCopyFailed({
    message: `the service that uses DATA_DIR rejected the copy of its database: ${toReason(error)}`
  })
