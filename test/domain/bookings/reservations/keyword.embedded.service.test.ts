import { assert, layer, it as test } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import FastCheck from "fast-check"
import { migrations } from "../../../../migrations/index.ts"
import { addDays } from "../../../../src/contract/time.ts"
import { MAX_STAY_IDS } from "../../../../src/domain/bookings/reservations/keyword-search.ts"
import { toKeyword } from "../../../../src/domain/bookings/reservations/rules/keyword.ts"
import { migrate } from "../../../../src/platform/database/migrate.ts"
import { RESERVATION_KEYWORD_MAX, RESERVATION_KEYWORD_MIN } from "../../../../src/platform/limits.ts"
import { eraseGuestMatches } from "../../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../../src/tools/privacy/guest-search.ts"
import {
  insertOperator,
  insertOrderWithoutStayCount
} from "../../../support/domain/bookings/reservations/former-release-rows.ts"
import {
  layerWithoutRateWindows,
  MANUAL_RESERVATION,
  NOW_ISO,
  prepareOperator
} from "../../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor, call, insertOrder } from "../../../support/harness.ts"
import { layerEmptyDatabaseInMemory } from "../../../support/test-database.ts"

const host = Effect.gen(function* () {
  const { api, as, propertyId: property, secondPropertyId: second, ...operator } = yield* prepareOperator
  const create = (channel_id: string, fields: Partial<Parameters<typeof api.create_reservation>[0]> = {}) =>
    api.create_reservation({ ...MANUAL_RESERVATION, property_id: property, channel_id, ...fields }).pipe(as)
  const codesFor = (filters: Parameters<typeof api.search_reservations>[0]) =>
    Effect.map(api.search_reservations(filters).pipe(as), ({ reservations, total }) => {
      assert.strictEqual(total, reservations.length)
      return reservations.map(({ stay_code }) => stay_code)
    })
  return { ...operator, api, as, property, second, create, codesFor }
})

layer(layerWithoutRateWindows, { excludeTestServices: false })("a keyword search of reservations", (it) => {
  it.effect("compares names, e-mail addresses, phone numbers and codes in any case and Unicode form", () =>
    Effect.gen(function* () {
      const { create, codesFor } = yield* host
      yield* create("QX7M2", {
        guest_name: "Zoe\u0308  M\u00dcLLER",
        email: "Zoe.Mueller@Example.com",
        mobile: "+49 (151) 123-45 67"
      })
      yield* create("OTHER1", {
        guest_name: "Bo Berg",
        email: "bo@example.net",
        mobile: "0043 660 999",
        check_in_date: "2027-06-01",
        check_out_date: "2027-06-03"
      })
      const zoe = [
        ["zo\u00eb", "lower case, NFC"],
        ["ZOE\u0308 mu\u0308ller", "upper case, NFD"],
        ["  m\u00fcller ", "spaces around it"],
        ["\u00fclle", "a part of a word"],
        ["mueller@EXAMPLE.com", "a part of the e-mail"],
        ["+49 151 1234567", "the whole number"],
        ["0151/1234567", "the number as it is dialled at home"],
        ["(151) 12-345", "a part of the number"],
        ["4567", "the end of the number"],
        ["5-qx7m2", "the reservation code"],
        ["x7m", "a part of the channel's id"]
      ] as const
      for (const [keyword, what] of zoe) assert.deepStrictEqual(yield* codesFor({ keyword }), ["5-QX7M2"], what)
      assert.deepStrictEqual(yield* codesFor({ keyword: "example" }), ["5-OTHER1", "5-QX7M2"])
      yield* create("GREEK1", {
        guest_name: "\u03a3\u03c9\u03ba\u03c1\u03ac\u03c4\u03b7\u03c2",
        check_in_date: "2027-07-01",
        check_out_date: "2027-07-03"
      })
      const capitals = "\u03a3\u03a9\u039a\u03a1\u0386\u03a4\u0397\u03a3"
      assert.deepStrictEqual(
        yield* codesFor({ keyword: capitals }),
        ["5-GREEK1"],
        "capitals of a name with a final sigma"
      )
      for (const keyword of ["Ada", "%oe", "_oe", "m\u00fcller zo", "1519", "+4"]) {
        assert.deepStrictEqual(yield* codesFor({ keyword: keyword.padEnd(RESERVATION_KEYWORD_MIN, "0") }), [], keyword)
      }
    })
  )

  it.effect("works with any other filter, without a window of days, and in the usual order", () =>
    Effect.gen(function* () {
      const { api, as, create, codesFor, second } = yield* host
      for (const [id, day] of [
        ["K1", "2020-05-04"],
        ["K2", "2027-05-04"],
        ["K3", "2027-08-04"]
      ] as const) {
        yield* create(id, { check_in_date: day, check_out_date: addDays(day, 2) })
      }
      yield* create("K4", { property_id: second, guest_name: "Grace Hopper" })
      yield* api.cancel_reservation({ reservation_code: "5-K3" }).pipe(as)
      const keyword = "lovelace"
      assert.deepStrictEqual(yield* codesFor({ keyword }), ["5-K3", "5-K2", "5-K1"])
      assert.deepStrictEqual(yield* codesFor({ keyword, order_by: "check_in_date" }), ["5-K3", "5-K2", "5-K1"])
      assert.deepStrictEqual(yield* codesFor({ keyword, status: "cancelled" }), ["5-K3"])
      assert.deepStrictEqual(yield* codesFor({ keyword, start_check_in_date: "2027-05-01" }), ["5-K3", "5-K2"])
      assert.deepStrictEqual(yield* codesFor({ keyword, property_id: second }), [])
      assert.deepStrictEqual(yield* codesFor({ keyword, channel_id: "K1" }), ["5-K1"])
      const page = yield* api.search_reservations({ keyword, limit: 1, offset: 1 }).pipe(as)
      assert.deepStrictEqual([page.total, page.reservations.map(({ stay_code }) => stay_code)], [3, ["5-K2"]])
    })
  )

  it.effect("follows edits, and finds further guests and codes of channels", () =>
    Effect.gen(function* () {
      const { api, as, create, codesFor, operatorId, property } = yield* host
      const sql = yield* SqlClient.SqlClient
      yield* create("E1", { email: "ada@example.com", mobile: "+49 151 1111111" })
      const edit = {
        stay_code: "5-E1",
        guest_name: "Grace Hopper",
        email: "grace@example.com",
        mobile: "+1 415 5552671"
      }
      yield* api.update_reservation_basic(edit).pipe(as)
      for (const keyword of ["Lovelace", "ada@example", "1511111111"]) {
        assert.deepStrictEqual(yield* codesFor({ keyword }), [], keyword)
      }
      for (const keyword of ["hopper", "grace@", "4155552671"]) {
        assert.deepStrictEqual(yield* codesFor({ keyword }), ["5-E1"], keyword)
      }
      const code = yield* insertOrder(
        operatorId,
        [{ propertyId: property, checkIn: "2027-07-01", checkOut: "2027-07-02" }],
        {
          channelType: "airbnb"
        }
      )
      yield* sql`
        INSERT INTO guests (operator_id, stay_id, name, phone, email)
        SELECT operator_id, id, 'Charles Babbage', '+44 20 7946 0000', 'cb@example.org' FROM stays
        WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      for (const keyword of ["babbage", "cb@example", "79460000", code.slice(2)]) {
        assert.deepStrictEqual(yield* codesFor({ keyword }), [code], keyword)
      }
    })
  )

  it.effect("never finds an erased guest or a guest of another operator", () =>
    Effect.gen(function* () {
      const { create, codesFor, operatorId } = yield* host
      const other = yield* host
      yield* create("GONE1", { guest_name: "Erasmus Erased", email: "erasmus@example.com", mobile: "+49 151 2222222" })
      yield* other.create("KEPT1", { guest_name: "Erasmus Kept" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO guests (operator_id, stay_id, name, phone)
        SELECT operator_id, id, 'Erasmus Junior', '+49 151 3333333' FROM stays WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* codesFor({ keyword: "Erasmus" }), ["5-GONE1"])
      const guest = yield* findGuest(operatorId, { by: "email", value: "erasmus@example.com" }, new Date(NOW_ISO))
      yield* eraseGuestMatches(guest).pipe(asSystemActor)
      for (const keyword of ["Erasmus", "Junior", "example.com", "1512222222", "1513333333", "GONE1"]) {
        assert.deepStrictEqual(yield* codesFor({ keyword }), [], keyword)
      }
      assert.deepStrictEqual(yield* codesFor({ reservation_code: "5-GONE1" }), ["5-GONE1"])
      assert.deepStrictEqual(yield* other.codesFor({ keyword: "Erasmus" }), ["5-KEPT1"])
    })
  )

  it.effect("has 3 to 100 characters, spaces around them not counted", () =>
    Effect.gen(function* () {
      const { token } = yield* host
      const code = (keyword: string) =>
        Effect.map(call(token, "search_reservations", { keyword }), (envelope) => [
          envelope.error_code,
          envelope.error_msg.split(":")[0]
        ])
      for (const keyword of ["abc", "a".repeat(RESERVATION_KEYWORD_MAX), "\u{1F600}".repeat(RESERVATION_KEYWORD_MIN)]) {
        assert.deepStrictEqual(yield* code(keyword), [0, ""])
      }
      for (const keyword of ["", "ab", " ab ", "   ", "a".repeat(RESERVATION_KEYWORD_MAX + 1), "\u{1F600}a"]) {
        assert.deepStrictEqual(yield* code(keyword), [422, "keyword"])
      }
    })
  )

  it.effect("returns the same pages for a keyword with few matches and with many", () =>
    Effect.gen(function* () {
      const { api, as, operatorId } = yield* host
      const sql = yield* SqlClient.SqlClient
      const enter = (from: number, to: number) => sql`
        WITH entered AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
          SELECT ${operatorId}, '0-' || n, 'airbnb', 'N' || n, CASE WHEN n % 2 = 0 THEN 'denied' ELSE 'wait_accept' END, 'EUR',
            '2026-01-01'::timestamptz + n * interval '1 minute', now()
          FROM generate_series(${from}::int, ${to}::int) n RETURNING operator_id, id, reservation_code
        )
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, guest_name)
        SELECT operator_id, id, reservation_code, '2027-05-01', '2027-05-04', 'Mary Many' FROM entered`
      const search = Effect.gen(function* () {
        const page = yield* api.search_reservations({ keyword: "many", limit: 2 }).pipe(as)
        const half = yield* api.search_reservations({ keyword: "many", status: "denied", limit: 1 }).pipe(as)
        const codes = [...page.reservations, ...half.reservations].map(({ stay_code }) => stay_code)
        return [page.total, half.total, codes]
      })
      // Plans from when the tables were empty would read all orders for each stay.
      yield* enter(1, 100)
      for (const table of ["orders", "stays", "stay_search_texts"]) yield* sql.unsafe(`ANALYZE ${table}`)
      yield* enter(101, MAX_STAY_IDS)
      const few = [MAX_STAY_IDS, MAX_STAY_IDS / 2, [`0-${MAX_STAY_IDS}`, `0-${MAX_STAY_IDS - 1}`, `0-${MAX_STAY_IDS}`]]
      assert.deepStrictEqual(yield* search, few)
      yield* enter(MAX_STAY_IDS + 1, MAX_STAY_IDS + 1)
      const many = [
        MAX_STAY_IDS + 1,
        MAX_STAY_IDS / 2,
        [`0-${MAX_STAY_IDS + 1}`, `0-${MAX_STAY_IDS}`, `0-${MAX_STAY_IDS}`]
      ]
      assert.deepStrictEqual(yield* search, many)
    })
  )
})

test("a keyword is a phone number only if it is written like one", () => {
  assert.deepStrictEqual(toKeyword(" Ada 1234 "), { text: "Ada 1234", digits: undefined })
  assert.deepStrictEqual(toKeyword("+49 (0)15"), { text: "+49 (0)15", digits: "49015" })
  assert.deepStrictEqual(toKeyword("0049.15"), { text: "0049.15", digits: "4915" })
  assert.deepStrictEqual(toKeyword("0049151"), { text: "49151", digits: undefined })
  assert.deepStrictEqual(toKeyword("0012"), { text: "0012", digits: undefined })
  FastCheck.assert(
    FastCheck.property(FastCheck.string(), (text) => {
      const { digits } = toKeyword(text)
      assert.isTrue(digits === undefined || /^[1-9]\d{2,}$/.test(digits))
    })
  )
})

test.effect("a keyword finds stays from before this release, and stays that the previous release writes", () =>
  Effect.gen(function* () {
    yield* migrate(migrations.filter(({ id }) => id < 67))
    const sql = yield* SqlClient.SqlClient
    yield* insertOperator(sql)
    yield* insertOrderWithoutStayCount(sql, "0-OLD", 2)
    yield* sql`UPDATE stays SET guest_name = 'Ada Old'`
    yield* migrate(migrations)
    yield* insertOrderWithoutStayCount(sql, "0-NEW", 1)
    yield* sql`UPDATE stays SET guest_name = 'Ada New' WHERE stay_code LIKE '0-NEW%'`
    const texts = yield* sql<{ words: string }>`SELECT words FROM stay_search_texts ORDER BY stay_id`
    assert.deepStrictEqual(
      texts.map(({ words }) => words.split("\n")[0]),
      ["ada old", "ada old", "ada new"]
    )
  }).pipe(Effect.provide(layerEmptyDatabaseInMemory), Effect.scoped)
)
