import { Data, DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { KeptBytes } from "../../domain/guests/images/kept-bytes.ts"
import { onlyRowOf, rowsOf } from "../../platform/database/rows.ts"
import { sequencesOf, tablesOf } from "./catalogue.ts"
import { digestOf, pinTexts } from "./digest.ts"
import { FORMAT_VERSION, type Header, type Piece } from "./pieces.ts"

/** Takes one piece after the other. */
export type Tell<E> = (piece: Piece) => Effect.Effect<void, E>

/** Rows that are read at once, and bytes that they may have together, where a row has not more by itself. */
const PAGE_ROWS = 2_000
const PAGE_BYTES = 4 * 1024 * 1024

const readTexts = rowsOf(Schema.Struct({ text: Schema.String }))

/** The rows of a table, so many at once that neither side keeps more than a few megabytes. */
const tellRows = Effect.fnUntraced(function* <E>(sql: SqlClient, table: string, widest: number, tell: Tell<E>) {
  const page = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / Math.max(widest, 1))))
  yield* sql`DECLARE told NO SCROLL CURSOR FOR SELECT whole::text AS text FROM ${sql(table)} AS whole`.unprepared
  const fetch = readTexts(sql`FETCH FORWARD ${sql.literal(String(page))} FROM told`.unprepared)
  for (let rows = yield* fetch; rows.length > 0; rows = yield* fetch)
    yield* tell({ some: rows.map(({ text }) => text) })
  yield* sql`CLOSE told`.unprepared
})

const readImages = rowsOf(
  Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String, bytes: Schema.Int })
)
/** Images that are listed at once. */
const IMAGES_AT_ONCE = 500

/** The images whose bytes are not in the database; answers how many there were, and how many had no file. */
const tellImages = Effect.fnUntraced(function* <E>(sql: SqlClient, folder: KeptBytes, tell: Tell<E>) {
  let [images, missing] = [0, 0]
  yield* sql`
    DECLARE listed NO SCROLL CURSOR FOR SELECT operator_id, id, token, bytes FROM images i
    WHERE delete_at IS DISTINCT FROM '-infinity'
      AND NOT EXISTS (SELECT FROM image_bytes b WHERE b.operator_id = i.operator_id AND b.image_id = i.id)`.unprepared
  const fetch = readImages(sql`FETCH FORWARD ${sql.literal(String(IMAGES_AT_ONCE))} FROM listed`.unprepared)
  for (let rows = yield* fetch; rows.length > 0; rows = yield* fetch) {
    for (const { operator_id, id, token, bytes } of rows) {
      const content = yield* folder.read({ operatorId: operator_id, id, token }, 0, bytes)
      if (content.length < bytes) missing++
      else {
        images++
        yield* tell({ image: { operator_id, id, token }, content })
      }
    }
  }
  yield* sql`CLOSE listed`.unprepared
  return { images, images_missing: missing }
})

/** How much there was. */
export interface Told {
  readonly tables: number
  readonly rows: number
  readonly images: number
  /** Images that have no file any more. */
  readonly images_missing: number
}

const Migrations = Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
const readMade = onlyRowOf(Schema.Struct({ migrations: Migrations, server: Schema.String }))

/** It is another database than was meant, or one that nobody has used yet. */
export class NothingThere extends Data.TaggedError("NothingThere") {
  override get message(): string {
    return "the database has no tables of Latchkey: there is nothing to back up"
  }
}

const readThere = onlyRowOf(Schema.Struct({ there: Schema.Boolean }))

/** What a database is made of, and who tells it. */
export const headerOf = Effect.fnUntraced(function* (sql: SqlClient, latchkey: string) {
  const { there } = yield* readThere(sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS there`)
  if (!there) return yield* new NothingThere()
  const made_at = DateTime.formatIso(yield* DateTime.now)
  const made = yield* readMade(sql`
    SELECT jsonb_agg(jsonb_build_object('id', id, 'name', name) ORDER BY id) AS migrations,
      'PostgreSQL ' || current_setting('server_version') AS server
    FROM schema_migrations`)
  const header: Header = { format: "latchkey backup", version: FORMAT_VERSION, latchkey, made_at, ...made }
  return header
})

/**
 * Tells everything a database holds as it is at one moment, the header first. On a server that is one transaction with one
 * snapshot, beside which others go on; of the embedded database it is to be a copy, see folder-copy.ts. Sequences come
 * after all rows: they stand outside of any snapshot, and must be as high as every id that was told.
 */
export const tellAll = Effect.fnUntraced(function* <E>(
  sql: SqlClient,
  from: { readonly latchkey: string; readonly images: KeptBytes | undefined },
  tell: Tell<E>
): Effect.fn.Return<Told, E | NothingThere | SqlError> {
  const telling = Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
    yield* pinTexts(sql)
    yield* tell(yield* headerOf(sql, from.latchkey))
    const tables = yield* tablesOf(sql)
    let total = 0
    for (const { table, columns, key } of tables) {
      const { rows, digest, widest } = yield* digestOf(sql, table)
      yield* tell({ table, columns: columns.map(({ name, type }) => ({ name, type })), key, rows, digest })
      if (rows > 0) yield* tellRows(sql, table, widest, tell)
      total += rows
    }
    const sequences = yield* sequencesOf(sql)
    yield* tell({ sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) })
    const hasImages = from.images !== undefined && tables.some(({ table }) => table === "images")
    const end = hasImages ? yield* tellImages(sql, from.images, tell) : { images: 0, images_missing: 0 }
    yield* tell({ end })
    return { tables: tables.length, rows: total, ...end }
  })
  return yield* sql.withTransaction(telling)
})
