import * as Fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Data, Effect, type Scope } from "effect"
import { keepFilesPrivate } from "./data-folder.ts"
import { errorCodeOf } from "./error-reason.ts"
import { clearOwner, type FolderOwnerKind, findOwnerWithoutLock, readOwner, writeOwner } from "./folder-owner.ts"

/** Another process works in the data folder: `pid`, `ownerKind`, as far as that could be found out. */
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

/** The data folder is not there and cannot be made, or cannot be written to. */
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
 * Takes the data folder (made when missing) for this process until the scope closes.
 *
 * The lock is the kernel's, on a file that SQLite opens exclusively, and so it is gone the moment its process is,
 * however it ended. A file with a process number alone could not tell a dead owner from an unrelated process that has
 * been given the same number, which in a container is the usual case. The file beside it is for the message, and for
 * those who wait for a command only.
 *
 * If somebody deletes the lock file, the lock is free although its owner still runs. So this function also rejects the folder while
 * the recorded owner has files in it open, or a service listens on its control socket.
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
      // Emptied before the lock is free: the next one must not be taken for this one until it has written itself.
      () => Effect.promise(() => clearOwner(dataDir))
    )
  })

/** Takes a file's lock until the scope closes; answers whether it was free. */
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

/** Like a recursive `mkdir`, which never returns where the kernel makes no folders, such as below `/proc`. */
const makeFolder = async (folder: string): Promise<void> => {
  const make = () => Fs.mkdir(folder, { mode: 0o700 })
  const code = await make().then(() => "", errorCodeOf)
  if (code === "" || (code === "EEXIST" && (await Fs.stat(folder)).isDirectory())) return
  if (code === "ENOENT") await makeFolder(dirname(folder))
  // Once more, for the error it fails with; between the two another process may have made it.
  await make().catch((cause) =>
    code === "ENOENT" && errorCodeOf(cause) === "EEXIST" ? undefined : Promise.reject(cause)
  )
}

const SQLITE_BUSY = 5

const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errcode" in cause && cause.errcode === SQLITE_BUSY
