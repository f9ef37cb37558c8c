import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecord } from "../../changes/on-record.ts"
import { type GuestPlace, ofConversations, ofOrders, type Party } from "../../domain/guest-place.ts"
import { Images, type OpenedImage } from "../../domain/guests/images/Images.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import type { Found } from "./finding.ts"
import { GUEST_PLACES } from "./places.ts"

// Everything about a guest, a JSON object a line, so that neither who writes nor who reads it needs memory for all at once: first
// what it is, then records of each place, then images, and at last how many: a file without that was cut off.

/** Records that are read at once. */
const AT_ONCE = 200

const readRecords = rowsOf(Schema.Struct({ record: Schema.Json }))

/** Writes one line. */
export type WriteLine<E> = (line: object) => Effect.Effect<void, E>

const recordsOf = Effect.fnUntraced(function* (place: GuestPlace, party: Party, from: number) {
  const sql = yield* SqlClient.SqlClient
  const hidden = ["operator_id", ...(place.secret ?? [])]
  return yield* readRecords(sql`
    SELECT to_jsonb(t) - ${hidden}::text[] AS record FROM ${sql(place.table)} t
    WHERE t.operator_id = ${party.operatorId} AND ${place.about(sql, party)}
    ORDER BY ${sql.csv(place.key.map((column) => sql`t.${sql(column)}`))} LIMIT ${AT_ONCE} OFFSET ${from}`)
})

/** The records of one party, page by page; answers how many. */
const tellRecords = Effect.fnUntraced(function* <E>(party: Party, write: WriteLine<E>) {
  let told = 0
  for (const place of GUEST_PLACES) {
    for (let from = 0; ; from += AT_ONCE) {
      const found = yield* recordsOf(place, party, from)
      for (const { record } of found) yield* write({ place: place.table, record })
      told += found.length
      if (found.length < AT_ONCE) break
    }
  }
  return told
})

const readTokens = rowsOf(Schema.Struct({ place: Schema.String, id: Schema.Int, token: Schema.String }))

const imagesOf = Effect.fnUntraced(function* (party: Party) {
  const sql = yield* SqlClient.SqlClient
  return yield* readTokens(sql`
    SELECT 'identity_images' AS place, t.id, i.token FROM identity_images t
    JOIN images i ON i.operator_id = t.operator_id AND i.id = t.image_id
    WHERE t.operator_id = ${party.operatorId} AND ${ofOrders(sql, party)}
    UNION ALL
    SELECT 'messages', t.id, i.token FROM messages t JOIN images i ON i.operator_id = t.operator_id AND i.id = t.image_id
    WHERE t.operator_id = ${party.operatorId} AND ${ofConversations(sql, party)}
    ORDER BY 1, 2`)
})

/**
 * All records as they are at one moment, and which images they refer to; these are read afterwards, since the embedded database
 * answers nobody else meanwhile.
 */
const tellSnapshot = Effect.fnUntraced(function* <E>(party: Party, write: WriteLine<E>) {
  const sql = yield* SqlClient.SqlClient
  const telling = Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
    return { records: yield* tellRecords(party, write), images: yield* imagesOf(party) }
  })
  return yield* sql.withTransaction(telling)
})

/** All bytes of an image; none where any are missing. */
const bytesOf = Effect.fnUntraced(function* (image: OpenedImage) {
  const images = yield* Images
  const pieces: Array<Uint8Array> = []
  for (let from = 0; from < image.bytes; ) {
    const piece = yield* images.read(image, from)
    if (Option.isNone(piece)) return undefined
    pieces.push(piece.value)
    from += piece.value.length
  }
  return Buffer.concat(pieces)
})

type ImageOfGuest = Effect.Success<ReturnType<typeof imagesOf>>[number]

/** Writes the images; answers how many, and of how many the bytes are gone. */
const tellImages = Effect.fnUntraced(function* <E>(all: ReadonlyArray<ImageOfGuest>, write: WriteLine<E>) {
  const store = yield* Images
  let [images, images_missing] = [0, 0]
  for (const { place, id, token } of all) {
    const opened = yield* store.open(token)
    const bytes = Option.isSome(opened) ? yield* bytesOf(opened.value) : undefined
    if (bytes === undefined) images_missing++
    else {
      yield* write({ image: { place, id }, jpeg: bytes.toString("base64") })
      images++
    }
  }
  return { images, images_missing }
})

/** Leaves the trail of what was handed out. */
const leftTrail = Effect.fnUntraced(function* (operatorId: number, all: ReadonlyArray<Found>) {
  const sql = yield* SqlClient.SqlClient
  const records = Array.from(new Set(all.flatMap((each) => each.records)))
  yield* onRecord(sql, {
    change: sql`exported AS (SELECT record FROM unnest(${records}::text[]) record)`,
    events: [],
    touched: sql`SELECT ${operatorId}::bigint AS operator_id, record, '{}'::text[] AS fields FROM exported`,
    outcome: sql`SELECT true AS exported`
  })
})

/** Everything as one party: a conversation of two orders is told once. */
const together = (operatorId: number, all: ReadonlyArray<Found>): Party => {
  const each = <A>(of: (party: Party) => ReadonlyArray<A>): ReadonlyArray<A> =>
    Array.from(new Set(all.flatMap(({ party }) => of(party))))
  return {
    operatorId,
    orderIds: each(({ orderIds }) => orderIds),
    stayIds: each(({ stayIds }) => stayIds),
    conversationIds: each(({ conversationIds }) => conversationIds),
    codes: each(({ codes }) => codes)
  }
}

/** Writes everything about a guest. The trail first: what is handed out without one never was. */
export const exportGuest = Effect.fnUntraced(function* <E>(
  operatorId: number,
  all: ReadonlyArray<Found>,
  made: { readonly at: Date; readonly write: WriteLine<E> }
) {
  const party = together(operatorId, all)
  yield* leftTrail(operatorId, all)
  yield* made.write({ format: "latchkey guest", version: 1, operator_id: operatorId, made_at: made.at.toISOString() })
  const told = yield* tellSnapshot(party, made.write)
  const end = { records: told.records, ...(yield* tellImages(told.images, made.write)) }
  yield* made.write({ end })
  return end
})
