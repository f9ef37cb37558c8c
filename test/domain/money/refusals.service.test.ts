import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AMOUNT_MAX, TRANSACTION_NOTE_LENGTH } from "../../../src/platform/limits.ts"
import { call, createOperator, insertOrder, insertProperty, layerTest } from "../../support/harness.ts"

// Every rule an entry can break, with its code and the field its message names; nothing is changed by any of them.

const preconditions = Effect.gen(function* () {
  const operator = yield* createOperator()
  const property_id = yield* insertProperty(operator.operatorId, "Harbour 1")
  const reservation_code = yield* insertOrder(operator.operatorId, [{ propertyId: property_id }])
  const entry = { direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 }
  return { ...operator, property_id, reservation_code, entry }
})

type Preconditions = Effect.Success<typeof preconditions>

const rows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* sql`SELECT t::text FROM transactions t WHERE operator_id = ${operatorId} ORDER BY id`
  const events = yield* sql`SELECT e::text FROM events e WHERE operator_id = ${operatorId} ORDER BY id`
  return { entries, events }
})

type Case = readonly [what: string, fields: (given: Preconditions) => object, code: number, message: RegExp]

const creations: ReadonlyArray<Case> = [
  [
    "property and order",
    (g) => ({ ...g.entry, property_id: g.property_id, reservation_code: g.reservation_code }),
    400,
    /^property_id/
  ],
  [
    "order and stay",
    (g) => ({ ...g.entry, reservation_code: g.reservation_code, stay_code: g.reservation_code }),
    400,
    /^reservation_code/
  ],
  [
    "no currency on a property",
    (g) => ({ ...g.entry, currency: undefined, property_id: g.property_id }),
    400,
    /^currency/
  ],
  [
    "another currency than the order's",
    (g) => ({ ...g.entry, currency: "USD", reservation_code: g.reservation_code }),
    422,
    /^currency/
  ],
  ["an unknown currency", (g) => ({ ...g.entry, currency: "XXY" }), 422, /^currency/],
  ["a property that is null", (g) => ({ ...g.entry, property_id: null }), 400, /^property_id/],
  ["an order that is null", (g) => ({ ...g.entry, reservation_code: null }), 400, /^reservation_code/],
  ["a stay that is null", (g) => ({ ...g.entry, stay_code: null }), 400, /^stay_code/],
  ["an unknown property", (g) => ({ ...g.entry, property_id: 987_654_321 }), 404, /^property_id/],
  ["an unknown order", (g) => ({ ...g.entry, reservation_code: "5-NOPE" }), 404, /^reservation_code: /],
  ["an unknown stay", (g) => ({ ...g.entry, stay_code: "5-NOPE" }), 404, /^stay_code: /],
  [
    "property and stay",
    (g) => ({ ...g.entry, property_id: g.property_id, stay_code: g.reservation_code }),
    400,
    /^property_id: cannot be given together with stay_code/
  ],
  ["an expense item on an income", (g) => ({ ...g.entry, item_id: 51 }), 422, /^item_id/],
  ["an expense method on an income", (g) => ({ ...g.entry, payment_method_id: 301 }), 422, /^payment_method_id/],
  ["no amount", (g) => ({ ...g.entry, amount: undefined }), 400, /^amount/],
  ["an amount of zero", (g) => ({ ...g.entry, amount: 0 }), 422, /^amount/],
  ["a negative amount", (g) => ({ ...g.entry, amount: -5 }), 422, /^amount/],
  ["an amount above the largest", (g) => ({ ...g.entry, amount: AMOUNT_MAX + 1 }), 422, /^amount/],
  ["a tenth of a cent", (g) => ({ ...g.entry, amount: 0.001 }), 422, /^amount/],
  ["half a yen", (g) => ({ ...g.entry, amount: 0.5, currency: "JPY" }), 422, /^amount/],
  ["another direction", (g) => ({ ...g.entry, direction: "loss" }), 422, /^direction/],
  ["a note too long", (g) => ({ ...g.entry, note: "n".repeat(TRANSACTION_NOTE_LENGTH + 1) }), 422, /^note/],
  ["an unreadable time", (g) => ({ ...g.entry, action_at: "yesterday" }), 400, /^action_at/],
  ["a time before the year 1", (g) => ({ ...g.entry, action_at: "0001-01-01T13:59:59+14:00" }), 422, /^action_at/],
  ["a time after the year 9999", (g) => ({ ...g.entry, action_at: "9999-12-31T23:59:59-00:01" }), 422, /^action_at/],
  ["a day as a time", (g) => ({ ...g.entry, action_at: "2027-05-07" }), 400, /^action_at/],
  [
    "seven digits of a second",
    (g) => ({ ...g.entry, action_at: "2027-05-07T10:00:00.1234567Z" }),
    422,
    /^action_at: must be a time with at most six decimals of a second/
  ],
  [
    "no link but nulls",
    (g) => ({ ...g.entry, property_id: null, reservation_code: null, stay_code: null }),
    400,
    /^property_id: .* reservation_code: .* stay_code: /
  ]
]

const edits: ReadonlyArray<Case> = [
  ["an amount of zero", () => ({ amount: 0 }), 422, /^amount/],
  ["a tenth of a cent", () => ({ amount: 5.001 }), 422, /^amount/],
  ["an expense item", () => ({ item_id: 51 }), 422, /^item_id/],
  ["an unknown method", () => ({ payment_method_id: 424_242 }), 422, /^payment_method_id/],
  ["a note too long", () => ({ note: "n".repeat(TRANSACTION_NOTE_LENGTH + 1) }), 422, /^note/],
  ["an unreadable time", () => ({ action_at: "2027-13-01T00:00:00Z" }), 400, /^action_at/],
  ["a time before the year 1", () => ({ action_at: "0001-01-01T00:00:00+00:01" }), 422, /^action_at/],
  ["a time after the year 9999", () => ({ action_at: "9999-12-31T12:00:00-12:00" }), 422, /^action_at/],
  ["another direction", () => ({ direction: "expense" }), 422, /^direction/],
  ["another currency", () => ({ currency: "USD" }), 422, /^currency/],
  ["another property", () => ({ property_id: 1 }), 422, /^property_id/],
  ["an order", (g) => ({ reservation_code: g.reservation_code }), 422, /^reservation_code/],
  ["a stay", (g) => ({ stay_code: g.reservation_code }), 422, /^stay_code/],
  ["another kind of link", () => ({ link_type: "operator" }), 422, /^link_type: cannot be changed/],
  ["another status", () => ({ status: "outstanding" }), 422, /^status: cannot be changed/],
  ["a status that there is not", () => ({ status: "cancelled" }), 422, /^status: must be one of paid, outstanding/],
  ["seven digits of a second", () => ({ action_at: "2027-05-07T10:00:00.1234560Z" }), 422, /^action_at: .*six decimals/]
]

const searches: ReadonlyArray<Case> = [
  ["an unknown stay", () => ({ id: 1, stay_code: "5-NOPE" }), 404, /^stay_code: /],
  ["an unknown order", () => ({ id: 1, reservation_code: "5-NOPE" }), 404, /^reservation_code: /],
  ["no dates", () => ({}), 400, /^start_date/],
  ["a status alone", () => ({ status: "outstanding" }), 400, /^start_date/],
  ["a status that there is not", () => ({ id: 1, status: "due" }), 422, /^status/],
  ["one date", () => ({ start_date: "2027-05-01" }), 400, /^end_date/],
  ["a backward range", () => ({ start_date: "2027-05-02", end_date: "2027-05-01" }), 422, /^start_date/],
  ["a range too long", () => ({ start_date: "2027-01-01", end_date: "2028-01-02" }), 422, /^end_date/],
  [
    "both codes",
    (g) => ({ id: 1, reservation_code: g.reservation_code, stay_code: g.reservation_code }),
    400,
    /^reservation_code/
  ]
]

layer(layerTest)("what is refused", (it) => {
  for (const [what, fields, code, message] of creations) {
    it.effect(`creating with ${what}`, () =>
      Effect.gen(function* () {
        const its = yield* preconditions
        const envelope = yield* call(its.token, "create_transaction", JSON.parse(JSON.stringify(fields(its))))
        assert.strictEqual(envelope.error_code, code, envelope.error_msg)
        assert.match(envelope.error_msg, message)
        assert.deepStrictEqual(yield* rows(its.operatorId), { entries: [], events: [] })
      })
    )
  }

  for (const [what, fields, code, message] of edits) {
    it.effect(`editing with ${what}`, () =>
      Effect.gen(function* () {
        const its = yield* preconditions
        const created = yield* call(its.token, "create_transaction", { ...its.entry, property_id: its.property_id })
        const before = yield* rows(its.operatorId)
        const [entry] = yield* (yield* SqlClient.SqlClient)<{ id: number }>`
          SELECT id FROM transactions WHERE operator_id = ${its.operatorId}`
        const envelope = yield* call(its.token, "update_transaction", { id: entry?.id, ...fields(its) })
        assert.strictEqual(created.error_code, 0)
        assert.strictEqual(envelope.error_code, code, envelope.error_msg)
        assert.match(envelope.error_msg, message)
        assert.deepStrictEqual(yield* rows(its.operatorId), before)
      })
    )
  }

  for (const [what, fields, code, message] of searches) {
    it.effect(`searching with ${what}`, () =>
      Effect.gen(function* () {
        const its = yield* preconditions
        const envelope = yield* call(its.token, "search_transactions", fields(its))
        assert.strictEqual(envelope.error_code, code, envelope.error_msg)
        assert.match(envelope.error_msg, message)
      })
    )
  }

  it.effect("not what stands exactly at the limit", () =>
    Effect.gen(function* () {
      const its = yield* preconditions
      for (const more of [
        { note: "n".repeat(TRANSACTION_NOTE_LENGTH) },
        { amount: AMOUNT_MAX },
        { amount: 0.01 },
        { action_at: "0001-01-01T00:00:00Z" },
        { action_at: "9999-12-31T23:59:59Z" },
        { action_at: "9999-12-31T23:59:59.999+00:00" },
        { action_at: "9999-12-31T23:59:59.999999Z" },
        { property_id: its.property_id, reservation_code: null, stay_code: null },
        { reservation_code: its.reservation_code, property_id: null, stay_code: null },
        { stay_code: its.reservation_code, property_id: null, reservation_code: null },
        { amount: 1, currency: "JPY" }
      ]) {
        const envelope = yield* call(its.token, "create_transaction", { ...its.entry, ...more })
        assert.strictEqual(envelope.error_code, 0, envelope.error_msg)
      }
    })
  )
})
