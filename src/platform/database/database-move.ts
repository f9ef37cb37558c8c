import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Exit, Option, Schema, Scope } from "effect"
import { MOVE_FILE, MOVE_LOCK_FILE } from "./data-folder.ts"
import { DataFolderUnusable, lockFile } from "./folder-lock.ts"

// While a data folder has the file `moving`, no process writes to its embedded database. So there are never two
// writable copies, even after a crash.

/** `began` is needed because process ids are reused. */
export const ServerSession = Schema.Struct({
  pid: Schema.Int,
  /** Seconds since 1970, as PostgreSQL prints them. */
  began: Schema.String
})
export type ServerSession = typeof ServerSession.Type

const DatabaseMove = Schema.Struct({
  /**
   * `copying`: nothing is committed, and the server rolls back if the command dies. `committing`: the commit may have
   * happened.
   */
  state: Schema.Literals(["copying", "committing", "moved"]),
  /** Host and name of the server's database. */
  to: Schema.String,
  since: Schema.String,
  /** The session that commits. Older releases did not record it. */
  session: Schema.optionalKey(ServerSession)
})
export type DatabaseMove = typeof DatabaseMove.Type

const decodeMove = Schema.decodeUnknownOption(Schema.fromJsonString(DatabaseMove))

const moveFilePath = (dataDir: string): string => join(dataDir, MOVE_FILE)

const toUnusable = (dataDir: string) => (cause: unknown) => new DataFolderUnusable({ dataDir, cause })

const readIfExists = (file: string): Promise<string | undefined> =>
  Fs.readFile(file, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : Promise.reject(error)
  )

/** An unreadable file counts as the most restrictive state. */
const UNREADABLE_MOVE: DatabaseMove = { state: "committing", to: "a server", since: "some time ago" }

export const readMove = (dataDir: string): Effect.Effect<DatabaseMove | undefined, DataFolderUnusable> =>
  Effect.tryPromise({ try: () => readIfExists(moveFilePath(dataDir)), catch: toUnusable(dataDir) }).pipe(
    Effect.map((text) => (text === undefined ? undefined : Option.getOrElse(decodeMove(text), () => UNREADABLE_MOVE)))
  )

export const writeMove = (dataDir: string, move: DatabaseMove): Effect.Effect<void, DataFolderUnusable> =>
  Effect.uninterruptible(
    Effect.tryPromise({
      try: () => writeAtomically(moveFilePath(dataDir), JSON.stringify(move)),
      catch: toUnusable(dataDir)
    })
  )

const writeAtomically = async (file: string, text: string): Promise<void> => {
  const unfinished = `${file}.unfinished`
  await Fs.writeFile(unfinished, text, { mode: 0o600, flush: true })
  await Fs.rename(unfinished, file)
}

export const clearMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => Fs.rm(moveFilePath(dataDir), { force: true }), catch: toUnusable(dataDir) })
  )

class MoveInProgress extends Data.TaggedError("MoveInProgress")<{ readonly dataDir: string }> {
  override get message(): string {
    return `another command is moving ${this.dataDir}`
  }
}

/** The lock ends with the process of the command. */
export const lockMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable | MoveInProgress, Scope.Scope> =>
  Effect.flatMap(lockFile(join(dataDir, MOVE_LOCK_FILE), toUnusable(dataDir)), (isLocked) =>
    isLocked ? Effect.void : new MoveInProgress({ dataDir })
  )

/** Clears a `copying` move when its command is gone, because the server rolled it back. */
export const loadActiveMove = (dataDir: string): Effect.Effect<DatabaseMove | undefined, DataFolderUnusable> =>
  Effect.flatMap(readMove(dataDir), (move) =>
    move?.state === "copying" ? clearAbandonedMove(dataDir, move) : Effect.succeed(move)
  )

const clearAbandonedMove = Effect.fnUntraced(function* (dataDir: string, move: DatabaseMove) {
  const scope = yield* Scope.make()
  const clearIfUnlocked = Effect.gen(function* () {
    yield* Scope.provide(lockMove(dataDir), scope)
    // The command may have continued until the lock was free.
    const current = yield* readMove(dataDir)
    if (current?.state !== "copying") return current
    yield* clearMove(dataDir)
    return undefined
  })
  return yield* clearIfUnlocked.pipe(
    Effect.catchTag("MoveInProgress", () => Effect.succeed(move)),
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

export const describeNextStep = (move: DatabaseMove): string =>
  move.state === "moved"
    ? `set DATABASE_URL to that server, or undo the move with latchkey move --abort`
    : `continue with latchkey move --to URL, or undo the move with latchkey move --abort`

export const describeMove = (move: DatabaseMove): string =>
  move.state === "moved"
    ? `was moved to ${move.to} at ${move.since}`
    : `is being moved to ${move.to}, started at ${move.since}`

export class DatabaseMoved extends Data.TaggedError("DatabaseMoved")<{
  readonly dataDir: string
  readonly move: DatabaseMove
}> {
  get problem(): string {
    return `the database of ${this.dataDir} ${describeMove(this.move)}`
  }
  get advice(): string {
    return describeNextStep(this.move)
  }
  override get message(): string {
    return `DATA_DIR: ${this.problem}: ${this.advice}`
  }
}

export const failIfMoved = (dataDir: string) =>
  Effect.flatMap(loadActiveMove(dataDir), (move) =>
    move === undefined ? Effect.void : new DatabaseMoved({ dataDir, move })
  )
