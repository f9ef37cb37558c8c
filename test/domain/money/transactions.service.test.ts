import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { fieldOfError } from "../../support/error-messages.ts"
import {
  createAccessToken,
  createOperator,
  insertAccount,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../support/harness.ts"

const income = { direction: "income", currency: "EUR", item_id: 11, payment_method_id: 197 } as const
const MAY = { start_date: "2027-05-01", end_date: "2027-05-31" }
const inMay = (day: string) => `2027-05-${day}T10:00:00Z`

/** A client of a new operator that owns a property. */
const ready = Effect.gen(function* () {
  const operator = yield* createOperator()
  const property = yield* insertProperty(operator.operatorId, "Harbour 1")
  const api = yield* typedClient
  return { ...operator, property, api, as: withToken(operator.token) }
})

const eventsOf = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ event: string; payload: unknown }>`
      SELECT event, payload FROM events WHERE operator_id = ${operatorId} ORDER BY id`
  )

layer(layerTest, { excludeTestServices: false })("income and expense entries", (it) => {
  it.effect("reads back what was created", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      yield* TestClock.setTime(Date.parse("2027-05-10T12:00:00.789Z"))
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 35.5, note: "towels" })
        .pipe(as)
      const { transactions, total } = yield* api.search_transactions({ id }).pipe(as)
      assert.strictEqual(total, 1)
      assert.deepStrictEqual(transactions[0], {
        id,
        direction: "income",
        amount: 35.5,
        currency: "EUR",
        status: "paid",
        action_at: "2027-05-10T12:00:00Z",
        item_id: 11,
        item_name: "Room fee",
        payment_method_id: 197,
        payment_method_name: "Cash",
        note: "towels",
        operator_name: "Owner",
        link_type: "property",
        property_id: property,
        property_title: "Harbour 1",
        reservation_code: null,
        stay_code: null,
        shares: [],
        created_at: "2027-05-10T12:00:00Z",
        updated_at: "2027-05-10T12:00:00Z"
      })
    })
  )

  it.effect("is outstanding exactly when its time is in the future", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      yield* TestClock.setTime(Date.parse(inMay("10")))
      const statusOf = Effect.fnUntraced(function* (action_at: string) {
        const { transaction_id: id } = yield* api
          .create_transaction({ ...income, property_id: property, amount: 1, action_at })
          .pipe(as)
        const { transactions } = yield* api.search_transactions({ id }).pipe(as)
        return transactions[0]?.status
      })
      assert.strictEqual(yield* statusOf("2027-05-10T09:59:59Z"), "paid")
      assert.strictEqual(yield* statusOf("2027-05-10T10:00:00Z"), "paid")
      assert.strictEqual(yield* statusOf("2027-05-10T10:00:01Z"), "outstanding")
    })
  )

  it.effect("keeps the instant of action_at whatever its offset", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 1, action_at: "2027-03-28T03:30:00.250+02:00" })
        .pipe(as)
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      assert.strictEqual(transactions[0]?.action_at, "2027-03-28T01:30:00.250Z")
    })
  )

  it.effect("keeps the microseconds of action_at", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      const actionAtOf = (id: number) =>
        Effect.map(api.search_transactions({ id }).pipe(as), ({ transactions }) => transactions[0]?.action_at)
      const entry = { ...income, property_id: property, amount: 1 }
      const { transaction_id: id } = yield* api
        .create_transaction({ ...entry, action_at: "2027-05-07T10:00:00.123456+02:00" })
        .pipe(as)
      assert.strictEqual(yield* actionAtOf(id), "2027-05-07T08:00:00.123456Z")
      yield* api.update_transaction({ id, action_at: "2027-05-07T10:00:00.000007" }).pipe(as)
      assert.strictEqual(yield* actionAtOf(id), "2027-05-07T08:00:00.000007Z")
      const later = yield* api.create_transaction({ ...entry, action_at: "2027-05-07T08:00:00.000008Z" }).pipe(as)
      const day = { start_date: "2027-05-07", end_date: "2027-05-07" }
      const { transactions } = yield* api.search_transactions(day).pipe(as)
      assert.deepStrictEqual(
        transactions.map((each) => each.id),
        [later.transaction_id, id]
      )
    })
  )

  it.effect("belongs to the day it has in the merchant's zone, on days of 23 and 25 hours too", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      const add = (action_at: string) =>
        api.create_transaction({ ...income, property_id: property, amount: 1, action_at }).pipe(as)
      // Berlin leaves winter time on 2027-03-28 and returns to it on 2027-10-31.
      yield* Effect.forEach(
        [
          "2027-03-27T22:59:59Z",
          "2027-03-27T23:00:00Z",
          "2027-03-28T21:59:59Z",
          "2027-03-28T22:00:00Z",
          "2027-10-30T21:59:59Z",
          "2027-10-30T22:00:00Z",
          "2027-10-31T22:59:59Z",
          "2027-10-31T23:00:00Z"
        ],
        add
      )
      const on = (day: string) =>
        Effect.map(api.search_transactions({ start_date: day, end_date: day }).pipe(as), ({ transactions }) =>
          transactions.map((entry) => entry.action_at)
        )
      assert.deepStrictEqual(yield* on("2027-03-28"), ["2027-03-28T21:59:59Z", "2027-03-27T23:00:00Z"])
      assert.deepStrictEqual(yield* on("2027-10-31"), ["2027-10-31T22:59:59Z", "2027-10-30T22:00:00Z"])
    })
  )

  it.effect("is split over the rooms of its order, to the cent", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const third = yield* insertProperty(operatorId, "Harbour 3")
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, revenue: "100" },
        { propertyId: second, revenue: "100" },
        { propertyId: third, revenue: "100.01" }
      ])
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 100,
          stay_code: `${code}_2`
        })
        .pipe(as)
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      const entry = transactions[0]
      assert.strictEqual(entry?.reservation_code, code)
      assert.strictEqual(entry?.stay_code, code)
      assert.strictEqual(entry?.link_type, "reservation")
      assert.strictEqual(entry?.currency, "EUR")
      assert.isNull(entry?.property_id)
      assert.deepStrictEqual(entry?.shares, [
        { property_id: property, amount: 33.33 },
        { property_id: second, amount: 33.33 },
        { property_id: third, amount: 33.34 }
      ])
      yield* api.update_transaction({ id, amount: 0.02 }).pipe(as)
      const after = yield* api.search_transactions({ id }).pipe(as)
      assert.deepStrictEqual(
        after.transactions[0]?.shares.map((share) => share.amount),
        [0.01, 0, 0.01]
      )
    })
  )

  it.effect("is found by a property of its order and by any stay code of it", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const code = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }])
      const order = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 5,
          reservation_code: code,
          action_at: inMay("02")
        })
        .pipe(as)
      const own = yield* api
        .create_transaction({ ...income, property_id: second, amount: 5, action_at: inMay("03") })
        .pipe(as)
      const ids = (query: object) =>
        Effect.map(api.search_transactions({ ...MAY, ...query }).pipe(as), ({ transactions }) =>
          transactions.map((entry) => entry.id)
        )
      assert.deepStrictEqual(yield* ids({ property_id: second }), [own.transaction_id, order.transaction_id])
      assert.deepStrictEqual(yield* ids({ property_id: property }), [order.transaction_id])
      assert.deepStrictEqual(yield* ids({ reservation_code: code }), [order.transaction_id])
      assert.deepStrictEqual(yield* ids({ reservation_code: `${code}_1` }), [order.transaction_id])
      assert.deepStrictEqual(yield* ids({ stay_code: `${code}_1` }), [order.transaction_id])
    })
  )

  it.effect("on an order shows a property only if all stays of the order are in it", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const second = yield* insertProperty(operatorId, "Harbour 2")
      const inMonth = (month: string, propertyId: number | null) => ({
        ...{ propertyId, checkIn: `2027-${month}-01`, checkOut: `2027-${month}-03` }
      })
      const propertyShown = Effect.fnUntraced(function* (...stays: Parameters<typeof insertOrder>[1]) {
        const reservation_code = yield* insertOrder(operatorId, stays)
        const { transaction_id: id } = yield* api
          .create_transaction({ direction: "income", item_id: 11, payment_method_id: 197, amount: 5, reservation_code })
          .pipe(as)
        const { transactions } = yield* api.search_transactions({ id }).pipe(as)
        return [transactions[0]?.property_id, transactions[0]?.property_title]
      })
      const harbour = [property, "Harbour 1"]
      const none = [null, null]
      assert.deepStrictEqual(yield* propertyShown(inMonth("01", property), inMonth("02", property)), harbour)
      assert.deepStrictEqual(yield* propertyShown(inMonth("03", property), inMonth("03", second)), none)
      // A stay in the reservation box is in no property.
      assert.deepStrictEqual(yield* propertyShown(inMonth("04", property), inMonth("04", null)), none)
      assert.deepStrictEqual(yield* propertyShown(inMonth("05", null)), none)
    })
  )

  it.effect("of an order in one property shows that property", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const code = yield* insertOrder(operatorId, [{ propertyId: property }])
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 5,
          reservation_code: code
        })
        .pipe(as)
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      assert.strictEqual(transactions[0]?.property_id, property)
    })
  )

  it.effect("narrows by every filter, newest first, page by page", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      yield* TestClock.setTime(Date.parse(inMay("02")) - 1)
      const add = (day: string, more: object) =>
        Effect.map(
          api
            .create_transaction({ ...income, property_id: property, amount: 5, action_at: inMay(day), ...more })
            .pipe(as),
          ({ transaction_id }) => transaction_id
        )
      const a = yield* add("01", { note: "Big CLEAN of the boat" })
      const b = yield* add("02", { direction: "expense", item_id: 51, payment_method_id: 301, currency: "JPY" })
      const c = yield* add("03", { item_id: 13, payment_method_id: 34, note: "50% off_now" })
      const ids = (query: object) =>
        Effect.map(api.search_transactions({ ...MAY, ...query }).pipe(as), ({ transactions, total }) => ({
          ids: transactions.map((entry) => entry.id),
          total
        }))
      assert.deepStrictEqual(yield* ids({}), { ids: [c, b, a], total: 3 })
      assert.deepStrictEqual(yield* ids({ limit: 2 }), { ids: [c, b], total: 3 })
      assert.deepStrictEqual(yield* ids({ limit: 2, offset: 2 }), { ids: [a], total: 3 })
      assert.deepStrictEqual(yield* ids({ offset: 5 }), { ids: [], total: 3 })
      assert.deepStrictEqual(yield* ids({ direction: "expense" }), { ids: [b], total: 1 })
      assert.deepStrictEqual(yield* ids({ currency: "JPY" }), { ids: [b], total: 1 })
      assert.deepStrictEqual(yield* ids({ item_id: 13 }), { ids: [c], total: 1 })
      assert.deepStrictEqual(yield* ids({ payment_method_id: 301 }), { ids: [b], total: 1 })
      assert.deepStrictEqual(yield* ids({ keyword: "clean" }), { ids: [a], total: 1 })
      assert.deepStrictEqual(yield* ids({ status: "outstanding" }), { ids: [c, b], total: 2 })
      assert.deepStrictEqual(yield* ids({ status: "paid" }), { ids: [a], total: 1 })
      assert.deepStrictEqual(yield* ids({ status: "outstanding", direction: "income" }), { ids: [c], total: 1 })
      assert.deepStrictEqual(yield* ids({ keyword: "%" }), { ids: [c], total: 1 })
      assert.deepStrictEqual(yield* ids({ id: a }), { ids: [a], total: 1 })
      const [nfd, nfc] = ["Cre\u0300me bru\u0302le\u0301e", "cr\u00e8me BR\u00db"]
      const d = yield* add("04", { note: nfd })
      const e = yield* add("05", { note: nfc })
      for (const keyword of ["Cr\u00e8me", "CRE\u0300ME", "me bru\u0302"]) {
        assert.deepStrictEqual(yield* ids({ keyword }), { ids: [e, d], total: 2 }, keyword)
      }
      // A note reads back as it was sent.
      const { transactions } = yield* api.search_transactions({ id: d }).pipe(as)
      assert.strictEqual(transactions[0]?.note, nfd)
      assert.deepStrictEqual(yield* ids({ start_date: "2027-05-02", end_date: "2027-05-02" }), { ids: [b], total: 1 })
    })
  )

  it.effect("changes only what an edit sends, and never its time unless that is sent", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      yield* TestClock.setTime(Date.parse(inMay("10")))
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 5, note: "before", action_at: inMay("03") })
        .pipe(as)
      yield* TestClock.adjust("2 hours")
      const entry = Effect.map(api.search_transactions({ id }).pipe(as), ({ transactions }) => transactions[0])
      yield* api.update_transaction({ id, amount: 7.25, note: "after" }).pipe(as)
      const edited = yield* entry
      assert.strictEqual(edited?.amount, 7.25)
      assert.strictEqual(edited?.note, "after")
      assert.strictEqual(edited?.action_at, inMay("03"))
      assert.strictEqual(edited?.item_id, 11)
      assert.strictEqual(edited?.updated_at, "2027-05-10T12:00:00Z")
      assert.strictEqual(edited?.created_at, "2027-05-10T10:00:00Z")
      yield* api.update_transaction({ id, action_at: inMay("20"), item_id: 13, payment_method_id: 34 }).pipe(as)
      const moved = yield* entry
      assert.strictEqual(moved?.status, "outstanding")
      assert.strictEqual(moved?.action_at, inMay("20"))
      assert.strictEqual(moved?.item_name, "Cleaning fee")
      assert.strictEqual(moved?.payment_method_name, "Stripe")
    })
  )

  it.effect("keeps its status if its own action_at is sent back, and gets a new one from another action_at", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      yield* TestClock.setTime(Date.parse(inMay("10")))
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 5, action_at: "2027-05-12T10:00:00.000001Z" })
        .pipe(as)
      const entry = Effect.map(api.search_transactions({ id }).pipe(as), ({ transactions }) => transactions[0])
      assert.strictEqual((yield* entry)?.status, "outstanding")
      yield* TestClock.setTime(Date.parse(inMay("20")))
      // The last is what a program sends back that keeps milliseconds.
      for (const action_at of [
        "2027-05-12T10:00:00.000001Z",
        "2027-05-12T12:00:00.000001+02:00",
        "2027-05-12T10:00:00.000Z"
      ]) {
        yield* api.update_transaction({ id, note: "late", action_at }).pipe(as)
        assert.strictEqual((yield* entry)?.status, "outstanding")
      }
      assert.strictEqual((yield* entry)?.action_at, "2027-05-12T10:00:00.000001Z")
      yield* api.update_transaction({ id, action_at: "2027-05-12T10:00:01Z" }).pipe(as)
      assert.strictEqual((yield* entry)?.status, "paid")
    })
  )

  it.effect("is settled by the status paid, whatever its time, and counts as received", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      yield* TestClock.setTime(Date.parse(inMay("10")))
      const reservation_code = yield* insertOrder(operatorId, [{ propertyId: property, revenue: "100" }])
      const action_at = inMay("20")
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 40,
          reservation_code,
          action_at
        })
        .pipe(as)
      const read = Effect.gen(function* () {
        const { transactions } = yield* api.search_transactions({ id }).pipe(as)
        const { reservations } = yield* api.search_reservations({ reservation_code }).pipe(as)
        return [transactions[0]?.status, transactions[0]?.action_at, reservations[0]?.payment.received_amount]
      })
      assert.deepStrictEqual(yield* read, ["outstanding", action_at, 0])
      // The status it has is no change.
      yield* api.update_transaction({ id, status: "outstanding" }).pipe(as)
      const before = yield* eventsOf(operatorId)
      yield* api.update_transaction({ id, status: "paid" }).pipe(as)
      assert.deepStrictEqual(yield* read, ["paid", action_at, 40])
      assert.deepStrictEqual((yield* eventsOf(operatorId)).slice(before.length), [
        { event: "transaction_updated", payload: { transaction_id: id } }
      ])
      // A settled entry that is sent back whole stays settled, and does not become outstanding again.
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      const [settled] = transactions
      if (settled === undefined) return assert.fail("the entry is gone")
      yield* api.update_transaction({ ...settled, note: "in cash" }).pipe(as)
      assert.deepStrictEqual(yield* read, ["paid", action_at, 40])
      const error = yield* Effect.flip(api.update_transaction({ id, status: "outstanding" }).pipe(as))
      assert.deepStrictEqual([error._tag, fieldOfError({ error_msg: error.message })], ["ValidationFailed", "status"])
      assert.include(error.message, "paid")
    })
  )

  it.effect("takes its unchangeable fields with the value they have, and no other", () =>
    Effect.gen(function* () {
      const { api, as, property, operatorId } = yield* ready
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 5 })
        .pipe(as)
      yield* api
        .update_transaction({ id, direction: "income", currency: "EUR", property_id: property, reservation_code: null })
        .pipe(as)
      // Nothing changed, so nobody is told of a change.
      assert.strictEqual((yield* eventsOf(operatorId)).length, 1)
      const refusal = (change: object) => Effect.flip(api.update_transaction({ id, ...change }).pipe(as))
      for (const [field, change] of [
        ["direction", { direction: "expense" }],
        ["currency", { currency: "USD" }],
        ["property_id", { property_id: property + 1 }],
        ["property_id", { property_id: null }],
        ["reservation_code", { reservation_code: "5-X" }],
        ["stay_code", { stay_code: "5-X" }]
      ] as const) {
        const error = yield* refusal(change)
        assert.strictEqual(error._tag, "ValidationFailed")
        assert.match(error.message, new RegExp(`^${field}: cannot be changed`))
      }
    })
  )

  it.effect("is gone for good when deleted", () =>
    Effect.gen(function* () {
      const { api, as, property } = yield* ready
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 5 })
        .pipe(as)
      yield* api.delete_transaction({ id }).pipe(as)
      assert.deepStrictEqual(yield* api.search_transactions({ id }).pipe(as), { transactions: [], total: 0 })
      assert.strictEqual((yield* Effect.flip(api.delete_transaction({ id }).pipe(as)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(api.update_transaction({ id, amount: 1 }).pipe(as)))._tag, "NotFound")
    })
  )

  it.effect("tells what happened to it, once each and only when it did", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const { transaction_id: id } = yield* api
        .create_transaction({ ...income, property_id: property, amount: 5 })
        .pipe(as)
      yield* api.update_transaction({ id, note: "x" }).pipe(as)
      yield* Effect.flip(api.update_transaction({ id, currency: "USD" }).pipe(as))
      yield* Effect.flip(api.create_transaction({ ...income, property_id: property, amount: 5, item_id: 999 }).pipe(as))
      yield* api.delete_transaction({ id }).pipe(as)
      yield* Effect.flip(api.delete_transaction({ id }).pipe(as))
      assert.deepStrictEqual(yield* eventsOf(operatorId), [
        { event: "transaction_created", payload: { transaction_id: id } },
        { event: "transaction_updated", payload: { transaction_id: id } },
        { event: "transaction_deleted", payload: { transaction_id: id } }
      ])
    })
  )

  it.effect("on the operator as a whole is the main account's to create", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const accountId = yield* insertAccount(operatorId, "sub", "Helper")
      const asSub = withToken(yield* createAccessToken({ operatorId, accountId }, "writable"))
      const error = yield* Effect.flip(api.create_transaction({ ...income, amount: 5 }).pipe(asSub))
      assert.strictEqual(error._tag, "Forbidden")
      const own = yield* api.create_transaction({ ...income, amount: 5, property_id: property }).pipe(asSub)
      const whole = yield* api.create_transaction({ ...income, amount: 5 }).pipe(as)
      const seen = (id: number) =>
        Effect.map(api.search_transactions({ id }).pipe(as), (found) => found.transactions[0])
      assert.strictEqual((yield* seen(own.transaction_id))?.operator_name, "Helper")
      assert.strictEqual((yield* seen(whole.transaction_id))?.link_type, "operator")
      assert.isNull((yield* seen(whole.transaction_id))?.property_id)
    })
  )

  it.effect("without property and reservation is changed and deleted only by the main account", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const accountId = yield* insertAccount(operatorId, "sub", "Helper")
      const asSub = withToken(yield* createAccessToken({ operatorId, accountId }, "writable"))
      const whole = yield* api.create_transaction({ ...income, amount: 5 }).pipe(as)
      const id = whole.transaction_id
      const before = yield* api.search_transactions({ id }).pipe(as)
      for (const error of [
        yield* Effect.flip(api.update_transaction({ id, amount: 6 }).pipe(asSub)),
        yield* Effect.flip(api.update_transaction({ id }).pipe(asSub)),
        yield* Effect.flip(api.delete_transaction({ id }).pipe(asSub))
      ]) {
        assert.strictEqual(error._tag, "Forbidden")
        assert.match(error.message, /main account may (change|delete)/)
      }
      assert.deepStrictEqual(yield* api.search_transactions({ id }).pipe(as), before)
      // What is on a property is everybody's.
      const own = yield* api.create_transaction({ ...income, amount: 5, property_id: property }).pipe(as)
      yield* api.update_transaction({ id: own.transaction_id, amount: 6 }).pipe(asSub)
      yield* api.delete_transaction({ id: own.transaction_id }).pipe(asSub)
      assert.strictEqual((yield* Effect.flip(api.delete_transaction({ id: 999_999_999 }).pipe(asSub)))._tag, "NotFound")
      yield* api.update_transaction({ id, amount: 6 }).pipe(as)
      yield* api.delete_transaction({ id }).pipe(as)
    })
  )

  it.effect("is named by the account's dictionary before the built-in one", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO dictionary_entries (operator_id, dictionary, id, name) VALUES
        (${operatorId}, 'income_items', 11, 'Nights'), (${operatorId}, 'income_items', 90001, 'Sauna'),
        (${operatorId}, 'income_methods', 90001, 'Barter')`
      const { income_items } = yield* api.query_income_items({}).pipe(as)
      assert.deepInclude(income_items, { id: 11, name: "Nights" })
      assert.deepInclude(income_items, { id: 13, name: "Cleaning fee" })
      assert.deepInclude(income_items, { id: 90001, name: "Sauna" })
      const nameOf = Effect.fnUntraced(function* (item_id: number, payment_method_id: number) {
        const { transaction_id: id } = yield* api
          .create_transaction({ ...income, property_id: property, amount: 5, item_id, payment_method_id })
          .pipe(as)
        const { transactions } = yield* api.search_transactions({ id }).pipe(as)
        return [transactions[0]?.item_name, transactions[0]?.payment_method_name]
      })
      assert.deepStrictEqual(yield* nameOf(11, 197), ["Nights", "Cash"])
      assert.deepStrictEqual(yield* nameOf(90001, 90001), ["Sauna", "Barter"])
      assert.deepStrictEqual(yield* nameOf(13, 34), ["Cleaning fee", "Stripe"])
    })
  )

  it.effect("finds every dictionary filled for every operator", () =>
    Effect.gen(function* () {
      const { api, as } = yield* ready
      assert.isAbove((yield* api.query_income_items({}).pipe(as)).income_items.length, 0)
      assert.isAbove((yield* api.query_expense_items({}).pipe(as)).expense_items.length, 0)
      assert.isAbove((yield* api.query_income_methods({}).pipe(as)).income_methods.length, 0)
      assert.isAbove((yield* api.query_expense_methods({}).pipe(as)).expense_methods.length, 0)
    })
  )

  it.effect("survives two edits at once with shares that still add up", () =>
    Effect.gen(function* () {
      const { api, as, operatorId, property } = yield* ready
      const code = yield* insertOrder(operatorId, [
        { propertyId: property, revenue: "70" },
        { propertyId: property, revenue: "30.5", checkIn: "2027-06-01", checkOut: "2027-06-03" }
      ])
      const { transaction_id: id } = yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 5,
          reservation_code: code
        })
        .pipe(as)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => 10 + index * 1.01),
        (amount) => api.update_transaction({ id, amount: Math.round(amount * 100) / 100 }).pipe(as),
        { concurrency: "unbounded" }
      )
      const { transactions } = yield* api.search_transactions({ id }).pipe(as)
      const cents = (amount: number) => Math.round(amount * 100)
      const entry = transactions[0]
      assert.strictEqual(
        entry?.shares.reduce((sum, share) => sum + cents(share.amount), 0),
        cents(entry?.amount ?? 0)
      )
    })
  )
})
