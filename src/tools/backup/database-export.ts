import { Data, DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ImageByteStorage } from "../../domain/guests/images/image-byte-storage.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { type BackupHeader, type BackupPiece, FORMAT_VERSION } from "./backup-pieces.ts"
import { loadSequences, loadTables } from "./database-catalog.ts"
import { loadTableDigest, pinTextFormats } from "./table-digest.ts"

export type WritePiece<E> = (piece: BackupPiece) => Effect.Effect<void, E>

const PAGE_ROWS = 2_000
const PAGE_BYTES = 4 * 1024 * 1024

const readTexts = makeRowsReader(Schema.Struct({ text: Schema.String }))

const exportRows = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  table: string,
  widest: number,
  writePiece: WritePiece<E>
) {
  const pageRows = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / Math.max(widest, 1))))
  yield* sql`DECLARE told NO SCROLL CURSOR FOR SELECT whole::text AS text FROM ${sql(table)} AS whole`.unprepared
  const fetch = readTexts(sql`FETCH FORWARD ${sql.literal(String(pageRows))} FROM told`.unprepared)
  for (let rows = yield* fetch; rows.length > 0; rows = yield* fetch)
    yield* writePiece({ some: rows.map(({ text }) => text) })
  yield* sql`CLOSE told`.unprepared
})

const readImages = makeRowsReader(
  Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String, bytes: Schema.Int })
)
const IMAGES_AT_ONCE = 500

const exportImages = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  imageStore: ImageByteStorage,
  writePiece: WritePiece<E>
) {
  let [images, missing] = [0, 0]
  yield* sql`
    DECLARE listed NO SCROLL CURSOR FOR SELECT operator_id, id, token, bytes FROM images i
    WHERE delete_at IS DISTINCT FROM '-infinity'
      AND NOT EXISTS (SELECT FROM image_bytes b WHERE b.operator_id = i.operator_id AND b.image_id = i.id)`.unprepared
  const fetch = readImages(sql`FETCH FORWARD ${sql.literal(String(IMAGES_AT_ONCE))} FROM listed`.unprepared)
  for (let rows = yield* fetch; rows.length > 0; rows = yield* fetch) {
    for (const { operator_id, id, token, bytes } of rows) {
      const content = yield* imageStore.read({ operatorId: operator_id, id, token }, 0, bytes)
      if (content.length < bytes) missing++
      else {
        images++
        yield* writePiece({ image: { operator_id, id, token }, content })
      }
    }
  }
  yield* sql`CLOSE listed`.unprepared
  return { images, images_missing: missing }
})

interface ExportResult {
  readonly tables: number
  readonly rows: number
  readonly images: number
  readonly images_missing: number
}

const Migrations = Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
const readSource = makeSingleRowReader(Schema.Struct({ migrations: Migrations, server: Schema.String }))

class NothingToBackUp extends Data.TaggedError("NothingToBackUp") {
  override get message(): string {
    return "the database has no tables of Latchkey: there is nothing to back up"
  }
}

const readExists = makeSingleRowReader(Schema.Struct({ there: Schema.Boolean }))

export const loadBackupHeader = Effect.fnUntraced(function* (sql: SqlClient, latchkey: string) {
  const { there } = yield* readExists(sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS there`)
  if (!there) return yield* new NothingToBackUp()
  const made_at = DateTime.formatIso(yield* DateTime.now)
  const source = yield* readSource(sql`
    SELECT jsonb_agg(jsonb_build_object('id', id, 'name', name) ORDER BY id) AS migrations,
      'PostgreSQL ' || current_setting('server_version') AS server
    FROM schema_migrations`)
  const header: BackupHeader = { format: "latchkey backup", version: FORMAT_VERSION, latchkey, made_at, ...source }
  return header
})

/**
 * Exports one snapshot. An embedded database must be a copy (folder-copy.ts).
 *
 * Sequences are exported last, because they ignore the snapshot: their values then cover every exported id.
 */
export const exportDatabase = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  source: { readonly latchkey: string; readonly images: ImageByteStorage | undefined },
  writePiece: WritePiece<E>
): Effect.fn.Return<ExportResult, E | NothingToBackUp | SqlError> {
  const exportAll = Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
    yield* pinTextFormats(sql)
    yield* writePiece(yield* loadBackupHeader(sql, source.latchkey))
    const tables = yield* loadTables(sql)
    let total = 0
    for (const { table, columns, key } of tables) {
      const { rows, digest, widest } = yield* loadTableDigest(sql, table)
      yield* writePiece({ table, columns: columns.map(({ name, type }) => ({ name, type })), key, rows, digest })
      if (rows > 0) yield* exportRows(sql, table, widest, writePiece)
      total += rows
    }
    const sequences = yield* loadSequences(sql)
    yield* writePiece({ sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) })
    const hasImages = source.images !== undefined && tables.some(({ table }) => table === "images")
    const end = hasImages ? yield* exportImages(sql, source.images, writePiece) : { images: 0, images_missing: 0 }
    yield* writePiece({ end })
    return { tables: tables.length, rows: total, ...end }
  })
  return yield* sql.withTransaction(exportAll)
})
