import { fork } from "node:child_process"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { DATABASE_FOLDER, isUnfinishedDatabase, UNFINISHED_PREFIX } from "./data-folder.ts"
import { inspectDatabase, tryFolderWork } from "./database-state.ts"
import { errorCodeOf } from "./error-reason.ts"
import { DataFolderUnusable } from "./folder-lock.ts"

/** Milliseconds in which a new database is made; it takes three seconds, and more where much else goes on. */
const CREATION_TIMEOUT_MS = 120_000

/** How a new database is made: by which program, and in how many milliseconds at most. */
interface CreationOptions {
  readonly program: string
  readonly timeoutMs: number
}

const DEFAULT_CREATION: CreationOptions = {
  program: fileURLToPath(new URL("./new-database.ts", import.meta.url)),
  timeoutMs: CREATION_TIMEOUT_MS
}

/**
 * Returns the folder of the database in a data folder that this process has locked. Makes a database if there is none. Fails if
 * `database` is damaged. `isNew`: the result of `isNewFolder` from before the lock.
 *
 * It is made by a program of its own, because 150 MB of what that takes would stay with this process for good. And it is
 * made under another name first: a process killed in the middle of its first start would otherwise leave a folder that
 * looks like a database and is none.
 */
export const prepareDatabaseFolder = (
  dataDir: string,
  isNew: boolean,
  creation: CreationOptions = DEFAULT_CREATION
): Effect.Effect<string, DataFolderUnusable> =>
  Effect.gen(function* () {
    const folder = join(dataDir, DATABASE_FOLDER)
    const state = yield* inspectDatabase(dataDir, isNew)
    if (state.kind === "damaged") return yield* Effect.fail(state.reason)
    if (state.kind === "present") return folder
    yield* runUninterruptibly(() => removeUnfinished(dataDir))
    // Of a new name: a program whose end is not over yet, though the one who wanted it is gone, must not write into it.
    const unfinished = yield* runUninterruptibly(() => Fs.mkdtemp(join(dataDir, `${UNFINISHED_PREFIX}-`)))
    yield* createDatabase(unfinished, creation)
    // An empty `database` may be a link. The new database replaces the folder that the link names.
    const target = state.kind === "empty" ? yield* runUninterruptibly(() => Fs.realpath(folder)) : folder
    yield* Effect.mapError(
      runUninterruptibly(() => Fs.rename(unfinished, target)),
      explainOtherDisk
    )
    return folder
  }).pipe(Effect.mapError((cause) => new DataFolderUnusable({ dataDir, cause })))

const OTHER_DISK = `its ${DATABASE_FOLDER} is on another disk: start once without it, then stop the service and move the new ${DATABASE_FOLDER} there`

const OTHER_DISK_CODES: ReadonlySet<unknown> = new Set(["EXDEV", "EBUSY"])

const explainOtherDisk = (cause: unknown): unknown => (OTHER_DISK_CODES.has(errorCodeOf(cause)) ? OTHER_DISK : cause)

/** Runs work on the file system to its end, so that the lock is held until the work is over. */
const runUninterruptibly = <A>(work: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.uninterruptible(tryFolderWork(work))

/** What first starts left that were killed. */
const removeUnfinished = async (dataDir: string): Promise<void> => {
  for (const name of await Fs.readdir(dataDir)) {
    if (isUnfinishedDatabase(name)) await Fs.rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the program to its end; whoever is interrupted meanwhile, or has waited long enough, ends it. */
const createDatabase = (folder: string, { program, timeoutMs }: CreationOptions): Effect.Effect<void, Error> =>
  Effect.callback<void, Error>((resume) => {
    const child = fork(program, [folder], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
    let reportedReason: string | undefined
    child.once("message", (reason) => {
      reportedReason = String(reason)
    })
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("close", (code, signal) => {
      const reason = reportedReason ?? `the program that creates the database ended with ${signal ?? code}`
      resume(code === 0 ? Effect.void : Effect.fail(new Error(reason)))
    })
    return Effect.callback<void>((resumeKilled) => {
      child.once("close", () => resumeKilled(Effect.void))
      child.kill("SIGKILL")
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.fail(new Error(`creating the database took longer than ${timeoutMs} ms`))
    })
  )
