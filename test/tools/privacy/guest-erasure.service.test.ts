import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { ImageBytes } from "../../../src/domain/guests/images/ImageBytes.ts"
import { makeRemoveExpiredImages } from "../../../src/domain/guests/images/retention.ts"
import { layerPostgres } from "../../../src/platform/database/postgres.ts"
import { GUEST_COMMAND_ORDERS_MAX } from "../../../src/platform/limits.ts"
import { GUEST_DATA_TABLES } from "../../../src/tools/privacy/guest-data-tables.ts"
import { eraseGuestMatches } from "../../../src/tools/privacy/guest-erasure.ts"
import { exportGuest } from "../../../src/tools/privacy/guest-export.ts"
import { findGuest } from "../../../src/tools/privacy/guest-search.ts"
import { asSystemActor, callForResponse, layerService } from "../../support/harness.ts"
import { withServerNote } from "../../support/overlapping-transactions.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import {
  ERASABLE_WORD,
  ERASED_EMAIL,
  ERASED_PHONE,
  findTablesWithWord,
  insertErasableGuest,
  loadAccountingRows,
  readOrderOverApi
} from "../../support/tools/privacy/erasable-guest.ts"

const now = new Date("2026-11-26T12:00:00Z")

const byEmail = (operatorId: number) => findGuest(operatorId, { by: "email", value: ERASED_EMAIL.toUpperCase() }, now)

const layerImages = Layer.provideMerge(ImageBytes.layerDatabase, layerService(layerOwnDatabase))

layer(layerImages, { excludeTestServices: true })("a guest", (it) => {
  it.effect("is exported from wherever something is written, and erased there, and nobody else is", () =>
    Effect.gen(function* () {
      const held = yield* insertErasableGuest()
      const { operatorId } = held.operator
      const neighbour = yield* insertErasableGuest({
        host: held,
        word: "Quordle",
        email: "quordle@guest.example",
        checkIn: "2025-04-01",
        checkOut: "2025-04-03"
      })
      const elsewhere = yield* insertErasableGuest({ word: "Vimblesnap" })
      const [books, theirs, otherBooks] = [
        yield* loadAccountingRows(operatorId),
        yield* findTablesWithWord("Quordle", operatorId),
        yield* loadAccountingRows(elsewhere.operator.operatorId)
      ]
      const vimblesnap = yield* findTablesWithWord("Vimblesnap", elsewhere.operator.operatorId)
      const before = yield* findTablesWithWord(ERASABLE_WORD, operatorId)
      const lines: Array<object> = []
      const found = yield* byEmail(operatorId)
      assert.lengthOf(found, 1)
      const told = yield* asSystemActor(
        exportGuest(operatorId, found, { at: now, write: (line) => Effect.sync(() => void lines.push(line)) })
      )
      const text = lines.map((line) => JSON.stringify(line)).join("\n")
      const places = new Set(lines.flatMap((line) => ("place" in line ? [line.place] : [])))
      assert.deepStrictEqual(Array.from(places).toSorted(), GUEST_DATA_TABLES.map(({ table }) => table).toSorted())
      assert.deepInclude(told, { images: 2, images_missing: 0 })
      assert.deepStrictEqual(lines.at(-1), { end: told })
      assert.include(text, `"jpeg":"${Buffer.from(ERASABLE_WORD).toString("base64")}"`)
      assert.notMatch(text, /lkguest_|lkimage_|Quordle|Vimblesnap|operator_id":(?!\d+,"made_at)/)
      for (const place of GUEST_DATA_TABLES)
        if (!["orders", "stay_tags"].includes(place.table)) assert.include(before, place.table)

      yield* asSystemActor(eraseGuestMatches(found))
      yield* (yield* makeRemoveExpiredImages)(new Date(Date.now() + 1_000))
      assert.deepStrictEqual(yield* findTablesWithWord(ERASABLE_WORD, operatorId), [])
      assert.deepStrictEqual(yield* loadAccountingRows(operatorId), books)
      assert.deepStrictEqual(yield* findTablesWithWord("Quordle", operatorId), theirs)
      assert.deepStrictEqual(yield* loadAccountingRows(elsewhere.operator.operatorId), otherBooks)
      assert.deepStrictEqual(yield* findTablesWithWord("Vimblesnap", elsewhere.operator.operatorId), vimblesnap)
      for (const { error_code, error_msg } of [
        ...(yield* readOrderOverApi(held)),
        ...(yield* readOrderOverApi(neighbour))
      ]) {
        assert.strictEqual(error_code, 0, error_msg)
      }
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql`
        SELECT operation, record, fields FROM trail WHERE operator_id = ${operatorId} AND record IN (${`reservation:${held.reservationCode}`}, ${`conversation:${held.conversationCode}`})
        ORDER BY id`
      assert.deepStrictEqual(
        trail.map((row) => [row["record"], row["fields"]]),
        [
          [`conversation:${held.conversationCode}`, []],
          [`reservation:${held.reservationCode}`, []],
          [`conversation:${held.conversationCode}`, ["guest"]],
          [`reservation:${held.reservationCode}`, ["guest"]]
        ]
      )
      const events =
        yield* sql`SELECT event FROM events WHERE operator_id = ${operatorId} AND record = ${`reservation:${held.reservationCode}`} AND event <> 'heard'`
      assert.deepStrictEqual(events, [{ event: "reservation_updated" }])
      assert.deepStrictEqual(yield* byEmail(operatorId), [])
      // Again by the code: nothing more happens to it.
      yield* asSystemActor(
        eraseGuestMatches(yield* findGuest(operatorId, { by: "order", value: held.reservationCode }, now))
      )
      assert.deepStrictEqual(yield* loadAccountingRows(operatorId), books)
    })
  )

  it.effect("is exported with images whose bytes are gone counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = (yield* insertErasableGuest()).operator
      yield* sql`
        DELETE FROM image_bytes WHERE operator_id = ${operatorId} AND image_id IN (SELECT id FROM images WHERE kind = 'message')`
      const lines: Array<object> = []
      const write = (line: object) => Effect.sync(() => void lines.push(line))
      const told = yield* asSystemActor(exportGuest(operatorId, yield* byEmail(operatorId), { at: now, write }))
      assert.deepInclude(told, { images: 1, images_missing: 1 })
      assert.deepStrictEqual(lines.at(-1), { end: told })
    })
  )

  it.effect.skipIf(inject("testDatabaseUrl") === "")(
    withServerNote("is exported as he was at one moment, whatever is said meanwhile"),
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { operatorId } = (yield* insertErasableGuest()).operator
        const [{ name = "" } = {}] = yield* sql<{ name: string }>`SELECT current_database() AS name`
        const url = new URL(inject("testDatabaseUrl"))
        url.pathname = `/${name}`
        const elsewhere = layerPostgres({ url: Redacted.make(url.href), maxConnections: 1 })
        const meanwhile = Effect.flatMap(
          SqlClient.SqlClient,
          (other) => other`UPDATE messages SET content = 'said since' WHERE operator_id = ${operatorId}`
        ).pipe(Effect.provide(elsewhere, { local: true }), Effect.orDie)
        const lines: Array<string> = []
        const write = (line: object) => {
          lines.push(JSON.stringify(line))
          return "place" in line && line.place === "orders" ? meanwhile : Effect.void
        }
        yield* asSystemActor(exportGuest(operatorId, yield* byEmail(operatorId), { at: now, write }))
        assert.include(lines.join("\n"), `I am ${ERASABLE_WORD}`)
        assert.notInclude(lines.join("\n"), "said since")
        assert.lengthOf(
          yield* sql`SELECT 1 FROM messages WHERE operator_id = ${operatorId} AND content = 'said since'`,
          2
        )
      })
  )

  it.effect(
    "is found by phone however it is written, by a companion, by a channel's id, and by a thread without an order",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const held = yield* insertErasableGuest()
        const { operatorId } = held.operator
        const codes = Effect.fnUntraced(function* (by: "order" | "email" | "phone", value: string) {
          return (yield* findGuest(operatorId, { by, value }, now)).map(({ records }) => records)
        })
        const both = [[`reservation:${held.reservationCode}`, `conversation:${held.conversationCode}`]]
        for (const phone of [ERASED_PHONE, "0151 08154711", "004915108154711"])
          assert.deepStrictEqual(yield* codes("phone", phone), both)
        // Nine digits in its country, which say the same with the country's before.
        yield* sql`UPDATE stays SET guest_phone = '+351 912 345 678' WHERE operator_id = ${operatorId}`
        yield* sql`UPDATE guests SET phone = NULL WHERE operator_id = ${operatorId}`
        yield* sql`UPDATE conversations SET guest_phone = '' WHERE operator_id = ${operatorId}`
        for (const phone of ["912 345 678", "0912345678", "00351 912345678", "+351912345678"])
          assert.deepStrictEqual(yield* codes("phone", phone), both, phone)
        for (const phone of ["345 678", "2345678", "000000", "+44 7912 345678", "+351 812 345 678"])
          assert.deepStrictEqual(yield* codes("phone", phone), [], phone)
        assert.deepStrictEqual(yield* codes("order", held.conversationCode), both)
        assert.deepStrictEqual(yield* codes("order", held.reservationCode), both)
        assert.deepStrictEqual(yield* codes("order", held.reservationCode.slice(2)), both)
        assert.deepStrictEqual(yield* codes("phone", "+49 151 0815-4712"), [])
        yield* sql`UPDATE stays SET guest_email = NULL WHERE operator_id = ${operatorId}`
        yield* sql`UPDATE conversations SET guest_email = NULL WHERE operator_id = ${operatorId}`
        assert.deepStrictEqual(yield* codes("email", ERASED_EMAIL), both)
        yield* sql`
        INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, guest_email, note, last_message_at, created_at)
        VALUES (${operatorId}, 'asked', ${held.account}, 'airbnb', 'asked', 'asks@guest.example', '', now(), now())`
        assert.deepStrictEqual(yield* codes("email", "asks@guest.example"), [["conversation:asked"]])
        yield* sql`UPDATE conversations SET guest_email = 'b@guest.example' WHERE operator_id = ${operatorId} AND code = ${held.conversationCode}`
        assert.deepStrictEqual(yield* codes("email", "b@guest.example"), both)
      })
  )

  it.effect("is in no answer that is kept for a call that comes again", () =>
    Effect.gen(function* () {
      const { operator, reservationCode: code } = yield* insertErasableGuest({ word: "Wimbrel" })
      const custom_fields = { custom_field_2: "Wimbrel too" }
      yield* callForResponse(
        operator.token,
        "update_reservation_custom_fields",
        { stay_code: code, custom_fields },
        "fields"
      )
      assert.include(yield* findTablesWithWord("Wimbrel too", operator.operatorId), "idempotency_keys")
      const found = yield* findGuest(operator.operatorId, { by: "order", value: code }, now)
      yield* asSystemActor(eraseGuestMatches(found))
      assert.deepStrictEqual(yield* findTablesWithWord("Wimbrel too", operator.operatorId), [])
    })
  )

  it.effect("has stays that are not over until the day after, unless the order was cancelled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operator, reservationCode: code } = yield* insertErasableGuest({
        checkIn: "2026-11-24",
        checkOut: "2026-11-26"
      })
      const current = Effect.fnUntraced(function* (day: string) {
        const all = yield* findGuest(operator.operatorId, { by: "order", value: code }, new Date(`${day}T12:00:00Z`))
        return all.flatMap((each) => each.currentStayCodes)
      })
      assert.deepStrictEqual(yield* current("2026-11-26"), [code])
      assert.deepStrictEqual(yield* current("2026-11-27"), [])
      yield* sql`
        WITH gone AS (DELETE FROM calendar_days WHERE operator_id = ${operator.operatorId})
        UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${operator.operatorId}`
      assert.deepStrictEqual(yield* current("2026-11-25"), [])
    })
  )

  it.effect("may be waited for: what is being written of an order is erased after it", () =>
    Effect.gen(function* () {
      const held = yield* insertErasableGuest({ word: "Tumblewick", email: "tumblewick@guest.example" })
      const found = yield* findGuest(held.operator.operatorId, { by: "order", value: held.reservationCode }, now)
      const twice = yield* Effect.exit(
        asSystemActor(Effect.all([eraseGuestMatches(found), eraseGuestMatches(found)], { concurrency: 2 }))
      )
      assert.isTrue(Exit.isSuccess(twice))
      yield* (yield* makeRemoveExpiredImages)(new Date(Date.now() + 1_000))
      assert.deepStrictEqual(yield* findTablesWithWord("Tumblewick", held.operator.operatorId), [])
    })
  )

  it.effect(`of more than ${GUEST_COMMAND_ORDERS_MAX} orders is not touched`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operator } = yield* insertErasableGuest({ word: "Many", email: "many@guest.example" })
      const orders = (from: number, count: number) => sql`
        WITH entered AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
          SELECT ${operator.operatorId}::bigint, '0-M' || n, 'airbnb', 'M' || n, 'denied', 'EUR', now(), now()
          FROM generate_series(${from}::int, ${from + count - 1}::int) n RETURNING id, reservation_code
        )
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue, guest_email)
        SELECT ${operator.operatorId}::bigint, id, reservation_code, '2025-01-01', '2025-01-02', 1, 1, 'many@guest.example' FROM entered`
      const many = findGuest(operator.operatorId, { by: "email", value: "many@guest.example" }, now)
      yield* orders(1, GUEST_COMMAND_ORDERS_MAX - 1)
      assert.lengthOf(yield* many, GUEST_COMMAND_ORDERS_MAX)
      yield* orders(GUEST_COMMAND_ORDERS_MAX, 1)
      assert.strictEqual((yield* Effect.flip(many))._tag, "TooManyGuestRecords")
    })
  )
})
