import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Exit, Option, Schema, Scope } from "effect"
import { MOVE_FILE, MOVE_LOCK_FILE } from "./data-folder.ts"
import { DataFolderUnusable, lockFile } from "./folder-lock.ts"

// A data folder whose database is moved to a server says so in a file: while that is there, nobody writes to the database.
// So there are never two that are written to, whoever is killed when.

/** A session of a server, until it ends: a process number alone is given to others afterwards. */
export const ServerSession = Schema.Struct({
  pid: Schema.Int,
  /** When it began, in seconds since 1970, as the server writes them. */
  began: Schema.String
})
export type ServerSession = typeof ServerSession.Type

/** How far the move has come. */
const DatabaseMove = Schema.Struct({
  /**
   * `copying`: nothing of it is on the server yet, and nothing will be once the command that does it is gone. `committing`:
   * it may be there, or not. `moved`: it is.
   */
  state: Schema.Literals(["copying", "committing", "moved"]),
  /** Host and name of the server's database. */
  to: Schema.String,
  since: Schema.String,
  /** What commits, while that is the state. Releases before this one did not say it. */
  session: Schema.optionalKey(ServerSession)
})
export type DatabaseMove = typeof DatabaseMove.Type

const decodeMove = Schema.decodeUnknownOption(Schema.fromJsonString(DatabaseMove))

const moveFilePath = (dataDir: string): string => join(dataDir, MOVE_FILE)

const toUnusable = (dataDir: string) => (cause: unknown) => new DataFolderUnusable({ dataDir, cause })

/** Undefined where there is none, or no folder yet. */
const readIfExists = (file: string): Promise<string | undefined> =>
  Fs.readFile(file, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : Promise.reject(error)
  )

/** One that cannot be read is taken for the most careful. */
const UNREADABLE_MOVE: DatabaseMove = { state: "committing", to: "a server", since: "some time ago" }

/** What the data folder says of a move; undefined: there is none. */
export const readMove = (dataDir: string): Effect.Effect<DatabaseMove | undefined, DataFolderUnusable> =>
  Effect.tryPromise({ try: () => readIfExists(moveFilePath(dataDir)), catch: toUnusable(dataDir) }).pipe(
    Effect.map((text) => (text === undefined ? undefined : Option.getOrElse(decodeMove(text), () => UNREADABLE_MOVE)))
  )

/** Says how far it has come, whole or not at all. */
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

/** Takes back what was said. */
export const clearMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => Fs.rm(moveFilePath(dataDir), { force: true }), catch: toUnusable(dataDir) })
  )

/** Another command moves this data folder. */
class MoveInProgress extends Data.TaggedError("MoveInProgress")<{ readonly dataDir: string }> {
  override get message(): string {
    return `another command is moving ${this.dataDir}`
  }
}

/** Only one command at a time moves a data folder, or takes that back; the lock goes with its process. */
export const lockMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable | MoveInProgress, Scope.Scope> =>
  Effect.flatMap(lockFile(join(dataDir, MOVE_LOCK_FILE), toUnusable(dataDir)), (isLocked) =>
    isLocked ? Effect.void : new MoveInProgress({ dataDir })
  )

/**
 * What still stands of a move: one that had not come to its commit is over when the command that did it is gone, since a
 * server undoes what was not committed. Then it is taken back.
 */
export const loadActiveMove = (dataDir: string): Effect.Effect<DatabaseMove | undefined, DataFolderUnusable> =>
  Effect.flatMap(readMove(dataDir), (move) =>
    move?.state === "copying" ? clearAbandonedMove(dataDir, move) : Effect.succeed(move)
  )

const clearAbandonedMove = Effect.fnUntraced(function* (dataDir: string, move: DatabaseMove) {
  const scope = yield* Scope.make()
  const clearIfUnlocked = Effect.gen(function* () {
    yield* Scope.provide(lockMove(dataDir), scope)
    // It may have gone on until the lock was free.
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

/** What to do about it, to follow what is the matter. */
export const describeNextStep = (move: DatabaseMove): string =>
  move.state === "moved"
    ? `set DATABASE_URL to that server, or undo the move with latchkey move --abort`
    : `continue with latchkey move --to URL, or undo the move with latchkey move --abort`

export const describeMove = (move: DatabaseMove): string =>
  move.state === "moved"
    ? `was moved to ${move.to} at ${move.since}`
    : `is being moved to ${move.to}, started at ${move.since}`

/** The service does not start on a data folder that is moved. */
export class DatabaseMoved extends Data.TaggedError("DatabaseMoved")<{
  readonly dataDir: string
  readonly move: DatabaseMove
}> {
  /** What is the matter, and what to do about it. */
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

/** Fails where a move stands: what were written here would be missing there. */
export const failIfMoved = (dataDir: string) =>
  Effect.flatMap(loadActiveMove(dataDir), (move) =>
    move === undefined ? Effect.void : new DatabaseMoved({ dataDir, move })
  )
