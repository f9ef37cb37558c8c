import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  CONFLICTING_STAYS_MAX,
  PROPERTIES_OFFERED_MAX,
  STAY_NIGHTS,
  STAY_TASKS_MAX,
  TAGS_OFFERED_MAX
} from "../../../../src/platform/limits.ts"
import { OfferedProperties } from "../../../../src/transports/console/queries/OfferedProperties.ts"
import { StayBeside } from "../../../../src/transports/console/queries/StayBeside.ts"
import { asCaller } from "../../../support/console-caller.ts"
import { createOperator, insertOrder, insertProperty, layerTest } from "../../../support/harness.ts"
import { insertImportedCalendar, insertImportedDays } from "../../../support/imported-calendars.ts"
import { countStatements } from "../../../support/statement-count.ts"

const NIGHTS = { from: "2027-05-04", before: "2027-05-07" }

const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const layers = Layer.mergeAll(OfferedProperties.layer, StayBeside.layer)
  const [offered, beside] = yield* Effect.provide(Effect.all([OfferedProperties, StayBeside]), layers)
  const closed = (propertyId: number, day: string) => sql`
    INSERT INTO calendar_days (operator_id, property_id, day, closed) VALUES (${operatorId}, ${propertyId}, ${day}, true)`
  /** Busy on that day in a calendar of elsewhere; an echo is what it only repeats after us. */
  const busy = Effect.fnUntraced(function* (propertyId: number, day: string, host: string, echo = false) {
    const calendarId = yield* insertImportedCalendar(operatorId, propertyId, `https://${host}/${day}.ics`)
    yield* insertImportedDays(operatorId, propertyId, calendarId, echo, day)
  })
  const of = (nights?: typeof NIGHTS) => asCaller({ operatorId })(offered.of(nights))
  return { sql, operatorId, closed, busy, of, beside: (code: string) => asCaller({ operatorId })(beside.of(code)) }
})

layer(layerTest)("properties that a form offers", (it) => {
  it.effect("are those of the operator by title, with what is in the way of each on the nights", () =>
    Effect.gen(function* () {
      const { sql, operatorId, closed, busy, of } = yield* ready
      const [c, a, b, d] = [
        yield* insertProperty(operatorId, "C"),
        yield* insertProperty(operatorId, "A"),
        yield* insertProperty(operatorId, "B"),
        yield* insertProperty(operatorId, "D")
      ]
      // Until the day of arriving, over it, and from the day of leaving on.
      yield* insertOrder(operatorId, [{ propertyId: a, checkIn: "2027-05-01", checkOut: "2027-05-04" }])
      const over = yield* insertOrder(operatorId, [{ propertyId: a, checkIn: "2027-05-06", checkOut: "2027-05-09" }])
      yield* insertOrder(operatorId, [{ propertyId: b, checkIn: "2027-05-07", checkOut: "2027-05-09" }])
      // It only asks.
      yield* insertOrder(operatorId, [{ propertyId: b, checkIn: "2027-05-04", checkOut: "2027-05-07" }], {
        status: "wait_accept"
      })
      yield* closed(b, "2027-05-03")
      yield* closed(c, "2027-05-04")
      yield* closed(c, "2027-05-06")
      yield* closed(c, "2027-05-07")
      yield* busy(d, "2027-05-05", "airbnb.example")
      yield* busy(d, "2027-05-06", "repeats.example", true)
      yield* busy(d, "2027-05-07", "later.example")
      yield* sql`UPDATE properties SET deactivated_at = now() WHERE id = ${d}`
      yield* insertProperty((yield* createOperator()).operatorId, "Another's")
      const free = { currency: "EUR", deactivated: false, stays: [], closed: 0, elsewhere: [] }
      const [all, statements] = yield* countStatements(of(NIGHTS))
      assert.strictEqual(statements, 1)
      assert.deepStrictEqual(all, [
        {
          ...{ ...free, id: a, title: "A" },
          stays: [{ stay_code: over, guest_name: null, check_in_date: "2027-05-06", check_out_date: "2027-05-09" }]
        },
        { ...free, id: b, title: "B" },
        { ...free, id: c, title: "C", closed: 2 },
        { ...free, id: d, title: "D", deactivated: true, elsewhere: ["airbnb.example"] }
      ])
      assert.deepStrictEqual(
        (yield* of()).map(({ stays, closed, elsewhere }) => [stays.length, closed, elsewhere.length]),
        [0, 0, 0, 0].map(() => [0, 0, 0])
      )
    })
  )

  it.effect("are looked up for nights that a stay can have", () =>
    Effect.gen(function* () {
      const { operatorId, closed, of } = yield* ready
      const id = yield* insertProperty(operatorId, "A")
      yield* closed(id, "2027-05-04")
      const closedOn = (before: string) => Effect.map(of({ ...NIGHTS, before }), ([first]) => first?.closed)
      assert.strictEqual(yield* closedOn("2027-05-05"), 1)
      assert.strictEqual(yield* closedOn("2027-05-04"), 0)
      assert.strictEqual(STAY_NIGHTS, 1_096)
      assert.strictEqual(yield* closedOn("2030-05-04"), 1)
      assert.strictEqual(yield* closedOn("2030-05-05"), 0)
    })
  )

  it.effect("are so many, and so many stays in the way of each, and one more tells that there are more", () =>
    Effect.gen(function* () {
      const { sql, operatorId, of } = yield* ready
      yield* sql`UPDATE operators SET room_limit = ${2 * PROPERTIES_OFFERED_MAX} WHERE id = ${operatorId}`
      yield* sql`
        INSERT INTO properties (operator_id, title, created_at)
        SELECT ${operatorId}, 'House ' || lpad(at::text, 5, '0'), now() FROM generate_series(1, ${PROPERTIES_OFFERED_MAX}) at`
      assert.lengthOf(yield* of(), PROPERTIES_OFFERED_MAX)
      const first = yield* insertProperty(operatorId, "A")
      for (let night = 0; night < CONFLICTING_STAYS_MAX + 2; night += 1) {
        const [checkIn, checkOut] = [`2027-05-1${night}`, `2027-05-1${night + 1}`]
        yield* insertOrder(operatorId, [{ propertyId: first, checkIn, checkOut }])
      }
      const all = yield* of({ from: "2027-05-10", before: "2027-05-20" })
      assert.lengthOf(all, PROPERTIES_OFFERED_MAX + 1)
      assert.strictEqual(all[0]?.title, "A")
      assert.lengthOf(all[0]?.stays ?? [], CONFLICTING_STAYS_MAX + 1)
      yield* insertProperty(operatorId, "B")
      assert.lengthOf(yield* of(), PROPERTIES_OFFERED_MAX + 1)
    })
  )
})

layer(layerTest)("beside a stay", (it) => {
  it.effect("is how far its property is free around it, and what is in the way elsewhere; never itself", () =>
    Effect.gen(function* () {
      const { operatorId, closed, busy, beside } = yield* ready
      const one = yield* insertProperty(operatorId, "One")
      const two = yield* insertProperty(operatorId, "Two")
      const stay = (propertyId: number | null, checkIn: string, checkOut: string) =>
        insertOrder(operatorId, [{ propertyId, checkIn, checkOut }])
      const code = yield* stay(one, "2027-05-04", "2027-05-07")
      const alone = yield* beside(code)
      assert.deepInclude(alone, { free_from: null, free_until: null })
      yield* stay(one, "2027-04-20", "2027-04-22")
      yield* stay(one, "2027-04-28", "2027-05-01")
      yield* busy(one, "2027-05-11", "airbnb.example")
      yield* stay(one, "2027-05-13", "2027-05-15")
      // What the host closed is in nobody's way.
      yield* closed(one, "2027-05-08")
      yield* stay(two, "2027-05-06", "2027-05-08")
      const [found, statements] = yield* countStatements(beside(code))
      assert.strictEqual(statements, 1)
      assert.deepInclude(found, { free_from: "2027-05-01", free_until: "2027-05-11" })
      assert.deepStrictEqual(
        found?.properties.map(({ title, stays }) => [title, stays.length]),
        [
          ["One", 0],
          ["Two", 1]
        ]
      )
      const boxed = yield* stay(null, "2027-05-05", "2027-05-06")
      assert.deepStrictEqual(
        (yield* beside(boxed))?.properties.map(({ title, stays }) => [title, stays.length]),
        [
          ["One", 1],
          ["Two", 0]
        ]
      )
      assert.deepInclude(yield* beside(boxed), { free_from: null, free_until: null, titles: { [boxed]: null } })
    })
  )

  it.effect("are tasks and tags, so many of each, and nothing of another operator's", () =>
    Effect.gen(function* () {
      const { sql, operatorId, beside } = yield* ready
      const code = yield* insertOrder(operatorId, [{ propertyId: null }])
      const before = (yield* beside(code))?.tag_names.length ?? 0
      yield* sql`
        INSERT INTO tasks (operator_id, type, stay_id, expected_date, currency, created_at, updated_at)
        SELECT ${operatorId}::bigint, 'cleaning', s.id, '2027-05-01'::date + at::integer, 'EUR', now(), now()
        FROM stays s, generate_series(1, ${STAY_TASKS_MAX}) at WHERE s.operator_id = ${operatorId}`
      yield* sql`
        INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
        SELECT ${operatorId}, 'zz ' || at, 'red', now() FROM generate_series(1, ${TAGS_OFFERED_MAX - before}) at`
      const full = yield* beside(code)
      assert.deepStrictEqual([full?.tasks.length, full?.tag_names.length], [STAY_TASKS_MAX, TAGS_OFFERED_MAX])
      yield* sql`
        INSERT INTO tasks (operator_id, type, stay_id, expected_date, currency, created_at, updated_at)
        SELECT operator_id, 'other', id, '2028-01-01', 'EUR', now(), now() FROM stays WHERE operator_id = ${operatorId}`
      yield* sql`
        INSERT INTO reservation_tags (operator_id, tag_name, color, created_at) VALUES (${operatorId}, 'zzz', 'red', now())`
      const more = yield* beside(code)
      assert.deepStrictEqual([more?.tasks.length, more?.tag_names.length], [STAY_TASKS_MAX + 1, TAGS_OFFERED_MAX])
      yield* sql`
        INSERT INTO tasks (operator_id, type, stay_id, expected_date, currency, created_at, updated_at)
        SELECT operator_id, 'other', id, '2020-01-01', 'EUR', now(), now() FROM stays WHERE operator_id = ${operatorId}`
      assert.lengthOf((yield* beside(code))?.tasks ?? [], STAY_TASKS_MAX + 1)
      assert.strictEqual(more?.tasks[0]?.type, "other")
      const other = yield* ready
      assert.isUndefined(yield* other.beside(code))
    })
  )
})
