import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldOfError } from "../../support/error-messages.ts"
import {
  call,
  createOperator,
  insertOrder,
  insertProperty,
  layerTest,
  typedClient,
  withToken
} from "../../support/harness.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../support/overlapping-transactions.ts"

const income = { direction: "income", item_id: 11, payment_method_id: 197, amount: 100 }

/** An order of two stays that bring 100 each. */
const ready = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator()
  const properties = [yield* insertProperty(operatorId, "Harbour 1"), yield* insertProperty(operatorId, "Harbour 2")]
  const code = yield* insertOrder(
    operatorId,
    properties.map((propertyId) => ({ propertyId, revenue: "100" }))
  )
  const api = yield* typedClient
  const search = { start_date: "2020-01-01", end_date: "2020-12-31", reservation_code: code }
  const entries = Effect.map(api.search_transactions(search).pipe(withToken(token)), ({ transactions }) => transactions)
  const shares = Effect.map(entries, (each) => each.map((entry) => entry.shares.map(({ amount }) => amount)))
  const entered = call(token, "create_transaction", {
    ...income,
    reservation_code: code,
    action_at: "2020-05-05T10:00:00Z"
  })
  // Now the first stay brings three quarters.
  const repriced = call(token, "update_reservation_basic", { stay_code: code, rate_amount: 300 })
  return { token, code, entries, shares, entered, repriced }
})

describe.skipIf(!canOverlap)(withServerNote("an entry on an order that is changed at the same moment"), () => {
  layer(layerTest, { excludeTestServices: false })((it) => {
    it.effect("is split by the new prices when it comes second", () =>
      Effect.gen(function* () {
        const { shares, entered, repriced } = yield* ready
        const [first, second] = yield* runOverlapping(repriced, entered)
        assert.deepStrictEqual([first.error_code, second.error_code], [0, 0])
        assert.deepStrictEqual(yield* shares, [[75, 25]])
      })
    )

    it.effect("is split by the new prices when it comes first", () =>
      Effect.gen(function* () {
        const { shares, entered, repriced } = yield* ready
        const [first, second] = yield* runOverlapping(entered, repriced)
        assert.deepStrictEqual([first.error_code, second.error_code], [0, 0])
        assert.deepStrictEqual(yield* shares, [[75, 25]])
      })
    )

    it.effect("is split by the new prices when its amount is edited", () =>
      Effect.gen(function* () {
        const { token, entries, shares, entered, repriced } = yield* ready
        yield* entered
        const edited = call(token, "update_transaction", { id: (yield* entries)[0]?.id, amount: 200 })
        const [first, second] = yield* runOverlapping(repriced, edited)
        assert.deepStrictEqual([first.error_code, second.error_code], [0, 0])
        assert.deepStrictEqual(yield* shares, [[150, 50]])
      })
    )

    it.effect("keeps the order's currency from changing under it", () =>
      Effect.gen(function* () {
        const { token, code, entered } = yield* ready
        const inDollars = call(token, "update_reservation_basic", { stay_code: code, currency: "USD" })
        const [first, second] = yield* runOverlapping(entered, inDollars)
        assert.strictEqual(first.error_code, 0)
        assert.deepStrictEqual([second.error_code, fieldOfError(second)], [422, "currency"])
        assert.include(second.error_msg, "EUR")
      })
    )

    it.effect("takes the order's new currency when it comes second", () =>
      Effect.gen(function* () {
        const { token, code, entries, entered } = yield* ready
        const inDollars = call(token, "update_reservation_basic", { stay_code: code, currency: "USD" })
        const [, second] = yield* runOverlapping(inDollars, entered)
        assert.strictEqual(second.error_code, 0)
        assert.strictEqual((yield* entries)[0]?.currency, "USD")
      })
    )
  })
})

layer(layerTest, { excludeTestServices: false })("entries on one order", (it) => {
  it.effect("do not hinder each other", () =>
    Effect.gen(function* () {
      const { shares, entered } = yield* ready
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => entered),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ error_code }) => error_code))], [0])
      assert.deepStrictEqual(
        yield* shares,
        Array.from({ length: 20 }, () => [50, 50])
      )
    })
  )
})
