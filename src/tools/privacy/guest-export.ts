import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../changes/recorded-change.ts"
import {
  belongsToConversations,
  belongsToOrders,
  type GuestDataTable,
  type GuestRecordIds
} from "../../domain/guest-data.ts"
import { Images, type OpenedImage } from "../../domain/guests/images/Images.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { GUEST_DATA_TABLES } from "./guest-data-tables.ts"
import type { GuestMatch } from "./guest-search.ts"

// One JSON object per line limits memory. A file without the counts at its end is incomplete.

const EXPORT_PAGE_ROWS = 200

const readRecords = makeRowsReader(Schema.Struct({ record: Schema.Json }))

type ExportWriter<E> = (line: object) => Effect.Effect<void, E>

const loadRecords = Effect.fnUntraced(function* (table: GuestDataTable, party: GuestRecordIds, offset: number) {
  const sql = yield* SqlClient.SqlClient
  const hidden = ["operator_id", ...(table.secretColumns ?? [])]
  return yield* readRecords(sql`
    SELECT to_jsonb(t) - ${hidden}::text[] AS record FROM ${sql(table.table)} t
    WHERE t.operator_id = ${party.operatorId} AND ${table.belongsToGuest(sql, party)}
    ORDER BY ${sql.csv(table.keyColumns.map((column) => sql`t.${sql(column)}`))} LIMIT ${EXPORT_PAGE_ROWS} OFFSET ${offset}`)
})

const writeRecords = Effect.fnUntraced(function* <E>(party: GuestRecordIds, write: ExportWriter<E>) {
  let count = 0
  for (const table of GUEST_DATA_TABLES) {
    for (let offset = 0; ; offset += EXPORT_PAGE_ROWS) {
      const page = yield* loadRecords(table, party, offset)
      for (const { record } of page) yield* write({ place: table.table, record })
      count += page.length
      if (page.length < EXPORT_PAGE_ROWS) break
    }
  }
  return count
})

const readTokens = makeRowsReader(Schema.Struct({ place: Schema.String, id: Schema.Int, token: Schema.String }))

const loadImages = Effect.fnUntraced(function* (party: GuestRecordIds) {
  const sql = yield* SqlClient.SqlClient
  return yield* readTokens(sql`
    SELECT 'identity_images' AS place, t.id, i.token FROM identity_images t
    JOIN images i ON i.operator_id = t.operator_id AND i.id = t.image_id
    WHERE t.operator_id = ${party.operatorId} AND ${belongsToOrders(sql, party)}
    UNION ALL
    SELECT 'messages', t.id, i.token FROM messages t JOIN images i ON i.operator_id = t.operator_id AND i.id = t.image_id
    WHERE t.operator_id = ${party.operatorId} AND ${belongsToConversations(sql, party)}
    ORDER BY 1, 2`)
})

/** Image bytes are read later, because the embedded database serves no other request during the transaction. */
const writeSnapshot = Effect.fnUntraced(function* <E>(party: GuestRecordIds, write: ExportWriter<E>) {
  const sql = yield* SqlClient.SqlClient
  const snapshot = Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
    return { records: yield* writeRecords(party, write), images: yield* loadImages(party) }
  })
  return yield* sql.withTransaction(snapshot)
})

const readImageBytes = Effect.fnUntraced(function* (image: OpenedImage) {
  const images = yield* Images
  const chunks: Array<Uint8Array> = []
  for (let position = 0; position < image.bytes; ) {
    const chunk = yield* images.read(image, position)
    if (Option.isNone(chunk)) return undefined
    chunks.push(chunk.value)
    position += chunk.value.length
  }
  return Buffer.concat(chunks)
})

type GuestImageRow = Effect.Success<ReturnType<typeof loadImages>>[number]

const writeImages = Effect.fnUntraced(function* <E>(imageRows: ReadonlyArray<GuestImageRow>, write: ExportWriter<E>) {
  const imageStore = yield* Images
  let [images, images_missing] = [0, 0]
  for (const { place, id, token } of imageRows) {
    const openedImage = yield* imageStore.open(token)
    const bytes = Option.isSome(openedImage) ? yield* readImageBytes(openedImage.value) : undefined
    if (bytes === undefined) images_missing++
    else {
      yield* write({ image: { place, id }, jpeg: bytes.toString("base64") })
      images++
    }
  }
  return { images, images_missing }
})

const recordExport = Effect.fnUntraced(function* (operatorId: number, matches: ReadonlyArray<GuestMatch>) {
  const sql = yield* SqlClient.SqlClient
  const records = Array.from(new Set(matches.flatMap((match) => match.records)))
  yield* recordChange(sql, {
    change: sql`exported AS (SELECT record FROM unnest(${records}::text[]) record)`,
    events: [],
    changedRecords: sql`SELECT ${operatorId}::bigint AS operator_id, record, '{}'::text[] AS fields FROM exported`,
    outcome: sql`SELECT true AS exported`
  })
})

const mergeRecordIds = (operatorId: number, matches: ReadonlyArray<GuestMatch>): GuestRecordIds => {
  const distinct = <A>(select: (party: GuestRecordIds) => ReadonlyArray<A>): ReadonlyArray<A> =>
    Array.from(new Set(matches.flatMap(({ recordIds }) => select(recordIds))))
  return {
    operatorId,
    orderIds: distinct(({ orderIds }) => orderIds),
    stayIds: distinct(({ stayIds }) => stayIds),
    conversationIds: distinct(({ conversationIds }) => conversationIds),
    codes: distinct(({ codes }) => codes)
  }
}

/** The audit log comes first, so that every export is recorded. */
export const exportGuest = Effect.fnUntraced(function* <E>(
  operatorId: number,
  matches: ReadonlyArray<GuestMatch>,
  output: { readonly at: Date; readonly write: ExportWriter<E> }
) {
  const recordIds = mergeRecordIds(operatorId, matches)
  yield* recordExport(operatorId, matches)
  yield* output.write({
    format: "latchkey guest",
    version: 1,
    operator_id: operatorId,
    made_at: output.at.toISOString()
  })
  const snapshot = yield* writeSnapshot(recordIds, output.write)
  const summary = { records: snapshot.records, ...(yield* writeImages(snapshot.images, output.write)) }
  yield* output.write({ end: summary })
  return summary
})
