import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CalendarQueue, FETCH_LEASE_MS } from "../../../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import {
  CONCURRENT_FETCHES_MAX,
  OPERATOR_FETCHES_MAX,
  URL_HOST_FETCHES_MAX
} from "../../../../src/domain/calendars/imported-calendars/claim-statements.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import type { ClaimedCalendar } from "../../../../src/domain/calendars/imported-calendars/imported-calendar.ts"
import {
  emptyCalendarTables,
  layerImportService,
  loadAvailabilityEvents,
  loadCalendarDays,
  loadCalendarState,
  NOW
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor, createOperator, insertProperty } from "../../../support/harness.ts"

/** Inserts due calendars of a new property, each of a host of its own unless `host` is given. */
const insertDueCalendars = Effect.fnUntraced(function* (operatorId: number, count: number, host?: string) {
  const sql = yield* SqlClient.SqlClient
  const property = yield* insertProperty(operatorId, `At ${host ?? "hosts"}`)
  yield* sql`
    INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
    SELECT ${operatorId}, ${property}, 'https://' || n || '.example/' || ${host ?? ""}::text,
      coalesce(${host ?? null}::text, n || '.example'), ${new Date(NOW)}::timestamptz - interval '1 minute' * n, now()
    FROM generate_series(1, ${count}::integer) n`
  return property
}, Effect.orDie)

const toUpdate = (...days: ReadonlyArray<string>) => ({
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

const countBy = (calendars: ReadonlyArray<ClaimedCalendar>, of: (calendar: ClaimedCalendar) => unknown) =>
  Array.from(Map.groupBy(calendars, of).values(), ({ length }) => length).toSorted((one, other) => one - other)

layer(layerImportService)("claims of imported calendars", (it) => {
  it.effect("serve a quiet operator beside a busy one, and neither beyond its share", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const [greedy, quiet] = [yield* createOperator(), yield* createOperator()]
      yield* insertDueCalendars(greedy.operatorId, 500)
      yield* insertDueCalendars(quiet.operatorId, 1)
      const claimed = yield* queue.claim(new Date(NOW), 2, [])
      assert.deepStrictEqual(
        claimed.map(({ operator_id }) => operator_id).toSorted(),
        [greedy.operatorId, quiet.operatorId].toSorted()
      )
      const more = yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, claimed)
      assert.lengthOf(more, OPERATOR_FETCHES_MAX - 1)
      assert.lengthOf(yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, [...claimed, ...more]), 0)
    })
  )

  it.effect("limit the fetches of a host, and skip its calendars for those of other hosts", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      for (let n = 0; n < 4; n++) yield* insertDueCalendars((yield* createOperator()).operatorId, 5, "slow.example")
      const first = yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, [])
      assert.deepStrictEqual(
        countBy(first, ({ host }) => host),
        [URL_HOST_FETCHES_MAX]
      )
      const { operatorId } = yield* createOperator()
      yield* insertDueCalendars(operatorId, 5, "slow.example")
      yield* insertDueCalendars(operatorId, 2)
      const second = yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, first)
      assert.deepStrictEqual(second.map(({ host }) => host).toSorted(), ["1.example", "2.example"])
    })
  )

  it.effect("skip calendars of banned and closed operators until they are active again", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      yield* insertDueCalendars(operatorId, 2)
      for (const status of ["banned", "closed"] as const) {
        yield* sql`UPDATE operators SET status = ${status} WHERE id = ${operatorId}`
        assert.lengthOf(yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, []), 0)
      }
      yield* sql`UPDATE operators SET status = 'active' WHERE id = ${operatorId}`
      assert.lengthOf(yield* queue.claim(new Date(NOW), CONCURRENT_FETCHES_MAX, []), 2)
    })
  )

  it.effect("last for the lease; after that only the next worker can store an outcome", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const { operatorId } = yield* createOperator()
      const property = yield* insertDueCalendars(operatorId, 1)
      const [dead] = yield* queue.claim(new Date(NOW), 1, [])
      assert.isDefined(dead)
      assert.lengthOf(yield* queue.claim(new Date(NOW + FETCH_LEASE_MS - 1), 1, []), 0)
      const [next] = yield* queue.claim(new Date(NOW + FETCH_LEASE_MS), 1, [])
      assert.isDefined(next)
      if (dead === undefined || next === undefined) return
      const [at, then] = [new Date(NOW + FETCH_LEASE_MS), new Date(NOW + 900_000)]
      assert.isUndefined(yield* asSystemActor(queue.apply(dead, toUpdate("2027-05-01"), then, at)))
      assert.isUndefined(yield* asSystemActor(queue.fail(dead, "late", then, at)))
      assert.isUndefined(yield* queue.completeUnchanged(dead, "2027-04-20", then, at))
      yield* queue.release(dead, at)
      assert.deepStrictEqual(yield* asSystemActor(queue.apply(next, toUpdate("2027-05-02"), then, at)), {
        changed_days: 1,
        busy_days: 1
      })
      // A repeat after a lost response of the database changes nothing.
      assert.deepStrictEqual(yield* asSystemActor(queue.apply(next, toUpdate("2027-05-02"), then, at)), {
        changed_days: 0,
        busy_days: 1
      })
      assert.deepStrictEqual(yield* loadCalendarDays(next.id), ["2027-05-02"])
      assert.deepStrictEqual(yield* loadAvailabilityEvents(property), ["-2027-05-02"])
      assert.deepInclude(yield* loadCalendarState(next.id), { state: "ok", failures: 0, due_at: then })
    })
  )

  it.effect("make a calendar due at once when they are released", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      yield* insertDueCalendars((yield* createOperator()).operatorId, 1)
      const [claimed] = yield* queue.claim(new Date(NOW), 1, [])
      if (claimed === undefined) return assert.fail("nothing was due")
      yield* queue.release(claimed, new Date(NOW))
      assert.lengthOf(yield* queue.claim(new Date(NOW), 1, []), 1)
    })
  )

  it.effect("store nothing if the calendar is removed during the fetch", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      yield* insertDueCalendars((yield* createOperator()).operatorId, 1)
      const [claimed] = yield* queue.claim(new Date(NOW), 1, [])
      if (claimed === undefined) return assert.fail("nothing was due")
      yield* asSystemActor((yield* ImportedCalendars).remove(claimed.operator_id, claimed.id))
      const late = yield* asSystemActor(queue.apply(claimed, toUpdate("2027-05-01"), new Date(NOW), new Date(NOW)))
      assert.isUndefined(late)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT FROM calendar_days WHERE property_id = ${claimed.property_id}`, [])
    })
  )

  it.effect("keep past days, and keep days beyond the horizon when the clock is set back", () =>
    Effect.gen(function* () {
      yield* emptyCalendarTables
      const queue = yield* CalendarQueue
      const property = yield* insertDueCalendars((yield* createOperator()).operatorId, 1)
      const [claimed] = yield* queue.claim(new Date(NOW), 1, [])
      if (claimed === undefined) return assert.fail("nothing was due")
      const [at, then] = [new Date(NOW), new Date(NOW + 1)]
      yield* asSystemActor(queue.apply(claimed, toUpdate("2027-04-20", "2030-04-20"), then, at))
      const reach = { first: "2027-04-21", last: "2030-04-19" }
      yield* asSystemActor(queue.apply(claimed, { ...toUpdate(), ...reach }, then, at))
      assert.deepStrictEqual(yield* loadCalendarDays(claimed.id), ["2027-04-20", "2030-04-20"])
      assert.lengthOf(yield* loadAvailabilityEvents(property), 1)
      yield* TestClock.setTime(NOW)
    })
  )
})
