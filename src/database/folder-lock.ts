import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Data, Effect, type Scope } from "effect"

/** Another process works in the data folder. `pid` is that process, as far as it could be found out. */
export class DataFolderTaken extends Data.TaggedError("DataFolderTaken")<{
  readonly dataDir: string
  readonly pid: number | undefined
}> {
  override get message(): string {
    const owner = this.pid === undefined ? "another process" : `process ${this.pid}`
    return `the data folder ${this.dataDir} is in use by ${owner}: it belongs to one process at a time`
  }
}

/**
 * Takes the data folder (made when missing) for this process until the scope closes.
 *
 * The lock is the kernel's, on a file that SQLite opens exclusively, and so it is gone the moment its process is,
 * however it ended. A file with a process number alone could not tell a dead owner from an unrelated process that has
 * been given the same number, which in a container is the usual case. The number beside it is for the message only.
 */
export const holdDataFolder = (dataDir: string): Effect.Effect<void, DataFolderTaken, Scope.Scope> =>
  Effect.acquireRelease(takeLock(dataDir), (lock) => Effect.sync(() => lock.close())).pipe(
    Effect.andThen(Effect.promise(() => Fs.writeFile(ownerFile(dataDir), String(process.pid))))
  )

const ownerFile = (dataDir: string): string => join(dataDir, "owner")

const takeLock = Effect.fnUntraced(function* (dataDir: string) {
  yield* Effect.promise(() => Fs.mkdir(dataDir, { recursive: true, mode: 0o700 }))
  const lock = new DatabaseSync(join(dataDir, "lock"), { timeout: 0 })
  return yield* Effect.try({
    try: () => {
      lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      return lock
    },
    catch: (cause) => cause
  }).pipe(
    Effect.tapError(() => Effect.sync(() => lock.close())),
    Effect.catchIf(
      isBusy,
      () => Effect.flatMap(ownerOf(dataDir), (pid) => new DataFolderTaken({ dataDir, pid })),
      Effect.die
    )
  )
})

const SQLITE_BUSY = 5

const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errcode" in cause && cause.errcode === SQLITE_BUSY

const ownerOf = (dataDir: string): Effect.Effect<number | undefined> =>
  Effect.promise(() => Fs.readFile(ownerFile(dataDir), "utf8").catch(() => "")).pipe(
    Effect.map((text) => (/^\d+$/.test(text) ? Number(text) : undefined))
  )
