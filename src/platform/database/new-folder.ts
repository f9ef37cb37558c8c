import { fork } from "node:child_process"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { DataFolderUnusable } from "./folder-lock.ts"
import { DATABASE, isUnfinished, UNFINISHED } from "./folder-modes.ts"
import { inFolder, inspectDatabase } from "./inspect-folder.ts"
import { errorCodeOf } from "./reason.ts"

/** Milliseconds in which a new database is made; it takes three seconds, and more where much else goes on. */
export const NEW_DATABASE_MS = 120_000

/** How a new database is made: by which program, and in how many milliseconds at most. */
export interface Making {
  readonly program: string
  readonly limitMs: number
}

const MAKING: Making = {
  program: fileURLToPath(new URL("./new-database.ts", import.meta.url)),
  limitMs: NEW_DATABASE_MS
}

/**
 * Returns the folder of the database in a data folder that this process has locked. Makes a database if there is none. Fails if
 * `database` is damaged. `isNew`: the result of `isNewFolder` from before the lock.
 *
 * It is made by a program of its own, because 150 MB of what that takes would stay with this process for good. And it is
 * made under another name first: a process killed in the middle of its first start would otherwise leave a folder that
 * looks like a database and is none.
 */
export const databaseFolder = (
  dataDir: string,
  isNew: boolean,
  making: Making = MAKING
): Effect.Effect<string, DataFolderUnusable> =>
  Effect.gen(function* () {
    const folder = join(dataDir, DATABASE)
    const state = yield* inspectDatabase(dataDir, isNew)
    if (state.is === "damaged") return yield* Effect.fail(state.why)
    if (state.is === "present") return folder
    yield* finishInFolder(() => removeUnfinished(dataDir))
    // Of a new name: a program whose end is not over yet, though the one who wanted it is gone, must not write into it.
    const unfinished = yield* finishInFolder(() => Fs.mkdtemp(join(dataDir, `${UNFINISHED}-`)))
    yield* made(unfinished, making)
    // An empty `database` may be a link. The new database replaces the folder that the link names.
    const place = state.is === "empty" ? yield* finishInFolder(() => Fs.realpath(folder)) : folder
    yield* Effect.mapError(
      finishInFolder(() => Fs.rename(unfinished, place)),
      explainOtherDisk
    )
    return folder
  }).pipe(Effect.mapError((cause) => new DataFolderUnusable({ dataDir, cause })))

const OTHER_DISK = `its ${DATABASE} is on another disk: start once without it, then stop the service and move the new ${DATABASE} there`

const OTHER_DISK_CODES: ReadonlySet<unknown> = new Set(["EXDEV", "EBUSY"])

const explainOtherDisk = (cause: unknown): unknown => (OTHER_DISK_CODES.has(errorCodeOf(cause)) ? OTHER_DISK : cause)

/** Runs work on the file system to its end, so that the lock is held until the work is over. */
const finishInFolder = <A>(work: () => Promise<A>): Effect.Effect<A, unknown> => Effect.uninterruptible(inFolder(work))

/** What first starts left that were killed. */
const removeUnfinished = async (dataDir: string): Promise<void> => {
  for (const name of await Fs.readdir(dataDir)) {
    if (isUnfinished(name)) await Fs.rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the program to its end; whoever is interrupted meanwhile, or has waited long enough, ends it. */
const made = (folder: string, { program, limitMs }: Making): Effect.Effect<void, Error> =>
  Effect.callback<void, Error>((resume) => {
    const child = fork(program, [folder], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
    let told: string | undefined
    child.once("message", (reason) => {
      told = String(reason)
    })
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("close", (code, signal) => {
      const reason = told ?? `the program that creates the database ended with ${signal ?? code}`
      resume(code === 0 ? Effect.void : Effect.fail(new Error(reason)))
    })
    return Effect.callback<void>((ended) => {
      child.once("close", () => ended(Effect.void))
      child.kill("SIGKILL")
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: limitMs,
      orElse: () => Effect.fail(new Error(`creating the database took longer than ${limitMs} ms`))
    })
  )
