import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { STAY_SEARCH_ROWS_MAX } from "../../../../src/platform/limits.ts"
import {
  checkOutRangeOf,
  FoundStays,
  type StaySearchFilter,
  UNASSIGNED_PROPERTY
} from "../../../../src/transports/console/queries/FoundStays.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertOrder, insertProperty, layerTest, type OrderOptions } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const TODAY = "2027-05-04"

const ANY: StaySearchFilter = {
  searchText: undefined,
  propertyId: undefined,
  status: undefined,
  payment: undefined,
  from: undefined,
  to: undefined,
  checkOutFrom: undefined,
  checkOutTo: undefined
}

/** Without a property, several stays may have the same nights. */
const UNASSIGNED = { propertyId: null } as const

const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const stays = yield* Effect.provide(FoundStays, FoundStays.layer)
  /** A stay of somebody, in the property unless it is said where; answers its code. */
  const guest = Effect.fnUntraced(function* (
    name: string,
    checkIn: string,
    checkOut: string,
    { propertyId = property, ...options }: OrderOptions & { readonly propertyId?: number | null } = {}
  ) {
    const code = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], options)
    yield* sql`UPDATE stays SET guest_name = ${name} WHERE operator_id = ${operatorId} AND stay_code = ${code}`
    return code
  })
  const search = (sought: Partial<StaySearchFilter> = {}, offset = 0, clock = `${TODAY} 10:00:00`) =>
    asCaller({ operatorId })(stays.of({ ...ANY, ...sought }, clock, offset))
  const names = (sought: Partial<StaySearchFilter> = {}) =>
    Effect.map(search(sought), ({ rows }) => rows.map(({ guest_name }) => guest_name))
  const paid = (code: string, amount: number, status = "paid") => sql`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status, operator_name,
      order_id, created_at, updated_at)
    SELECT operator_id, 'income', ${amount}::numeric, 'EUR', 11, 197, now(), ${status}, 'Owner', id, now(), now()
    FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
  return { sql, operatorId, property, stays, guest, search, names, paid }
})

layer(layerTest)("a host's search of stays", (it) => {
  it.effect("is one statement, and of those who are here or come soon where nothing is asked", () =>
    Effect.gen(function* () {
      const { guest, search, names } = yield* ready
      yield* guest("Gone", "2027-05-01", "2027-05-03")
      yield* guest("Leaves today", "2027-05-03", "2027-05-04")
      yield* guest("Last of the days", "2027-10-29", "2027-10-31")
      yield* guest("After them", "2027-10-31", "2027-11-01")
      yield* guest("Comes", "2027-05-09", "2027-05-12")
      const [{ rows, total }, statements] = yield* countStatements(search())
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        rows.map(({ guest_name }) => guest_name),
        ["Leaves today", "Comes", "Last of the days"]
      )
      assert.strictEqual(total, 3)
      assert.deepStrictEqual(yield* names({ from: "2027-10-31" }), ["After them"])
      assert.deepStrictEqual(yield* names({ to: "2027-05-01" }), ["Gone"])
      assert.deepStrictEqual(yield* names({ checkOutFrom: "2027-05-03", checkOutTo: "2027-05-04" }), [
        "Gone",
        "Leaves today"
      ])
      assert.deepStrictEqual(yield* names({ from: "2027-05-09", to: "2027-05-09" }), ["Comes"])
      assert.deepStrictEqual(yield* names({ from: "2027-05-09", checkOutTo: "2027-05-12" }), ["Comes"])
    })
  )

  it.effect("finds names by a part of them, in whatever case, and codes by a part or, whatever the days, whole", () =>
    Effect.gen(function* () {
      const { sql, operatorId, guest, names } = yield* ready
      const code = yield* guest("Åda 50%_Lovelace", "2027-04-01", "2027-04-03")
      const longAgo = yield* guest("Long ago", "2020-01-01", "2020-01-03", { channelType: "airbnb" })
      yield* guest("Grace", "2027-05-09", "2027-05-12")
      for (const words of ["lovelace", "LOVE", "50%_l", code, code.slice(3), code.toLowerCase()]) {
        assert.deepStrictEqual(yield* names({ searchText: words }), ["Åda 50%_Lovelace"], words)
      }
      // Neither is a pattern.
      assert.deepStrictEqual(yield* names({ searchText: "A%e" }), [])
      assert.deepStrictEqual(yield* names({ searchText: "a\u030ada" }), yield* names({ searchText: "\u00e5da" }))
      assert.lengthOf(yield* names({ searchText: "a\u030ada" }), 1)
      assert.deepStrictEqual(yield* names({ searchText: longAgo }), ["Long ago"])
      assert.deepStrictEqual(yield* names({ searchText: longAgo.slice(2) }), ["Long ago"], "the channel's own id")
      assert.deepStrictEqual(yield* names({ searchText: longAgo.slice(0, -1) }), [])
      assert.deepStrictEqual(yield* names({ searchText: "ong ag", to: "2020-01-01" }), ["Long ago"])
      // What else is asked holds of a whole code too.
      assert.deepStrictEqual(yield* names({ searchText: longAgo, status: "cancelled" }), [])
      // Both ways, and yet one row.
      yield* sql`UPDATE stays SET guest_name = ${code} WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      assert.deepStrictEqual(yield* names({ searchText: code }), [code])
    })
  )

  it.effect("finds all stays of an order by the order's code", () =>
    Effect.gen(function* () {
      const { operatorId, property, search } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const code = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }])
      const { rows } = yield* search({ searchText: code })
      assert.deepStrictEqual(
        rows.map(({ stay_code, property_title, rate, stays, total }) => [
          ...[stay_code, property_title, Number(rate), stays, Number(total)]
        ]),
        [
          [code, "Harbour 1", 100, 2, 200],
          [`${code}_1`, "Harbour 2", 100, 2, 200]
        ]
      )
    })
  )

  it.effect("narrows by property, and by the box", () =>
    Effect.gen(function* () {
      const { operatorId, guest, names } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      yield* guest("In one", "2027-05-09", "2027-05-12")
      yield* guest("In two", "2027-05-09", "2027-05-12", { propertyId: second })
      yield* guest("Boxed", "2027-05-09", "2027-05-12", { propertyId: null })
      assert.deepStrictEqual(yield* names({ propertyId: second }), ["In two"])
      assert.deepStrictEqual(yield* names({ propertyId: UNASSIGNED_PROPERTY }), ["Boxed"])
      assert.lengthOf(yield* names(), 3)
    })
  )

  it.effect("narrows by how an order stands: what waits is all that waits", () =>
    Effect.gen(function* () {
      const { guest, names } = yield* ready
      yield* guest("Accepted", "2027-05-09", "2027-05-12")
      yield* guest("Asked long ago", "2026-01-09", "2026-01-12", { status: "wait_accept" })
      yield* guest("Pays in a year", "2028-05-09", "2028-05-12", { status: "wait_pay" })
      yield* guest("Denied", "2027-05-09", "2027-05-12", { status: "denied" })
      assert.deepStrictEqual(yield* names({ status: "accepted" }), ["Accepted"])
      assert.deepStrictEqual(yield* names({ status: "wait_accept" }), ["Asked long ago"])
      assert.deepStrictEqual(yield* names({ status: "wait_pay" }), ["Pays in a year"])
      assert.deepStrictEqual(yield* names({ status: "denied" }), ["Denied"])
      assert.deepStrictEqual(yield* names({ status: "timeout" }), [])
    })
  )

  it.effect("finds those whose documents wait to be looked at", () =>
    Effect.gen(function* () {
      const { sql, operatorId, guest, names } = yield* ready
      const waits = yield* guest("Waits", "2028-05-09", "2028-05-12")
      yield* guest("Sent none", "2027-05-09", "2027-05-12")
      const sent = (code: string) => sql`
        INSERT INTO identity_images (operator_id, order_id, large_url, extra_large_url, created_at)
        SELECT operator_id, id, 'l', 'x', now() FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
      yield* sql`UPDATE stays SET id_required = 'required_with_review' WHERE operator_id = ${operatorId}`
      yield* sent(waits)
      yield* sent(yield* guest("Not looked at", "2027-05-14", "2027-05-15"))
      assert.deepStrictEqual(yield* names({ status: "check_in" }), ["Waits"])
      // Of an order's stays those that somebody handed in for.
      yield* sql`
        INSERT INTO stays (operator_id, order_id, stay_code, guest_name, check_in_date, check_out_date, rate, accommodation_revenue,
          id_required)
        SELECT operator_id, order_id, stay_code || '_1', 'Beside', check_in_date, check_out_date, 0, 0, id_required
        FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${waits}`
      assert.deepStrictEqual(yield* names({ status: "check_in" }), ["Waits", "Beside"])
      yield* sql`
        UPDATE identity_images i SET stay_id = s.id FROM stays s
        WHERE i.operator_id = ${operatorId} AND s.operator_id = i.operator_id AND s.order_id = i.order_id AND s.stay_code = ${waits}`
      assert.deepStrictEqual(yield* names({ status: "check_in" }), ["Waits"])
      yield* sql`UPDATE stays SET check_in_approved_at = now() WHERE operator_id = ${operatorId} AND stay_code = ${waits}`
      assert.deepStrictEqual(yield* names({ status: "check_in" }), [])
    })
  )

  it.effect("tells what is paid from what is not, by money that has come in", () =>
    Effect.gen(function* () {
      const { guest, names, search, paid } = yield* ready
      const part = yield* guest("Part", "2027-03-01", "2027-03-03")
      const whole = yield* guest("Whole", "2027-05-09", "2027-05-12")
      const more = yield* guest("More", "2027-06-09", "2027-06-12")
      const promised = yield* guest("Promised", "2027-07-09", "2027-07-12")
      yield* guest("Nothing yet", "2027-08-09", "2027-08-12")
      yield* guest("Only asked", "2027-09-09", "2027-09-12", { status: "wait_accept" })
      yield* paid(part, 40)
      yield* paid(whole, 60)
      yield* paid(whole, 40)
      yield* paid(more, 140)
      yield* paid(promised, 100, "outstanding")
      assert.deepStrictEqual(yield* names({ payment: "unpaid" }), ["Part", "Promised", "Nothing yet"])
      assert.deepStrictEqual(yield* names({ payment: "paid" }), ["Whole", "More"])
      // The days of an order that is not paid are those of the search.
      assert.deepStrictEqual(yield* names({ payment: "unpaid", from: "2027-07-09", to: "2027-07-09" }), ["Promised"])
      assert.deepStrictEqual(yield* names({ payment: "unpaid", checkOutTo: "2027-03-03" }), ["Part"])
      const { rows } = yield* search({ searchText: "Part" })
      assert.deepStrictEqual(
        rows.map(({ total, balance }) => [Number(total), Number(balance)]),
        [[100, 60]]
      )
      const all = yield* search({ searchText: "More" })
      assert.deepStrictEqual(
        all.rows.map(({ balance }) => Number(balance)),
        [0]
      )
    })
  )

  it.effect("tells of a whole code whether it is paid, whatever its days", () =>
    Effect.gen(function* () {
      const { guest, names, paid } = yield* ready
      const whole = yield* guest("Whole long ago", "2020-01-01", "2020-01-03")
      const part = yield* guest("Part in years", "2030-01-01", "2030-01-03")
      const asked = yield* guest("Only asked", "2030-02-01", "2030-02-03", { status: "wait_accept" })
      yield* paid(whole, 100)
      yield* paid(part, 99)
      const isAs = (words: string, payment: "paid" | "unpaid") =>
        Effect.map(names({ searchText: words, payment }), (all) => all.length)
      for (const [code, is, isNot] of [
        [whole, "paid", "unpaid"],
        [part, "unpaid", "paid"]
      ] as const) {
        assert.deepStrictEqual([yield* isAs(code, is), yield* isAs(code, isNot)], [1, 0])
      }
      assert.deepStrictEqual([yield* isAs(asked, "paid"), yield* isAs(asked, "unpaid")], [0, 0])
    })
  )

  it.effect("shows who has left by check-out time, and no balance of an order that is over", () =>
    Effect.gen(function* () {
      const { guest, search } = yield* ready
      yield* guest("Leaves", "2027-05-02", TODAY)
      yield* guest("Stays", TODAY, "2027-05-06")
      const at = (time: string) =>
        Effect.map(search({}, 0, `${TODAY} ${time}`), ({ rows }) => rows.map(({ stay_status }) => stay_status))
      assert.deepStrictEqual(yield* at("10:59:59"), ["checkin_pending", "checkin_pending"])
      assert.deepStrictEqual(yield* at("11:00:00"), ["stay_completed", "checkin_pending"])
      yield* guest("Gone", "2027-08-01", "2027-08-03", { status: "denied" })
      const { rows } = yield* search({ searchText: "Gone" })
      assert.deepStrictEqual(
        rows.map(({ balance }) => balance),
        ["0"]
      )
    })
  )

  it.effect("pages a list that is longer than a page", () =>
    Effect.gen(function* () {
      const { guest, search } = yield* ready
      for (let at = 0; at <= STAY_SEARCH_ROWS_MAX; at += 1) {
        yield* guest(`Guest ${at}`, "2027-05-09", "2027-05-12", { propertyId: null })
      }
      const first = yield* search()
      assert.deepStrictEqual([first.total, first.rows.length], [STAY_SEARCH_ROWS_MAX + 1, STAY_SEARCH_ROWS_MAX])
      const second = yield* search({}, STAY_SEARCH_ROWS_MAX)
      assert.strictEqual(second.total, STAY_SEARCH_ROWS_MAX + 1)
      assert.deepStrictEqual(
        second.rows.map(({ guest_name }) => guest_name),
        [`Guest ${STAY_SEARCH_ROWS_MAX}`]
      )
    })
  )

  it.effect("finds who has checked in, and who has checked out", () =>
    Effect.gen(function* () {
      const { sql, operatorId, guest, names } = yield* ready
      const mark = (code: string, status: string) =>
        sql`UPDATE stays SET stay_status = ${status} WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      yield* mark(yield* guest("Is here", "2027-05-02", "2027-05-06", UNASSIGNED), "in_house")
      yield* mark(yield* guest("Left early", "2027-05-01", "2027-05-04", UNASSIGNED), "stay_completed")
      yield* guest("Never marked", "2027-04-01", "2027-04-03", UNASSIGNED)
      yield* guest("Leaves at eleven", "2027-05-03", TODAY, UNASSIGNED)
      yield* guest("Declined", "2027-04-05", "2027-04-07", { ...UNASSIGNED, status: "denied" })
      yield* guest("Comes", "2027-05-09", "2027-05-12", UNASSIGNED)
      assert.deepStrictEqual(yield* names({ status: "in_house" }), ["Is here"])
      assert.deepStrictEqual(yield* names({ status: "stay_completed" }), ["Never marked", "Left early"])
    })
  )

  it.effect("gives a file the rows of all pages, up to a limit, in one statement", () =>
    Effect.gen(function* () {
      const { operatorId, guest, stays } = yield* ready
      for (const name of ["One", "Two", "Three"]) yield* guest(name, "2027-05-09", "2027-05-12", { propertyId: null })
      const lines = (limit: number) => asCaller({ operatorId })(stays.lines(ANY, `${TODAY} 10:00:00`, limit))
      const [rows, statements] = yield* countStatements(lines(3))
      assert.deepStrictEqual([rows.length, statements], [3, 1])
      assert.lengthOf(yield* lines(2), 2)
    })
  )

  it.effect("finds nothing of another operator's", () =>
    Effect.gen(function* () {
      const one = yield* ready
      const code = yield* one.guest("Ada", "2027-05-09", "2027-05-12")
      const other = yield* ready
      assert.deepStrictEqual(yield* other.names({ searchText: code }), [])
      assert.deepStrictEqual(yield* other.names({ propertyId: one.property }), [])
      assert.deepStrictEqual(yield* other.names(), [])
    })
  )

  it("says which days it covers", () => {
    const { from, to } = checkOutRangeOf(ANY, TODAY)
    assert.deepStrictEqual([from, to], [TODAY, "2027-10-31"])
    assert.deepStrictEqual(checkOutRangeOf({ ...ANY, searchText: "a" }, TODAY), {
      from: "2026-11-05",
      to: "2027-10-31"
    })
    assert.deepStrictEqual(checkOutRangeOf({ ...ANY, searchText: "a", checkOutTo: TODAY }, TODAY), {
      from: undefined,
      to: undefined
    })
    assert.deepStrictEqual(checkOutRangeOf({ ...ANY, status: "check_in" }, TODAY), { from: TODAY, to: undefined })
    assert.deepStrictEqual(checkOutRangeOf({ ...ANY, status: "stay_completed" }, TODAY), {
      from: "2026-11-05",
      to: TODAY
    })
  })
})
