import * as Fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Data, Effect, type Scope } from "effect"
import { keepFilesPrivate } from "./data-folder.ts"
import { errorCodeOf } from "./error-reason.ts"
import { clearOwner, type FolderOwnerKind, findOwnerWithoutLock, readOwner, writeOwner } from "./folder-owner.ts"

export class DataFolderTaken extends Data.TaggedError("DataFolderTaken")<{
  readonly dataDir: string
  readonly pid: number | undefined
  readonly ownerKind: FolderOwnerKind | undefined
}> {
  override get message(): string {
    const owner = this.pid === undefined ? "another process" : `process ${this.pid}`
    return `the data folder ${this.dataDir} is in use by ${owner}; only one process can use it`
  }
}

export class DataFolderUnusable extends Data.TaggedError("DataFolderUnusable")<{
  readonly dataDir: string
  readonly cause: unknown
}> {
  override get message(): string {
    const reason = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `the data folder ${this.dataDir} cannot be used: ${reason}`
  }
}

/**
 * Creates the folder if it is missing.
 *
 * SQLite's exclusive lock on a file ends with its process. If somebody deletes this file, another process can lock a
 * new one while the owner still runs. So a folder with signs of a running owner is rejected too.
 */
export const lockDataFolder = (
  dataDir: string,
  ownerKind: FolderOwnerKind
): Effect.Effect<void, DataFolderTaken | DataFolderUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const toUnusable = (cause: unknown) => new DataFolderUnusable({ dataDir, cause })
    yield* keepFilesPrivate
    yield* Effect.tryPromise({ try: () => makeFolder(resolve(dataDir)), catch: toUnusable })
    if (!(yield* lockFile(join(dataDir, "lock"), toUnusable))) {
      return yield* Effect.flatMap(readOwner(dataDir), (owner) => new DataFolderTaken({ dataDir, ...owner }))
    }
    const owner = yield* findOwnerWithoutLock(dataDir)
    if (owner !== undefined) return yield* new DataFolderTaken({ dataDir, ...owner })
    yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => writeOwner(dataDir, ownerKind), catch: toUnusable }),
      // The owner file is emptied before the lock is free, so that it never names the wrong process.
      () => Effect.promise(() => clearOwner(dataDir))
    )
  })

/** Returns false if another process holds the lock. */
export const lockFile = <E>(file: string, toError: (cause: unknown) => E): Effect.Effect<boolean, E, Scope.Scope> =>
  Effect.gen(function* () {
    const lock = yield* Effect.acquireRelease(
      Effect.try({ try: () => new DatabaseSync(file, { timeout: 0 }), catch: toError }),
      (database) => Effect.sync(() => database.close())
    )
    return yield* Effect.try({
      try: () => lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"),
      catch: (cause) => cause
    }).pipe(
      Effect.as(true),
      Effect.catch((cause) => (isBusy(cause) ? Effect.succeed(false) : Effect.fail(toError(cause))))
    )
  })

/**
 * Creates the parent folders one by one. A recursive `mkdir` never returns where the kernel creates no folders, such as
 * below `/proc`.
 */
const makeFolder = async (folder: string): Promise<void> => {
  const make = () => Fs.mkdir(folder, { mode: 0o700 })
  const code = await make().then(() => "", errorCodeOf)
  if (code === "" || (code === "EEXIST" && (await Fs.stat(folder)).isDirectory())) return
  if (code === "ENOENT") await makeFolder(dirname(folder))
  // Repeats `mkdir` for the final error. Another process may have created the folder in the meantime.
  await make().catch((cause) =>
    code === "ENOENT" && errorCodeOf(cause) === "EEXIST" ? undefined : Promise.reject(cause)
  )
}

const SQLITE_BUSY = 5

const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errcode" in cause && cause.errcode === SQLITE_BUSY
