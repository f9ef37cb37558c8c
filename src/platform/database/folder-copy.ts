import { constants, type Dirent } from "node:fs"
import * as Fs from "node:fs/promises"
import { dirname, join } from "node:path"
import { Data, Effect, type Layer, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { layerBesideService } from "./beside-service.ts"
import { DATABASE, keepFilesPrivate } from "./folder-modes.ts"
import { lacksDatabase } from "./inspect-folder.ts"
import { ownCopyFolder, removeLeftCopies } from "./left-copies.ts"
import { reasonOf } from "./reason.ts"
import { onlyRowOf } from "./rows.ts"

// The embedded database as it is at one moment, as a folder of its own. The service that has it has one session, in which
// reading everything would hold up all callers; its files are copied within milliseconds, and read by another process.
//
// Between two statements the files are what a killed process leaves, from which PostgreSQL makes its last commit again. So
// the copy is made in two passes: one beside the service's work, of everything; and one while the session is held, of what
// changed meanwhile. Callers wait for the second.

/** There is no database to copy, or copying it failed. */
export class NotCopied extends Data.TaggedError("NotCopied")<{ readonly message: string }> {}

/** Milliseconds between two words to the service that its session is still needed: it takes it back from who is silent. */
const WORD_MS = 1_000
/** A file may be written twice within the tick of a file system's clock, which is two seconds at worst. */
const CLOCK_TICK_MS = 2_000

const WAL = "pg_wal"

/** What there was of a file when it was copied. */
interface Seen {
  readonly size: number
  readonly changedAt: number
  /** Whether it could change again without that being seen. */
  readonly fresh: boolean
}

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(folder, { recursive: true, withFileTypes: true })
  const pathOf = (entry: Dirent) => join(entry.parentPath, entry.name).slice(folder.length + 1)
  return entries.filter((entry) => entry.isFile()).map(pathOf)
}

const seenNow = async (file: string): Promise<Seen | undefined> => {
  const found = await Fs.stat(file).catch(() => undefined)
  if (found === undefined) return undefined
  return { size: found.size, changedAt: found.mtimeMs, fresh: Math.abs(Date.now() - found.mtimeMs) < CLOCK_TICK_MS }
}

/** By reference where the file system can, so that it takes no time and no room. */
const copyFile = (from: string, to: string): Promise<void> => Fs.copyFile(from, to, constants.COPYFILE_FICLONE)

const isWal = (file: string): boolean => dirname(file) === WAL

/** Everything, while it may change: what is copied in the middle of a write is copied again by the second pass. */
const firstPass = async (from: string, to: string): Promise<Map<string, Seen>> => {
  const seen = new Map<string, Seen>()
  for (const folder of await Fs.readdir(from, { recursive: true, withFileTypes: true })) {
    if (folder.isDirectory())
      await Fs.mkdir(join(to, join(folder.parentPath, folder.name).slice(from.length)), { recursive: true })
  }
  for (const file of await filesIn(from)) {
    if (isWal(file)) continue
    const now = await seenNow(join(from, file))
    const isCopied =
      now !== undefined &&
      (await copyFile(join(from, file), join(to, file)).then(
        () => true,
        () => false
      ))
    if (isCopied) seen.set(file, now)
  }
  return seen
}

/** What the log must have, by the names of its files. */
interface Log {
  readonly first: string
  readonly last: string
}

/** What changed since, while nothing changes; answers how many files that were. */
const secondPass = async (from: string, to: string, seen: ReadonlyMap<string, Seen>, log: Log): Promise<number> => {
  const files = await filesIn(from)
  let copied = 0
  for (const file of files) {
    const name = file.slice(WAL.length + 1)
    // The rest of the log is older, or lies there to be written over.
    if (isWal(file) && !(name >= log.first && name <= log.last)) continue
    const [before, now] = [seen.get(file), await seenNow(join(from, file))]
    if (before !== undefined && !before.fresh && before.size === now?.size && before.changedAt === now.changedAt)
      continue
    await Fs.mkdir(dirname(join(to, file)), { recursive: true })
    await copyFile(join(from, file), join(to, file))
    copied++
  }
  const there = new Set(files)
  for (const file of seen.keys()) if (!there.has(file)) await Fs.rm(join(to, file), { force: true })
  return copied
}

const readLog = onlyRowOf(Schema.Struct({ first: Schema.String, last: Schema.String }))

const notCopied = (cause: unknown) => new NotCopied({ message: `cannot copy the database: ${reasonOf(cause)}` })

const inFiles = <A>(work: () => Promise<A>): Effect.Effect<A, NotCopied> =>
  Effect.tryPromise({
    try: work,
    catch: notCopied
  })

/** A copy, and for how many milliseconds callers had to wait for it. */
export interface FolderCopy {
  /** A data folder that has nothing but the database. */
  readonly folder: string
  readonly heldMs: number
}

/** Bytes that are left free beside a copy: for what callers write meanwhile, and for what CHECKPOINT does. */
export const COPY_ROOM_BYTES = 64 * 1024 * 1024

/** Whether a disk with so many bytes free has room for a copy of so many. */
export const hasRoom = (bytes: number, free: number): boolean => free >= bytes + COPY_ROOM_BYTES

const readSize = onlyRowOf(Schema.Struct({ bytes: Schema.Int }))

/** A disk that a copy fills would stop the service, and the database gives itself up where a CHECKPOINT finds no room. */
const refuseWithoutRoom = Effect.fnUntraced(function* (sql: SqlClient, folder: string) {
  const { bytes } = yield* readSize(sql`SELECT sum(pg_database_size(oid))::bigint AS bytes FROM pg_database`)
  const { bavail, bsize } = yield* inFiles(() => Fs.statfs(folder))
  const free = bavail * bsize
  if (hasRoom(bytes, free)) return
  const needed = mebibytes(bytes + COPY_ROOM_BYTES)
  return yield* new NotCopied({
    message: `DATA_DIR: must be on a disk with ${needed} MiB free for a copy of the database, not ${mebibytes(free)} MiB`
  })
})

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

const copyInto = Effect.fnUntraced(function* (from: string, to: string) {
  const sql = yield* SqlClient
  yield* refuseWithoutRoom(sql, from)
  // What the log says is in the tables then: little of it is left to copy.
  yield* sql`CHECKPOINT`.unprepared
  const seen = yield* inFiles(() => firstPass(from, to))
  let since = 0
  const held = Effect.gen(function* () {
    since = performance.now()
    const log = yield* readLog(sql`
      SELECT redo_wal_file AS first, pg_walfile_name(pg_current_wal_insert_lsn()) AS last FROM pg_control_checkpoint()`)
    const word = Effect.forever(Effect.andThen(Effect.sleep(WORD_MS), sql`SELECT 1`))
    yield* Effect.raceFirst(
      inFiles(() => secondPass(from, to, seen, log)),
      word
    )
    // Answered only where the session was held all the time.
    yield* sql`SELECT 1`
  })
  yield* sql.withTransaction(held)
  return performance.now() - since
})

/**
 * Copies the database of a data folder, beside the service that has it or alone, once it is `ready`. The copy lies in the
 * data folder and goes with the scope; it takes as much room as the database, where the file system does not share what is
 * the same.
 */
export const copyOfFolder = Effect.fnUntraced(function* <E = never>(
  dataDir: string,
  ready: Effect.Effect<void, E, SqlClient> = Effect.void
): Effect.fn.Return<FolderCopy, E | NotCopied | Layer.Error<ReturnType<typeof layerBesideService>>, Scope.Scope> {
  if (yield* lacksDatabase(dataDir)) {
    return yield* new NotCopied({ message: `DATA_DIR: there is no database in ${dataDir}` })
  }
  yield* keepFilesPrivate
  yield* removeLeftCopies(dataDir)
  const folder = yield* Effect.mapError(ownCopyFolder(dataDir), notCopied)
  const copying = Effect.catchTag(copyInto(join(dataDir, DATABASE), join(folder, DATABASE)), "SqlError", refused)
  const heldMs = yield* Effect.provide(Effect.andThen(ready, copying), layerBesideService(dataDir))
  return { folder, heldMs }
})

const refused = (error: SqlError) =>
  new NotCopied({ message: `the service that uses DATA_DIR rejected the copy of its database: ${reasonOf(error)}` })
