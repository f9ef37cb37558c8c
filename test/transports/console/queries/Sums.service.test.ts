import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SUMS_SHOWN } from "../../../../src/platform/limits.ts"
import { Ledger } from "../../../../src/transports/console/queries/Ledger.ts"
import { Sums } from "../../../../src/transports/console/queries/Sums.ts"
import { asCaller } from "../../../support/console-caller.ts"
import {
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const ALL = { from: undefined, until: undefined, property_id: undefined, order_code: undefined }

const ready = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator()
  const api = yield* typedClient
  const enter = (direction: "income" | "expense", amount: number, fields: object = {}) => {
    const [item_id, payment_method_id] = direction === "income" ? [11, 197] : [52, 301]
    return api.create_transaction({ direction, amount, item_id, payment_method_id, ...fields }).pipe(withToken(token))
  }
  const sums = yield* Effect.provide(Sums, Sums.layer)
  const ledger = yield* Effect.provide(Ledger, Ledger.layer)
  return { operatorId, enter, sums, ledger }
})

/** Two properties with an order of both, and entries of every kind. */
const business = Effect.gen(function* () {
  const { operatorId, enter, ...rest } = yield* ready
  const [a, b] = [yield* insertProperty(operatorId, "A"), yield* insertProperty(operatorId, "B")]
  const code = yield* insertOrder(operatorId, [
    { propertyId: a, revenue: "200" },
    { propertyId: b, revenue: "100" },
    { propertyId: null, revenue: "100" }
  ])
  yield* enter("income", 100.04, { reservation_code: code, action_at: "1970-01-01T00:00:00Z" })
  yield* enter("expense", 30, { property_id: a, currency: "EUR", action_at: "1970-01-01T00:00:00Z" })
  yield* enter("income", 9, { property_id: b, currency: "USD", action_at: "1970-01-01T00:00:00Z" })
  yield* enter("income", 50, { property_id: a, currency: "EUR", action_at: "2300-01-01T00:00:00Z" })
  yield* enter("expense", 1, { currency: "EUR", action_at: "1970-01-01T00:00:00Z" })
  return { operatorId, enter, a, b, code, ...rest }
})

const plain = ({
  income,
  expense,
  income_due,
  expense_due,
  rest
}: Record<"income" | "expense" | "income_due" | "expense_due" | "rest", string>) =>
  [income, expense, income_due, expense_due, rest].map(Number)

layer(layerTest)("sums of money", (it) => {
  it.effect("are by currency, property and category, an order's entry by its shares, in one statement", () =>
    Effect.gen(function* () {
      const { operatorId, sums, a, b } = yield* business
      const [summed, statements] = yield* countStatements(sums.of(ALL)).pipe(asCaller({ operatorId }))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(
        summed.totals.map((total) => [total.currency, ...plain(total)]),
        [
          ["EUR", 100.04, 31, 50, 0, 69.04],
          ["USD", 9, 0, 0, 0, 9]
        ]
      )
      assert.deepStrictEqual(
        summed.by_property.map((row) => [row.title, row.currency, ...plain(row)]),
        [
          ["A", "EUR", 50.02, 30, 50, 0, 20.02],
          ["B", "EUR", 25.01, 0, 0, 0, 25.01],
          // In the box and of the business as a whole.
          [null, "EUR", 25.01, 1, 0, 0, 24.01],
          ["B", "USD", 9, 0, 0, 0, 9]
        ]
      )
      assert.deepStrictEqual(
        summed.by_category.map(({ currency, name, paid, due }) => [currency, name, Number(paid), Number(due)]),
        [
          ["EUR", "Room fee", 100.04, 50],
          ["EUR", "Laundry", 31, 0],
          ["USD", "Room fee", 9, 0]
        ]
      )
      assert.deepStrictEqual(
        summed.properties.map(({ id }) => id),
        [a, b]
      )
      assert.deepStrictEqual(summed.last, new Date("2300-01-01T00:00:00Z"))
    })
  )

  it.effect("are of the period, property or order asked for, and so are the lines of a file", () =>
    Effect.gen(function* () {
      const { operatorId, sums, ledger, a, code } = yield* business
      for (const [asked, income, lines] of [
        [{ ...ALL, until: new Date(1) }, 100.04, 6],
        [{ ...ALL, from: new Date(1) }, 0, 1],
        [{ ...ALL, property_id: a }, 50.02, 3],
        [{ ...ALL, order_code: code }, 100.04, 3],
        [{ ...ALL, order_code: `${code}_1`, property_id: a }, 50.02, 1],
        [{ ...ALL, order_code: "none" }, undefined, 0]
      ] as const) {
        const { totals } = yield* sums.of(asked).pipe(asCaller({ operatorId }))
        const euro = totals.find(({ currency }) => currency === "EUR")?.income
        assert.strictEqual(euro === undefined ? undefined : Number(euro), income, JSON.stringify(asked))
        assert.lengthOf(yield* ledger.lines(asked, 100).pipe(asCaller({ operatorId })), lines)
      }
      assert.lengthOf(yield* ledger.lines(ALL, 2).pipe(asCaller({ operatorId })), 2)
    })
  )

  it.effect("are one's own", () =>
    Effect.gen(function* () {
      const { a, code } = yield* business
      const { operatorId, sums, ledger } = yield* ready
      for (const asked of [ALL, { ...ALL, property_id: a }, { ...ALL, order_code: code }]) {
        const summed = yield* sums.of(asked).pipe(asCaller({ operatorId }))
        assert.deepStrictEqual([summed.totals, summed.by_property, summed.properties], [[], [], []])
        assert.deepStrictEqual(yield* ledger.lines(asked, 100).pipe(asCaller({ operatorId })), [])
      }
    })
  )

  it.effect("are so many and no more, and say how many there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId, sums } = yield* ready
      const add = (count: number) => sql`
        WITH house AS (
          INSERT INTO properties (operator_id, title, created_at)
          SELECT ${operatorId}::bigint, 'P' || n || '-' || ${count}::int, now() FROM generate_series(1, ${count}::int) n RETURNING id)
        INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status,
          operator_name, property_id, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'income', 1, 'EUR', 11, 197, now(), 'paid', 'Owner', id, now(), now() FROM house`
      yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
      yield* add(SUMS_SHOWN)
      assert.lengthOf((yield* sums.of(ALL).pipe(asCaller({ operatorId }))).by_property, SUMS_SHOWN)
      yield* add(1)
      const { by_property, properties_summed, totals } = yield* sums.of(ALL).pipe(asCaller({ operatorId }))
      assert.lengthOf(by_property, SUMS_SHOWN)
      assert.strictEqual(properties_summed, SUMS_SHOWN + 1)
      assert.strictEqual(Number(totals[0]?.income), SUMS_SHOWN + 1)
    })
  )
})
