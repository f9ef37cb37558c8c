import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { REPORT_PROPERTIES_MAX } from "../../../../src/platform/limits.ts"
import { Year } from "../../../../src/transports/console/queries/Year.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertOrder, insertProperty, layerTest } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const years = yield* Effect.provide(Year, Year.layer)
  /** Entered in Berlin's new year, unless it is said when. */
  const house = Effect.fnUntraced(function* (title: string, created = "2026-12-31T23:00:00Z", deactivated?: string) {
    const id = yield* insertProperty(operatorId, title)
    yield* sql`
      UPDATE properties SET created_at = ${created}::timestamptz, deactivated_at = ${deactivated ?? null}::timestamptz WHERE id = ${id}`
    return id
  })
  const income = (
    amount: number,
    at: string,
    link: { property?: number; order?: string; status?: string; currency?: string }
  ) => sql`
    WITH entry AS (
      INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, status,
        operator_name, property_id, order_id, created_at, updated_at)
      SELECT ${operatorId}::bigint, 'income', ${amount}::numeric, ${link.currency ?? "EUR"}, 11, 197, ${at}::timestamptz, ${link.status ?? "paid"},
        'Owner', ${link.property ?? null}::bigint, (SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${link.order ?? ""}),
        now(), now() RETURNING *)
    INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
    SELECT entry.operator_id, entry.id, s.id, s.accommodation_revenue FROM entry
    JOIN stays s ON s.operator_id = entry.operator_id AND s.order_id = entry.order_id`
  const of = ({ property }: { readonly property?: number } = {}) =>
    asCaller({ operatorId, timeZone: "Europe/Berlin" })(years.of(2027, property))
  return { operatorId, sql, house, income, of }
})

const monthIn = <Row>(months: ReadonlyArray<Row>, month: number): Row =>
  months[month - 1] ?? assert.fail(`no month ${month}`)

layer(layerTest)("a year", (it) => {
  it.effect("counts the nights of each month that were sold, of those that could be", () =>
    Effect.gen(function* () {
      const { operatorId, sql, house, of } = yield* ready
      const a = yield* house("A")
      yield* house("B")
      // Over the end of a month, and of the year.
      yield* insertOrder(operatorId, [{ propertyId: a, checkIn: "2027-03-30", checkOut: "2027-04-02" }])
      yield* insertOrder(operatorId, [{ propertyId: a, checkIn: "2027-12-31", checkOut: "2028-01-03" }])
      yield* sql`
        INSERT INTO calendar_days (operator_id, property_id, day, closed, imported)
        SELECT ${operatorId}::bigint, ${a}::bigint, day::date, day < '2027-05-03', (day >= '2027-05-03')::int
        FROM generate_series('2027-05-01'::timestamp, '2027-05-05', '1 day') day`
      const { months, properties, total } = yield* of()
      assert.lengthOf(months, 12)
      assert.deepInclude(monthIn(months, 3), { sold: 2, open: 62 })
      assert.deepInclude(monthIn(months, 4), { sold: 1, open: 60 })
      assert.deepInclude(monthIn(months, 5), { sold: 0, open: 57 })
      assert.deepInclude(monthIn(months, 12), { sold: 1, open: 62 })
      assert.strictEqual(total, 2)
      assert.deepInclude(properties[0], { id: a, title: "A", sold: 4, open: 360 })
      assert.deepStrictEqual(monthIn(properties[0]?.months ?? [], 5), { sold: 0, open: 26 })
      const one = yield* of({ property: a })
      assert.deepInclude(monthIn(one.months, 3), { sold: 2, open: 31 })
    })
  )

  it.effect(
    "knows of no night before a property was there or after it was deactivated, but of those that were sold",
    () =>
      Effect.gen(function* () {
        const { operatorId, house, of } = yield* ready
        const late = yield* house("Late", "2027-06-14T22:00:00Z", "2027-08-10T22:00:00Z")
        assert.deepStrictEqual(
          (yield* of()).months.map(({ open }) => open),
          [0, 0, 0, 0, 0, 16, 31, 10, 0, 0, 0, 0]
        )
        yield* insertOrder(operatorId, [{ propertyId: late, checkIn: "2027-05-31", checkOut: "2027-06-02" }])
        yield* insertOrder(operatorId, [{ propertyId: late, checkIn: "2027-08-09", checkOut: "2027-08-13" }])
        const { months } = yield* of()
        assert.deepStrictEqual(
          months.map(({ open }) => open),
          [0, 0, 0, 0, 1, 30, 31, 12, 0, 0, 0, 0]
        )
        assert.strictEqual(monthIn(months, 8).sold, 4)
      })
  )

  it.effect("adds up what was paid by share, property, month and currency, on the operator's clock", () =>
    Effect.gen(function* () {
      const { operatorId, house, income, of } = yield* ready
      const [a, b] = [yield* house("A"), yield* house("B")]
      const order = yield* insertOrder(operatorId, [
        { propertyId: a, revenue: "60" },
        { propertyId: b, revenue: "40" }
      ])
      yield* income(100, "2027-05-31T21:59:59Z", { order })
      // In Berlin it is June by then.
      yield* income(10, "2027-05-31T22:00:00Z", { property: a })
      yield* income(7, "2027-06-10T00:00:00Z", { property: a, currency: "USD" })
      yield* income(5, "2027-06-10T00:00:00Z", {})
      yield* income(1000, "2027-06-10T00:00:00Z", { property: a, status: "outstanding" })
      yield* income(1000, "2026-12-31T22:59:59Z", { property: a })
      yield* income(1000, "2027-12-31T23:00:00Z", { property: a })
      const amounts = (all: ReadonlyArray<{ currency: string; amount: string }>) =>
        all.map(({ currency, amount }) => `${Number(amount)} ${currency}`)
      const { months, properties, elsewhere } = yield* of()
      assert.deepStrictEqual(amounts(monthIn(months, 5).income), ["100 EUR"])
      assert.deepStrictEqual(amounts(monthIn(months, 6).income), ["15 EUR", "7 USD"])
      assert.deepStrictEqual(amounts(monthIn(months, 1).income), [])
      assert.deepStrictEqual(
        properties.map(({ income }) => amounts(income)),
        [["70 EUR", "7 USD"], ["40 EUR"]]
      )
      assert.deepStrictEqual(amounts(elsewhere), ["5 EUR"])
      const one = yield* of({ property: b })
      assert.deepStrictEqual(
        one.months.flatMap(({ income }) => amounts(income)),
        ["40 EUR"]
      )
      assert.deepStrictEqual(one.elsewhere, [])
    })
  )

  it.effect("is one statement, and has a row for so many properties and no more", () =>
    Effect.gen(function* () {
      const { operatorId, sql, of } = yield* ready
      const add = (count: number) => sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}::bigint, 'P' || n || '-' || ${count}::int, '2027-12-31T00:00:00Z' FROM generate_series(1, ${count}::int) n`
      yield* sql`UPDATE operators SET room_limit = 1000 WHERE id = ${operatorId}`
      yield* add(REPORT_PROPERTIES_MAX)
      const [full, statements] = yield* countStatements(of())
      assert.strictEqual(statements, 1)
      assert.lengthOf(full.properties, REPORT_PROPERTIES_MAX)
      yield* add(1)
      const more = yield* of()
      assert.lengthOf(more.properties, REPORT_PROPERTIES_MAX)
      assert.strictEqual(more.total, REPORT_PROPERTIES_MAX + 1)
      assert.strictEqual(monthIn(more.months, 12).open, REPORT_PROPERTIES_MAX + 1)
    })
  )

  it.effect("is one's own", () =>
    Effect.gen(function* () {
      const other = yield* ready
      const theirs = yield* other.house("Theirs")
      yield* other.income(5, "2027-06-10T00:00:00Z", { property: theirs })
      const { of } = yield* ready
      for (const asked of [{}, { property: theirs }]) {
        const { properties, months } = yield* of(asked)
        assert.deepStrictEqual(properties, [])
        assert.isTrue(months.every(({ open, income }) => open === 0 && income.length === 0))
      }
    })
  )
})
