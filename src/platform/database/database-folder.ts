import { fork } from "node:child_process"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { DATABASE_FOLDER, isUnfinishedDatabase, UNFINISHED_PREFIX } from "./data-folder.ts"
import { inspectDatabase, tryFolderWork } from "./database-state.ts"
import { errorCodeOf } from "./error-reason.ts"
import { DataFolderUnusable } from "./folder-lock.ts"

const CREATION_TIMEOUT_MS = 120_000

interface CreationOptions {
  readonly program: string
  readonly timeoutMs: number
}

const DEFAULT_CREATION: CreationOptions = {
  program: fileURLToPath(new URL("./new-database.ts", import.meta.url)),
  timeoutMs: CREATION_TIMEOUT_MS
}

/**
 * Returns the database folder of a locked data folder and creates a database if there is none. `isNew` is the result of
 * `isNewFolder` before the folder was locked.
 *
 * A separate program creates the database, because this process would not give the memory back. The database has a
 * temporary name until it is complete, so that a killed start leaves no incomplete `database`.
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
    // A new name, because the program of an earlier start may still be writing.
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

/** Runs file-system work to its end, so that the lock is held until then. */
const runUninterruptibly = <A>(work: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.uninterruptible(tryFolderWork(work))

const removeUnfinished = async (dataDir: string): Promise<void> => {
  for (const name of await Fs.readdir(dataDir)) {
    if (isUnfinishedDatabase(name)) await Fs.rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

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
