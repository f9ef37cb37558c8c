import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../../../../src/admission/windows/RateWindows.ts"
import { createOperator, insertProperty, layerService, typedClient, withToken } from "../../../harness.ts"
import { layerTestDatabase } from "../../../test-database.ts"

// What the tests of reservations begin with.

export const TODAY = "2027-04-20"
export const NOW_ISO = `${TODAY}T10:00:00Z`

/** The service without rate windows: these tests create more in a minute than a host may. */
export const layerWithoutRateWindows = layerService(layerTestDatabase, RateWindows.layerUnbounded)

/** A new operator with two properties, at ten o'clock UTC of a day in April. */
export const prepareOperator = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse(NOW_ISO))
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Harbour 1")
  const secondPropertyId = yield* insertProperty(operator.operatorId, "Harbour 2")
  const api = yield* typedClient
  return { ...operator, propertyId, secondPropertyId, api, as: withToken(operator.token) }
})

/** A reservation by hand; the property and whatever else matters is the test's. */
export const MANUAL_RESERVATION = {
  custom_channel_id: 31,
  check_in_date: "2027-05-04",
  check_out_date: "2027-05-07",
  guest_name: "Ada Lovelace",
  currency: "EUR",
  rate_amount: 420,
  commission_amount: 0,
  received_amount: 0,
  income_method_id: 197
} as const

/** An event's name and its own fields. */
interface RecordedEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** What happened to an operator, oldest first; `sub_event` only where there is one. */
export const loadEvents = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ event: string; payload: Record<string, unknown> }>`
    SELECT event, payload FROM events WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ event, payload }): RecordedEvent => ({ event, ...payload }))
})

/** Forgets what happened so far: a test looks at the events of one step. */
export const deleteEvents = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM events WHERE operator_id = ${operatorId}`
})

/** Who holds which night, as `property day stay_code`, in order. */
export const loadNightHolders = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ property: number; day: string; stay: string }>`
    SELECT d.property_id AS property, d.day, s.stay_code AS stay
    FROM calendar_days d JOIN stays s ON s.operator_id = d.operator_id AND s.id = d.stay_id
    WHERE d.operator_id = ${operatorId} ORDER BY d.property_id, d.day`
  return rows.map(({ property, day, stay }) => `${property} ${day} ${stay}`)
})

/** Every row of the operator in the tables of reservations, money, calendar and events: to see that nothing changed. */
export const loadReservationRows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = [
    "orders",
    "stays",
    "guests",
    "calendar_days",
    "transactions",
    "transaction_shares",
    "stay_tags",
    "reservation_tags",
    "events"
  ]
  return yield* Effect.forEach(
    tables,
    (name) =>
      sql<{ row: string }>`SELECT t::text AS row FROM ${sql(name)} t WHERE operator_id = ${operatorId} ORDER BY 1`
  )
})

/** The stay of that code as the record shows it. */
export const loadStayRow = Effect.fnUntraced(function* (
  operator: Effect.Success<typeof prepareOperator>,
  stay_code: string
) {
  const { reservations } = yield* operator.api
    .search_reservations({ reservation_code: stay_code.split("_")[0] ?? "" })
    .pipe(operator.as)
  return reservations.find((each) => each.stay_code === stay_code)
})

/** The event that tells which days of a property changed. */
export const makeAvailabilityEvent = (property_id: number, ...days: ReadonlyArray<readonly [string, boolean]>) => ({
  event: "property_availability_updated",
  property_id,
  availabilities: days.map(([date, isAvailable]) => ({ date, available: isAvailable }))
})

/** Events of one statement have no order among each other. */
export const sortEvents = (events: ReadonlyArray<object>) =>
  events.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
