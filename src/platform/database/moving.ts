import * as Fs from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Exit, Option, Schema, Scope } from "effect"
import { DataFolderUnusable, holdFile } from "./folder-lock.ts"
import { MOVING, MOVING_LOCK } from "./folder-modes.ts"

// A data folder whose database is moved to a server says so in a file: while that is there, nobody writes to the database.
// So there are never two that are written to, whoever is killed when.

/** A session of a server, until it ends: a process number alone is given to others afterwards. */
export const Session = Schema.Struct({
  pid: Schema.Int,
  /** When it began, in seconds since 1970, as the server writes them. */
  began: Schema.String
})
export type Session = typeof Session.Type

/** How far the move has come. */
const Move = Schema.Struct({
  /**
   * `copying`: nothing of it is on the server yet, and nothing will be once the command that does it is gone. `committing`:
   * it may be there, or not. `moved`: it is.
   */
  state: Schema.Literals(["copying", "committing", "moved"]),
  /** Host and name of the server's database. */
  to: Schema.String,
  since: Schema.String,
  /** What commits, while that is the state. Releases before this one did not say it. */
  session: Schema.optionalKey(Session)
})
export type Move = typeof Move.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Move))

const fileOf = (dataDir: string): string => join(dataDir, MOVING)

const unusable = (dataDir: string) => (cause: unknown) => new DataFolderUnusable({ dataDir, cause })

/** Undefined where there is none, or no folder yet. */
const textOf = (file: string): Promise<string | undefined> =>
  Fs.readFile(file, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : Promise.reject(error)
  )

/** One that cannot be read is taken for the most careful. */
const UNKNOWN: Move = { state: "committing", to: "a server", since: "some time ago" }

/** What the data folder says of a move; undefined: there is none. */
export const moveOf = (dataDir: string): Effect.Effect<Move | undefined, DataFolderUnusable> =>
  Effect.tryPromise({ try: () => textOf(fileOf(dataDir)), catch: unusable(dataDir) }).pipe(
    Effect.map((text) => (text === undefined ? undefined : Option.getOrElse(decode(text), () => UNKNOWN)))
  )

/** Says how far it has come, whole or not at all. */
export const sayMove = (dataDir: string, move: Move): Effect.Effect<void, DataFolderUnusable> =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => written(fileOf(dataDir), JSON.stringify(move)), catch: unusable(dataDir) })
  )

const written = async (file: string, text: string): Promise<void> => {
  const unfinished = `${file}.unfinished`
  await Fs.writeFile(unfinished, text, { mode: 0o600, flush: true })
  await Fs.rename(unfinished, file)
}

/** Takes back what was said. */
export const endMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => Fs.rm(fileOf(dataDir), { force: true }), catch: unusable(dataDir) })
  )

/** Another command moves this data folder. */
export class MoveUnderWay extends Data.TaggedError("MoveUnderWay")<{ readonly dataDir: string }> {
  override get message(): string {
    return `another command is moving ${this.dataDir}`
  }
}

/** Only one command at a time moves a data folder, or takes that back; the lock goes with its process. */
export const holdMove = (dataDir: string): Effect.Effect<void, DataFolderUnusable | MoveUnderWay, Scope.Scope> =>
  Effect.flatMap(holdFile(join(dataDir, MOVING_LOCK), unusable(dataDir)), (held) =>
    held ? Effect.void : new MoveUnderWay({ dataDir })
  )

/**
 * What still stands of a move: one that had not come to its commit is over when the command that did it is gone, since a
 * server undoes what was not committed. Then it is taken back.
 */
export const standingMove = (dataDir: string): Effect.Effect<Move | undefined, DataFolderUnusable> =>
  Effect.flatMap(moveOf(dataDir), (move) => (move?.state === "copying" ? healed(dataDir, move) : Effect.succeed(move)))

const healed = Effect.fnUntraced(function* (dataDir: string, move: Move) {
  const scope = yield* Scope.make()
  const taken = Effect.gen(function* () {
    yield* Scope.provide(holdMove(dataDir), scope)
    // It may have gone on until the lock was free.
    const now = yield* moveOf(dataDir)
    if (now?.state !== "copying") return now
    yield* endMove(dataDir)
    return undefined
  })
  return yield* taken.pipe(
    Effect.catchTag("MoveUnderWay", () => Effect.succeed(move)),
    Effect.ensuring(Scope.close(scope, Exit.void))
  )
})

/** What to do about it, to follow what is the matter. */
export const goingOn = (move: Move): string =>
  move.state === "moved"
    ? `set DATABASE_URL to that server, or undo the move with latchkey move --abort`
    : `continue with latchkey move --to URL, or undo the move with latchkey move --abort`

export const whereTo = (move: Move): string =>
  move.state === "moved"
    ? `was moved to ${move.to} at ${move.since}`
    : `is being moved to ${move.to}, started at ${move.since}`

/** The service does not start on a data folder that is moved. */
export class Moved extends Data.TaggedError("Moved")<{ readonly dataDir: string; readonly move: Move }> {
  /** What is the matter, and what to do about it. */
  get matter(): string {
    return `the database of ${this.dataDir} ${whereTo(this.move)}`
  }
  get advice(): string {
    return goingOn(this.move)
  }
  override get message(): string {
    return `DATA_DIR: ${this.matter}: ${this.advice}`
  }
}

/** Fails where a move stands: what were written here would be missing there. */
export const refuseIfMoved = (dataDir: string) =>
  Effect.flatMap(standingMove(dataDir), (move) => (move === undefined ? Effect.void : new Moved({ dataDir, move })))
