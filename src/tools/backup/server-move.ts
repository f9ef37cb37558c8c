import { join } from "node:path"
import { Cause, Data, DateTime, Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeDatabaseByteStorage } from "../../domain/guests/images/database-byte-storage.ts"
import { makeFolderByteStorage } from "../../domain/guests/images/folder-byte-storage.ts"
import { OwnsDataFolder } from "../../platform/database/command-embedded.ts"
import { IMAGES_FOLDER } from "../../platform/database/data-folder.ts"
import {
  clearMove,
  type DatabaseMove,
  describeNextStep,
  lockMove,
  readMove,
  type ServerSession,
  writeMove
} from "../../platform/database/database-move.ts"
import { describeDatabaseUrl } from "../../platform/database/database-url.ts"
import { toReason } from "../../platform/database/error-reason.ts"
import type { Migration } from "../../platform/database/migration.ts"
import { layerPostgres } from "../../platform/database/postgres.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { loadBackup, resolveMigrations } from "./backup-loader.ts"
import { findFirstRelation } from "./database-catalog.ts"
import { exportDatabase, loadBackupHeader } from "./database-export.ts"
import { withDatabaseCopy } from "./installation-database.ts"
import { awaitSessionEnd, loadOwnSession } from "./server-session.ts"
import { findFirstDifference, loadTableDigests } from "./table-comparison.ts"

// Moves the embedded database to a PostgreSQL server in one transaction. From the start until an abort, no process
// writes to the embedded database, because all read the state of the move (platform/database/database-move.ts).

const READ_ONLY_WAIT_MS = 15_000
const READ_ONLY_POLL_MS = 100

export class MoveFailed extends Data.TaggedError("MoveFailed")<{ readonly message: string }> {}

interface MoveRequest {
  readonly dataDir: string
  readonly imageStore: string | undefined
  readonly targetUrl: Redacted.Redacted
  readonly latchkey: string
  readonly migrations: ReadonlyArray<Migration>
}

const readSetting = makeSingleRowReader(Schema.Struct({ on: Schema.Boolean }))

/** Waits until the service is read-only. If this command owns the folder, no service uses it. */
const awaitReadOnly = Effect.gen(function* () {
  if (yield* OwnsDataFolder) return
  const sql = yield* SqlClient
  const loadIsReadOnly = readSetting(sql`SELECT current_setting('default_transaction_read_only') = 'on' AS on`)
  for (let waitedMs = 0; waitedMs < READ_ONLY_WAIT_MS; waitedMs += READ_ONLY_POLL_MS) {
    if ((yield* loadIsReadOnly).on) return
    yield* Effect.sleep(READ_ONLY_POLL_MS)
  }
  return yield* new MoveFailed({
    message: "the service that uses DATA_DIR is an earlier release and cannot become read-only: stop it and move again"
  })
})

const layerTargetServer = ({ targetUrl }: MoveRequest) => layerPostgres({ url: targetUrl, maxConnections: 1 })

const isServerEmpty = (request: MoveRequest) =>
  Effect.flatMap(SqlClient, findFirstRelation).pipe(
    Effect.map((names) => names.length === 0),
    Effect.provide(layerTargetServer(request))
  )

const readRelease = makeSingleRowReader(Schema.Struct({ release: Schema.Int }))
const MIN_VERSION_NUMBER = 150_000

const checkTarget = Effect.fnUntraced(function* (request: MoveRequest) {
  const check = Effect.gen(function* () {
    const sql = yield* SqlClient
    const { release } = yield* readRelease(sql`SELECT current_setting('server_version_num')::int AS release`)
    if (release < MIN_VERSION_NUMBER) return yield* new MoveFailed({ message: "--to: must be PostgreSQL 15 or newer" })
    const [existing] = yield* findFirstRelation(sql)
    if (existing === undefined) return
    return yield* new MoveFailed({
      message: `--to: must be an empty database, but it has ${existing.name}`
    })
  })
  yield* Effect.provide(check, layerTargetServer(request))
})

const copyToServer = (request: MoveRequest, beforeCommit: Effect.Effect<void, Error, SqlClient>) => {
  const loadCopy = () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { latchkey, migrations, imageStore, dataDir } = request
      const header = yield* loadBackupHeader(sql, latchkey)
      if ((yield* resolveMigrations(header, request)).length < migrations.length) {
        return yield* new MoveFailed({ message: "the database is not up to date: run latchkey migrate first" })
      }
      // Processes that use the server can still read a separate image folder.
      const images = imageStore === undefined ? makeFolderByteStorage(join(dataDir, IMAGES_FOLDER)) : undefined
      const loadIntoServer = Effect.flatMap(SqlClient, (server) =>
        loadBackup(
          header,
          { name: "--to", latchkey, migrations, images: makeDatabaseByteStorage(server) },
          (loadPiece) =>
            exportDatabase(sql, { latchkey, images }, (piece) => ("format" in piece ? Effect.void : loadPiece(piece))),
          beforeCommit
        )
      )
      return yield* Effect.provide(loadIntoServer, layerTargetServer(request), { local: true })
    })
  return withDatabaseCopy(request.dataDir, loadCopy, awaitReadOnly)
}

/** Tables that only the server fills: it stores the images of the data folder. */
const SERVER_ONLY_TABLES = new Set(["image_bytes"])

/** Waits for the session of an earlier command, which may still commit. */
const isEmptyAfterSessionEnd = Effect.fnUntraced(function* (request: MoveRequest, { session }: DatabaseMove) {
  if (session !== undefined && !(yield* Effect.provide(awaitSessionEnd(session), layerTargetServer(request)))) {
    return yield* new MoveFailed({
      message: `--to: session ${session.pid} does not end and may still commit the copy; end it and check the database`
    })
  }
  return yield* isServerEmpty(request)
})

/** The server has the complete copy or nothing, because the copy is one transaction. */
const isAlreadyCopied = Effect.fnUntraced(function* (request: MoveRequest, earlierMove: DatabaseMove) {
  if (yield* isEmptyAfterSessionEnd(request, earlierMove)) return false
  const serverDigests = yield* Effect.provide(Effect.flatMap(SqlClient, loadTableDigests), layerTargetServer(request))
  const compareCopy = () =>
    Effect.flatMap(SqlClient, (sql) =>
      Effect.map(loadTableDigests(sql), (copyDigests) =>
        findFirstDifference(copyDigests, serverDigests, SERVER_ONLY_TABLES)
      )
    )
  const differentTable = yield* withDatabaseCopy(request.dataDir, compareCopy, awaitReadOnly)
  if (differentTable === undefined) return true
  return yield* new MoveFailed({
    message: `--to: must be empty or hold the copy, but ${differentTable} differs; drop the database, or undo the move with latchkey move --abort`
  })
})

/** Clears the record of a failed move, unless the copy may have been committed. */
const undoFailedMove = Effect.fnUntraced(function* (request: MoveRequest) {
  const move = yield* readMove(request.dataDir)
  const isServerUntouched =
    move?.state === "copying" || (move?.state === "committing" && (yield* isEmptyAfterSessionEnd(request, move)))
  if (isServerUntouched) yield* clearMove(request.dataDir)
})

const explainUncertainMove = Effect.fnUntraced(function* <E>({ dataDir }: MoveRequest, cause: Cause.Cause<E>) {
  const unfinishedMove = yield* readMove(dataDir)
  if (unfinishedMove?.state !== "committing") return yield* Effect.failCause(cause)
  return yield* new MoveFailed({
    message: `the connection ended during the commit (${toReason(Cause.squash(cause))}), so the copy may be on the server. Check ${unfinishedMove.to}. The service stays read-only until you ${describeNextStep(unfinishedMove)}`
  })
})

interface MoveResult {
  readonly to: string
  readonly tables: number
  readonly rows: number
  readonly images: number
  readonly images_missing: number
  /** True if an earlier command had already copied everything. */
  readonly finished: boolean
}

export const moveToServer = Effect.fnUntraced(function* (request: MoveRequest) {
  const { dataDir } = request
  yield* lockMove(dataDir)
  const to = describeDatabaseUrl(request.targetUrl)
  const earlierMove = yield* readMove(dataDir)
  if (earlierMove?.state === "moved") {
    return yield* new MoveFailed({
      message: `DATA_DIR: was already moved to ${earlierMove.to}; undo the move with latchkey move --abort`
    })
  }
  const since = DateTime.formatIso(yield* DateTime.now)
  const recordState = (state: DatabaseMove["state"], session?: ServerSession) =>
    writeMove(dataDir, { state, to, since, ...(session === undefined ? {} : { session }) })
  if (earlierMove?.state === "committing" && (yield* isAlreadyCopied(request, earlierMove))) {
    yield* recordState("moved")
    return { to, tables: 0, rows: 0, images: 0, images_missing: 0, finished: true }
  }
  yield* checkTarget(request)
  const runMove = Effect.gen(function* () {
    yield* recordState("copying")
    const beforeCommit = Effect.flatMap(loadOwnSession, (session) => recordState("committing", session))
    const { tables, rows, images, images_missing } = yield* copyToServer(request, beforeCommit)
    yield* recordState("moved")
    const result: MoveResult = { to, tables, rows, images, images_missing, finished: false }
    return result
  })
  const runOrUndo = Effect.onError(runMove, () => Effect.ignore(undoFailedMove(request), { log: "Warn" }))
  return yield* Effect.catchCause(runOrUndo, (cause) => explainUncertainMove(request, cause))
}, Effect.scoped)

/** Makes the embedded database writable again. */
export const abortMove = Effect.fnUntraced(function* (dataDir: string) {
  yield* lockMove(dataDir)
  const activeMove = yield* readMove(dataDir)
  if (activeMove === undefined) return yield* new MoveFailed({ message: `DATA_DIR: ${dataDir} is not being moved` })
  yield* clearMove(dataDir)
  return activeMove
}, Effect.scoped)
