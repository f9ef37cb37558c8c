import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CalendarQueue, FETCH_LEASE_MS } from "../../../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import type { ClaimedCalendar } from "../../../../src/domain/calendars/imported-calendars/imported-calendar.ts"
import {
  CONCURRENT_FETCHES_MAX,
  OPERATOR_FETCHES_MAX,
  URL_HOST_FETCHES_MAX
} from "../../../../src/domain/calendars/imported-calendars/taking.ts"
import {
  emptyCalendarTables,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  loadCalendarState,
  NOW
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor, createOperator, insertProperty } from "../../../support/harness.ts"

/** So many due calendars of a property, each of a host of its own unless told. */
const due = Effect.fnUntraced(function* (operatorId: number, count: number, host?: string) {
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(operatorId, `At ${host ?? "hosts"}`)
  yield* sql`
    INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
    SELECT ${operatorId}, ${property}, 'https://' || n || '.example/' || ${host ?? ""}::text,
      coalesce(${host ?? null}::text, n || '.example'), ${new Date(NOW)}::timestamptz - interval '1 minute' * n, now()
    FROM generate_series(1, ${count}::integer) n`
  return property
}, Effect.orDie)

const said = (...days: ReadonlyArray<string>) => ({
  days,
  first: "2027-04-20",
  last: "2030-04-20",
  unblocksDays: true,
  unreadable: null,
  accepted_digest: null,
  bookingWindow: undefined,
  etag: null,
  last_modified: null,
  digest: "x"
})

const by = (taken: ReadonlyArray<ClaimedCalendar>, of: (calendar: ClaimedCalendar) => unknown) =>
  Array.from(Map.groupBy(taken, of).values(), ({ length }) => length).toSorted((one, other) => one - other)

layer(layerImportService)("taking calendars", (it) => {
  it.effect("gives a quiet operator its turn beside a greedy one, and neither more than its share", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const [greedy, quiet] = [yield* createOperator(), yield* createOperator()]
      yield* due(greedy.operatorId, 500)
      yield* due(quiet.operatorId, 1)
      const taken = yield* queue.take(new Date(NOW), 2, [])
      assert.deepStrictEqual(
        taken.map(({ operator_id }) => operator_id).toSorted(),
        [greedy.operatorId, quiet.operatorId].toSorted()
      )
      const more = yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, taken)
      assert.lengthOf(more, OPERATOR_FETCHES_MAX - 1)
      assert.lengthOf(yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, [...taken, ...more]), 0)
    })
  )

  it.effect("asks no host too much, and passes by its calendars for those of others", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      for (let n = 0; n < 4; n++) yield* due((yield* createOperator()).operatorId, 5, "slow.example")
      const first = yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, [])
      assert.deepStrictEqual(
        by(first, ({ host }) => host),
        [URL_HOST_FETCHES_MAX]
      )
      const { operatorId } = yield* createOperator()
      yield* due(operatorId, 5, "slow.example")
      yield* due(operatorId, 2)
      const second = yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, first)
      assert.deepStrictEqual(second.map(({ host }) => host).toSorted(), ["1.example", "2.example"])
    })
  )

  it.effect("leaves out those of operators that are banned or closed, and goes on when they are active again", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      yield* due(operatorId, 2)
      for (const status of ["banned", "closed"] as const) {
        yield* sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`
        assert.lengthOf(yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, []), 0)
      }
      yield* sql`UPDATE operators SET status = 'active' WHERE id = ${operatorId}`
      assert.lengthOf(yield* queue.take(new Date(NOW), CONCURRENT_FETCHES_MAX, []), 2)
    })
  )

  it.effect("leaves one to its worker for the lease, and then to the next, whose word alone counts", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const { operatorId } = yield* createOperator()
      const property = yield* due(operatorId, 1)
      const [dead] = yield* queue.take(new Date(NOW), 1, [])
      assert.isDefined(dead)
      assert.lengthOf(yield* queue.take(new Date(NOW + FETCH_LEASE_MS - 1), 1, []), 0)
      const [next] = yield* queue.take(new Date(NOW + FETCH_LEASE_MS), 1, [])
      assert.isDefined(next)
      if (dead === undefined || next === undefined) return
      const [at, then] = [new Date(NOW + FETCH_LEASE_MS), new Date(NOW + 900_000)]
      assert.isUndefined(yield* asSystemActor(queue.apply(dead, said("2027-05-01"), then, at)))
      assert.isUndefined(yield* asSystemActor(queue.fail(dead, "late", then, at)))
      assert.isUndefined(yield* queue.completeUnchanged(dead, "2027-04-20", then, at))
      yield* queue.release(dead, at)
      assert.deepStrictEqual(yield* asSystemActor(queue.apply(next, said("2027-05-02"), then, at)), {
        changed_days: 1,
        busy_days: 1
      })
      // The answer of the database was lost: done twice it is done once.
      assert.deepStrictEqual(yield* asSystemActor(queue.apply(next, said("2027-05-02"), then, at)), {
        changed_days: 0,
        busy_days: 1
      })
      assert.deepStrictEqual(yield* loadCalendarDays(next.id), ["2027-05-02"])
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["-2027-05-02"])
      assert.deepInclude(yield* loadCalendarState(next.id), { state: "ok", failures: 0, due_at: then })
    })
  )

  it.effect("one that is handed back is due at once", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      yield* due((yield* createOperator()).operatorId, 1)
      const [taken] = yield* queue.take(new Date(NOW), 1, [])
      if (taken === undefined) return assert.fail("nothing was due")
      yield* queue.release(taken, new Date(NOW))
      assert.lengthOf(yield* queue.take(new Date(NOW), 1, []), 1)
    })
  )

  it.effect("one that is removed while it is fetched leaves nothing behind", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      yield* due((yield* createOperator()).operatorId, 1)
      const [taken] = yield* queue.take(new Date(NOW), 1, [])
      if (taken === undefined) return assert.fail("nothing was due")
      yield* asSystemActor((yield* ImportedCalendars).remove(taken.operator_id, taken.id))
      const late = yield* asSystemActor(queue.apply(taken, said("2027-05-01"), new Date(NOW), new Date(NOW)))
      assert.isUndefined(late)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT FROM calendar_days WHERE property_id = ${taken.property_id}`, [])
    })
  )

  it.effect("days past are left as they were, and so are days beyond when the clock goes back", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const property = yield* due((yield* createOperator()).operatorId, 1)
      const [taken] = yield* queue.take(new Date(NOW), 1, [])
      if (taken === undefined) return assert.fail("nothing was due")
      const [at, then] = [new Date(NOW), new Date(NOW + 1)]
      yield* asSystemActor(queue.apply(taken, said("2027-04-20", "2030-04-20"), then, at))
      const reach = { first: "2027-04-21", last: "2030-04-19" }
      yield* asSystemActor(queue.apply(taken, { ...said(), ...reach }, then, at))
      assert.deepStrictEqual(yield* loadCalendarDays(taken.id), ["2027-04-20", "2030-04-20"])
      assert.lengthOf(yield* loadAvailabilityEvents(property), 1)
      yield* TestClock.setTime(NOW)
    })
  )
})
