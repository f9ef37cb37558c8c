import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { toReceivedInput } from "../src/contract/input.ts"
import { addDays } from "../src/contract/time.ts"
import { Service } from "../src/service/service.ts"
import { callWith } from "./in-process.ts"
import { FIRST_DAY, type Ground, NIGHTS, tokenOf } from "./reservation-ground.ts"

/** The call of a case as one of the operators, for the so-manieth time. */
export type Run = (operator: number, index: number) => Effect.Effect<unknown, never, Service>

/** Nobody has booked anything from here on. */
const FREE = "2031-01-01"

const bookingOf = (property: number, span: number) => ({
  property_id: property,
  custom_channel_id: 31,
  check_in_date: addDays(FREE, span * NIGHTS),
  check_out_date: addDays(FREE, (span + 1) * NIGHTS),
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 420,
  commission_amount: 0,
  received_amount: 120,
  income_method_id: 197
})

/** What is measured on a ground that is seeded. */
export const casesOf = Effect.fnUntraced(function* (ground: Ground) {
  const sql = yield* SqlClient.SqlClient
  const first = yield* sql<{ operator: number; id: number }>`
    SELECT operator_id AS operator, min(id) AS id FROM properties GROUP BY operator_id`
  const properties = new Map(first.map(({ operator, id }) => [operator, id]))
  const propertyOf = (operator: number) => properties.get(operator) ?? 0
  const search = (operator: number, fields: object) => callWith(tokenOf(operator), "search_reservations", fields)
  let created = 0
  return {
    // What the way through the Service costs without a table of reservations: the measure for the others.
    "a dictionary, to compare": (operator) => callWith(tokenOf(operator), "query_income_items", {}),
    "page of 20 by check-in date": (operator) =>
      search(operator, {
        start_check_in_date: FIRST_DAY,
        end_check_in_date: addDays(FIRST_DAY, 180),
        order_by: "check_in_date",
        limit: 20
      }),
    "latest 20 booked": (operator) => search(operator, { status: "accepted", limit: 20 }),
    "latest 20 of half a year": (operator) =>
      search(operator, { start_check_out_date: FIRST_DAY, end_check_out_date: addDays(FIRST_DAY, 180), limit: 20 }),
    "latest 20 of a property": (operator) => search(operator, { property_id: propertyOf(operator), limit: 20 }),
    "look-up by channel_id": (operator, index) => search(operator, { channel_id: `B${1 + (index % ground.each)}` }),
    "create, 3 nights held": (operator) =>
      callWith(tokenOf(operator), "create_reservation", bookingOf(propertyOf(operator), created++))
  } satisfies Readonly<Record<string, Run>>
})

const AT_ONCE = 64

const errorCodeOf = Effect.fnUntraced(function* (operator: number, fields: object) {
  const service = yield* Service
  const { envelope } = yield* service.call("create_reservation", {
    transport: "rest",
    headers: { "service-access-token": tokenOf(operator) },
    params: {},
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
  return envelope.error_code
})

const bookedAtOnce = Effect.fnUntraced(function* (
  name: string,
  operator: number,
  bookings: ReadonlyArray<object>,
  expected: number
) {
  const started = performance.now()
  const codes = yield* Effect.forEach(bookings, (booking) => errorCodeOf(operator, booking), {
    concurrency: "unbounded"
  })
  const ms = performance.now() - started
  const made = codes.filter((code) => code === 0).length
  const refused = codes.filter((code) => code === 409).length
  console.log(`  ${name.padEnd(40)} ${made} made, ${refused} refused in ${ms.toFixed(0)} ms`)
  if (made !== expected || made + refused !== bookings.length) {
    yield* Effect.die(new Error(`${name}: ${expected} should have been made, the rest refused: ${codes.join()}`))
  }
})

/** 64 bookings at once in houses of their own, in one house, and of the same nights. Warm: each kind twice. */
export const atOnce = Effect.fnUntraced(function* (operator: number) {
  const sql = yield* SqlClient.SqlClient
  const houses = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operator}, 'Villa ' || n, now() FROM generate_series(1, ${AT_ONCE}::int) n RETURNING id`
  const [one = { id: 0 }] = houses
  const numbers = Array.from({ length: AT_ONCE }, (_, index) => index)
  for (const round of [0, 1]) {
    const span = round * 2 * AT_ONCE
    const inEach = houses.map(({ id }) => bookingOf(id, span))
    yield* bookedAtOnce("64 houses", operator, inEach, AT_ONCE)
    const inOne = numbers.map((index) => bookingOf(one.id, span + 1 + index))
    yield* bookedAtOnce("one house, nights of their own", operator, inOne, AT_ONCE)
    const same = numbers.map(() => bookingOf(one.id, span + AT_ONCE + 1))
    yield* bookedAtOnce("one house, the same nights", operator, same, 1)
  }
})
