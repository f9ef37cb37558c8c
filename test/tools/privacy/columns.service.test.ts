import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import type { GuestRecordIds } from "../../../src/domain/guest-data.ts"
import { ImageBytes } from "../../../src/domain/guests/images/ImageBytes.ts"
import { makeRemoveExpiredImages } from "../../../src/domain/guests/images/retention.ts"
import { GUEST_DATA_TABLES } from "../../../src/tools/privacy/guest-data-tables.ts"
import { eraseGuestMatches } from "../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../src/tools/privacy/guest-search.ts"
import { asSystemActor, layerService } from "../../support/harness.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import { insertErasableGuest } from "../../support/tools/privacy/erasable-guest.ts"
import { KEPT_COLUMNS } from "../../support/tools/privacy/kept-columns.ts"

const MARKER = "Qwimblefax"
const NOW = new Date("2026-11-26T12:00:00Z")

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly owned: boolean
}

/** All columns that can hold text or bytes. */
const columnsWithWords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Column>`
    SELECT c.table_name AS table, c.column_name AS name, c.data_type AS type, EXISTS (
      SELECT FROM information_schema.columns o
      WHERE o.table_schema = 'public' AND o.table_name = c.table_name AND o.column_name = 'operator_id') AS owned
    FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
    WHERE c.table_schema = 'public'
      AND c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea', 'ARRAY', 'name')
    ORDER BY 1, 2`
}).pipe(Effect.orDie)

const pathsOfKept = (column: string) => Object.keys(KEPT_COLUMNS).filter((key) => key.startsWith(`${column}.`))

/** Returns the JSON with the marker in each text that is not kept. */
const markedJson = (value: unknown, path: string): unknown => {
  if (typeof value === "string") return path in KEPT_COLUMNS ? value : `${MARKER} in ${path}`
  if (Array.isArray(value)) return value.map((part) => markedJson(part, path))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, markedJson(part, `${path}.${key}`)]))
}

/** SQLSTATE classes of a column that cannot hold any words: a constraint, or a value that is too long. */
const CANNOT_HOLD = /^(22001|23\d{3})$/

const codeOf = (error: unknown): string => {
  const reason = Predicate.hasProperty(error, "reason") ? error.reason : undefined
  const cause = Predicate.hasProperty(reason, "cause") ? reason.cause : undefined
  return Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
}

/** Writes the marker into a column of the guest's rows. Returns whether the column has it then. */
const mark = Effect.fnUntraced(function* ({ table, name, type }: Column, party: GuestRecordIds) {
  const sql = yield* SqlClient.SqlClient
  const about = GUEST_DATA_TABLES.find((place) => place.table === table)?.belongsToGuest(sql, party) ?? sql`false`
  const theirs = sql`t.operator_id = ${party.operatorId} AND ${about}`
  const text = `${MARKER} in ${table}.${name}`
  if (type === "jsonb") {
    const rows = yield* sql<{ place: string; value: unknown }>`
      SELECT t.ctid::text AS place, t.${sql(name)} AS value FROM ${sql(table)} t WHERE ${theirs} AND t.${sql(name)} IS NOT NULL`
    const marked = rows.map(({ place, value }) => ({
      place,
      json: JSON.stringify(markedJson(value, `${table}.${name}`))
    }))
    const isMarked = marked.some(({ json }) => json.includes(MARKER))
    const isKept = pathsOfKept(`${table}.${name}`).length > 0
    assert.isTrue(isMarked || isKept, `the scene writes no text into ${table}.${name}`)
    for (const { place, json } of marked)
      yield* sql`UPDATE ${sql(table)} t SET ${sql(name)} = ${json}::jsonb WHERE t.ctid = ${place}::tid`
    return isMarked
  }
  assert.include(["text", "character varying"], type, `${table}.${name}`)
  const update = sql`UPDATE ${sql(table)} t SET ${sql(name)} = ${text} WHERE ${theirs} RETURNING 1`
  return yield* update.pipe(
    Effect.map((rows) => {
      assert.isAbove(rows.length, 0, `the scene has no row in ${table}`)
      return true
    }),
    Effect.catch((error) => (CANNOT_HOLD.test(codeOf(error)) ? Effect.succeed(false) : Effect.die(error)))
  )
})

/** Returns the columns that contain the marker, as text or as bytes. */
const columnsWithMarker = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const columns: Array<string> = []
  const hex = Buffer.from(MARKER).toString("hex")
  for (const { table, name, owned } of yield* columnsWithWords) {
    const whose = owned ? sql`t.operator_id = ${operatorId}` : sql`true`
    const [row] = yield* sql<{ rows: number }>`
      SELECT count(*) AS rows FROM ${sql(table)} t
      WHERE ${whose} AND (t.${sql(name)}::text LIKE ${`%${MARKER}%`} OR t.${sql(name)}::text LIKE ${`%${hex}%`})`
    if ((row?.rows ?? 0) > 0) columns.push(`${table}.${name}`)
  }
  return columns
}, Effect.orDie)

const layerImages = Layer.provideMerge(ImageBytes.layerDatabase, layerService(layerOwnDatabase))

layer(layerImages, { excludeTestServices: true })("an erased guest", (it) => {
  it.effect("is in no column of any table except the kept columns", () =>
    Effect.gen(function* () {
      const guest = yield* insertErasableGuest({ word: MARKER, email: "qwimblefax@guest.example" })
      const { operatorId } = guest.operator
      const parties = yield* findGuest(operatorId, { by: "order", value: guest.reservationCode }, NOW)
      const [{ recordIds } = assert.fail("the guest is not found")] = parties
      const places = new Set(GUEST_DATA_TABLES.map(({ table }) => table))
      const columns = (yield* columnsWithWords).filter(({ table }) => places.has(table))
      const marked: Array<string> = []
      for (const column of columns) {
        const name = `${column.table}.${column.name}`
        if (!(name in KEPT_COLUMNS) && (yield* mark(column, recordIds))) marked.push(name)
      }
      // The scene wrote the marker into other tables.
      const before = yield* columnsWithMarker(operatorId)
      assert.includeMembers(before, [
        "stays.guest_name",
        "stays.rate_details",
        "reviews.guest_review",
        "messages.content",
        "idempotency_keys.outcome",
        "webhook_attempts.first_bytes",
        "automation_plans.reason",
        "image_bytes.content"
      ])
      assert.includeMembers(before, marked)

      yield* asSystemActor(eraseGuestMatches(parties))
      yield* (yield* makeRemoveExpiredImages)(new Date(Date.now() + 1_000))
      assert.deepStrictEqual(yield* columnsWithMarker(operatorId), [])
    })
  )

  it.effect("keeps amounts, kinds and scores beside the cleared texts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const guest = yield* insertErasableGuest({ word: "Plimsonby", email: "plimsonby@guest.example" })
      const { operatorId } = guest.operator
      yield* asSystemActor(
        eraseGuestMatches(yield* findGuest(operatorId, { by: "order", value: guest.reservationCode }, NOW))
      )
      const [row] = yield* sql`
        SELECT s.rate_details, s.additional_fees, r.guest_review -> 'sub_score' AS sub_score, r.guest_review -> 'score' AS score
        FROM stays s JOIN reviews r ON r.operator_id = s.operator_id AND r.order_id = s.order_id WHERE s.operator_id = ${operatorId}`
      assert.deepStrictEqual(
        { ...row },
        {
          rate_details: [
            { type: "ACCOMMODATION", description: "", amount: 300 },
            { type: "CLEANING_FEE", description: "", amount: 40 }
          ],
          additional_fees: [{ name: "Pet fee", currency: "EUR", amount: 20 }],
          sub_score: [
            { category: "cleanliness", rating: 4, review_category_tags: null },
            { category: "location", rating: 5, review_category_tags: null }
          ],
          score: 4.5
        }
      )
    })
  )

  it.effect("keeps empty and missing lists unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const guest = yield* insertErasableGuest({ word: "Plimsonby", email: "plimsonby@guest.example" })
      const { operatorId } = guest.operator
      yield* sql`UPDATE stays SET rate_details = NULL WHERE operator_id = ${operatorId}`
      yield* sql`
        UPDATE reviews SET guest_review = guest_review || '{"sub_score": null}', host_review = guest_review || '{"sub_score": []}',
          host_reply = NULL
        WHERE operator_id = ${operatorId}`
      yield* asSystemActor(
        eraseGuestMatches(yield* findGuest(operatorId, { by: "order", value: guest.reservationCode }, NOW))
      )
      const [row] = yield* sql`
        SELECT s.rate_details, r.guest_review -> 'sub_score' AS guest, r.host_review -> 'sub_score' AS host, r.host_reply
        FROM stays s JOIN reviews r ON r.operator_id = s.operator_id AND r.order_id = s.order_id WHERE s.operator_id = ${operatorId}`
      assert.deepStrictEqual({ ...row }, { rate_details: null, guest: null, host: [], host_reply: null })
    })
  )

  it.effect("keeps only columns that exist, in tables with guest data", () =>
    Effect.gen(function* () {
      const known = new Set((yield* columnsWithWords).map(({ table, name }) => `${table}.${name}`))
      for (const key of Object.keys(KEPT_COLUMNS)) {
        const column = key.split(".").slice(0, 2).join(".")
        assert.isTrue(known.has(column), column)
        assert.isTrue(
          GUEST_DATA_TABLES.some(({ table }) => column.startsWith(`${table}.`)),
          column
        )
      }
    })
  )
})
