import { join } from "node:path"
import { Cause, Data, DateTime, Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { bytesInDatabase } from "../../domain/guests/images/bytes-in-database.ts"
import { bytesInFolder } from "../../domain/guests/images/bytes-in-folder.ts"
import { placeOf } from "../../platform/database/address.ts"
import { Alone } from "../../platform/database/beside-service.ts"
import { IMAGES } from "../../platform/database/folder-modes.ts"
import type { Migration } from "../../platform/database/migration.ts"
import { endMove, goingOn, holdMove, type Move, moveOf, type Session, sayMove } from "../../platform/database/moving.ts"
import { layerPostgres } from "../../platform/database/postgres.ts"
import { reasonOf } from "../../platform/database/reason.ts"
import { onlyRowOf } from "../../platform/database/rows.ts"
import { somethingThere } from "./catalogue.ts"
import { digestsOf, firstDifference } from "./comparing.ts"
import { load, migrationsOf } from "./loading.ts"
import { headerOf, tellAll } from "./reading.ts"
import { ownSession, sessionOver } from "./session.ts"
import { withCopy } from "./source.ts"

// The embedded database becomes one of a server. While it is copied nobody writes to it, and the folder says so (see
// platform/database/moving.ts); what is copied is in one transaction on the server, and compared before that is committed.

/** Milliseconds a service gets until it only reads. */
export const READ_ONLY_PATIENCE_MS = 15_000
/** Milliseconds between two looks whether it does. */
const READ_ONLY_LOOK_MS = 100

export class NotMoved extends Data.TaggedError("NotMoved")<{ readonly message: string }> {}

export interface Moving {
  readonly dataDir: string
  /** A folder of images beside the data folder, which stays where it is. */
  readonly imageStore: string | undefined
  readonly to: Redacted.Redacted
  readonly latchkey: string
  readonly migrations: ReadonlyArray<Migration>
}

const readSetting = onlyRowOf(Schema.Struct({ on: Schema.Boolean }))

/** Waits until the service that has the folder only reads; where the command has it itself, nobody writes. */
const untilReadOnly = Effect.gen(function* () {
  if (yield* Alone) return
  const sql = yield* SqlClient
  const ask = readSetting(sql`SELECT current_setting('default_transaction_read_only') = 'on' AS on`)
  for (let waited = 0; waited < READ_ONLY_PATIENCE_MS; waited += READ_ONLY_LOOK_MS) {
    if ((yield* ask).on) return
    yield* Effect.sleep(READ_ONLY_LOOK_MS)
  }
  return yield* new NotMoved({
    message: "the service that uses DATA_DIR is an earlier release and cannot become read-only: stop it and move again"
  })
})

const onServer = ({ to }: Moving) => layerPostgres({ url: to, maxConnections: 1 })

/** Whether anything is on the server. */
const isEmpty = (moving: Moving) =>
  Effect.flatMap(SqlClient, somethingThere).pipe(
    Effect.map((names) => names.length === 0),
    Effect.provide(onServer(moving))
  )

const readRelease = onlyRowOf(Schema.Struct({ release: Schema.Int }))
const LEAST_RELEASE = 150_000

/** What could be in the way, before anybody is held up for it. */
const refuseEarly = Effect.fnUntraced(function* (moving: Moving) {
  const look = Effect.gen(function* () {
    const sql = yield* SqlClient
    const { release } = yield* readRelease(sql`SELECT current_setting('server_version_num')::int AS release`)
    if (release < LEAST_RELEASE) return yield* new NotMoved({ message: "--to: must be PostgreSQL 15 or newer" })
    const [there] = yield* somethingThere(sql)
    if (there === undefined) return
    return yield* new NotMoved({
      message: `--to: must be an empty database, but it has ${there.name}`
    })
  })
  yield* Effect.provide(look, onServer(moving))
})

/** Copies into the server and answers what came there; `committing` is said as the last thing before the commit. */
const copying = (moving: Moving, committing: Effect.Effect<void, Error, SqlClient>) => {
  const copied = () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { latchkey, migrations, imageStore, dataDir } = moving
      const header = yield* headerOf(sql, latchkey)
      if ((yield* migrationsOf(header, moving)).length < migrations.length) {
        return yield* new NotMoved({ message: "the database is not up to date: run latchkey migrate first" })
      }
      // Those of a folder of its own are where a process on the server finds them too.
      const images = imageStore === undefined ? bytesInFolder(join(dataDir, IMAGES)) : undefined
      const loading = Effect.flatMap(SqlClient, (server) =>
        load(
          header,
          { name: "--to", latchkey, migrations, images: bytesInDatabase(server) },
          (take) => tellAll(sql, { latchkey, images }, (piece) => ("format" in piece ? Effect.void : take(piece))),
          committing
        )
      )
      return yield* Effect.provide(loading, onServer(moving), { local: true })
    })
  return withCopy(moving.dataDir, copied, untilReadOnly)
}

/** The images of the folder are in the database of the server. */
const MORE_ON_SERVER = new Set(["image_bytes"])

/** Whether nothing is on the server, and nothing will be: what was committing there is waited for. */
const staysEmpty = Effect.fnUntraced(function* (moving: Moving, { session }: Move) {
  if (session !== undefined && !(yield* Effect.provide(sessionOver(session), onServer(moving)))) {
    return yield* new NotMoved({
      message: `--to: session ${session.pid} does not end and may still commit the copy; end it and check the database`
    })
  }
  return yield* isEmpty(moving)
})

/** What a command left that was killed while it committed: whole, or nothing. Answers whether it is whole. */
const alreadyThere = Effect.fnUntraced(function* (moving: Moving, before: Move) {
  if (yield* staysEmpty(moving, before)) return false
  const there = yield* Effect.provide(Effect.flatMap(SqlClient, digestsOf), onServer(moving))
  const compared = () =>
    Effect.flatMap(SqlClient, (sql) =>
      Effect.map(digestsOf(sql), (here) => firstDifference(here, there, MORE_ON_SERVER))
    )
  const different = yield* withCopy(moving.dataDir, compared, untilReadOnly)
  if (different === undefined) return true
  return yield* new NotMoved({
    message: `--to: must be empty or hold the copy, but ${different} differs; drop the database, or undo the move with latchkey move --abort`
  })
})

/** A move that failed leaves the folder as it was, unless it cannot be told whether it was committed. */
const takenBack = Effect.fnUntraced(function* (moving: Moving) {
  const move = yield* moveOf(moving.dataDir)
  const nothingThere = move?.state === "copying" || (move?.state === "committing" && (yield* staysEmpty(moving, move)))
  if (nothingThere) yield* endMove(moving.dataDir)
})

/** What of it cannot be told is said beside why it failed: the line of a lost connection alone sounds like nothing done. */
const toldOpen = Effect.fnUntraced(function* <E>({ dataDir }: Moving, cause: Cause.Cause<E>) {
  const left = yield* moveOf(dataDir)
  if (left?.state !== "committing") return yield* Effect.failCause(cause)
  return yield* new NotMoved({
    message: `the connection ended during the commit (${reasonOf(Cause.squash(cause))}), so the copy may be on the server. Check ${left.to}. The service stays read-only until you ${goingOn(left)}`
  })
})

/** What came of a move. */
export interface MovedTo {
  readonly to: string
  readonly tables: number
  readonly rows: number
  readonly images: number
  readonly images_missing: number
  /** Whether an earlier command had done it all but for the last word. */
  readonly finished: boolean
}

/**
 * Moves the embedded database to an empty one of a server. From the first word in the folder until the move is taken back
 * nobody writes to the embedded one.
 */
export const move = Effect.fnUntraced(function* (moving: Moving) {
  const { dataDir } = moving
  yield* holdMove(dataDir)
  const to = placeOf(moving.to)
  const before = yield* moveOf(dataDir)
  if (before?.state === "moved") {
    return yield* new NotMoved({
      message: `DATA_DIR: was already moved to ${before.to}; undo the move with latchkey move --abort`
    })
  }
  const since = DateTime.formatIso(yield* DateTime.now)
  const say = (state: Move["state"], session?: Session) =>
    sayMove(dataDir, { state, to, since, ...(session === undefined ? {} : { session }) })
  if (before?.state === "committing" && (yield* alreadyThere(moving, before))) {
    yield* say("moved")
    return { to, tables: 0, rows: 0, images: 0, images_missing: 0, finished: true }
  }
  yield* refuseEarly(moving)
  const moved = Effect.gen(function* () {
    yield* say("copying")
    const committing = Effect.flatMap(ownSession, (session) => say("committing", session))
    const { tables, rows, images, images_missing } = yield* copying(moving, committing)
    yield* say("moved")
    const result: MovedTo = { to, tables, rows, images, images_missing, finished: false }
    return result
  })
  const undone = Effect.onError(moved, () => Effect.ignore(takenBack(moving), { log: "Warn" }))
  return yield* Effect.catchCause(undone, (cause) => toldOpen(moving, cause))
}, Effect.scoped)

/** Takes a move back: the embedded database is written to again. Answers what there was to take back. */
export const takeMoveBack = Effect.fnUntraced(function* (dataDir: string) {
  yield* holdMove(dataDir)
  const before = yield* moveOf(dataDir)
  if (before === undefined) return yield* new NotMoved({ message: `DATA_DIR: ${dataDir} is not being moved` })
  yield* endMove(dataDir)
  return before
}, Effect.scoped)
