import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import {
  MAX_FETCH_AHEAD_MS,
  rescheduleAfterClockSetback
} from "../../../../src/domain/calendars/imported-calendars/retention.ts"
import { PropertyFeeds } from "../../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { CALENDAR_FEEDBACK_LOOP_MS } from "../../../../src/platform/limits.ts"
import { getOrCreateFeedAddress } from "../../../support/domain/calendars/feed-addresses.ts"
import {
  addImportedCalendar,
  createPropertyOwner,
  emptyCalendarTables,
  fetchAllDue,
  layerImportService,
  loadCalendarDays,
  loadCalendarState,
  MINUTE_MS,
  makeCalendarImportWorker,
  NOW,
  startCalendarSource,
  toBusyCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor } from "../../../support/harness.ts"

// What must not keep a day closed for ever, or hide a night that is sold: an address that is read after its calendar was
// removed, marketplaces that stop reading, that are slow to tell on what they read, and clocks.

const NIGHT = "2027-05-01"
const HOUR_MS = 60 * MINUTE_MS
const NIGHTS = "2027-05-01/2027-05-02"

const hosting = Effect.gen(function* () {
  yield* emptyCalendarTables
  const host = yield* createPropertyOwner
  const importing = yield* makeCalendarImportWorker
  const feeds = yield* PropertyFeeds
  /** The feed made for the source of a calendar, as its address, and what reading it tells. */
  const feedFor = Effect.fnUntraced(function* (calendarId: number) {
    const { url } = yield* getOrCreateFeedAddress(host.operatorId, host.propertyId, calendarId)
    const token = url.slice(url.lastIndexOf("/") + 1, -".ics".length)
    return Effect.gen(function* () {
      const feed = Option.getOrThrow(yield* feeds.open(token))
      const content = Option.getOrThrow(yield* feeds.read(feed))
      yield* feeds.recordRead(feed, content)
      return content.busyPeriods.some(({ start, end }) => start <= NIGHT && NIGHT < end)
    })
  })
  const after = (ms: number) => Effect.andThen(TestClock.adjust(ms), fetchAllDue(importing))
  const setOpen = (available: boolean) =>
    host.as(host.api.update_availabilities({ property_ids: [host.propertyId], available, dates: [NIGHT] }))
  return { ...host, feedFor, after, fetched: after(17 * MINUTE_MS), setOpen }
})

layer(Layer.provideMerge(PropertyFeeds.layer, layerImportService))("what does not last for ever", (it) => {
  it.effect(
    "an address that outlives its calendar tells its reader no words of its own, once that is followed again",
    () =>
      Effect.gen(function* () {
        const { operatorId, propertyId: property, feedFor, fetched } = yield* hosting
        const [one, other] = [yield* startCalendarSource, yield* startCalendarSource]
        one.serveCalendar(toBusyCalendar(NIGHTS))
        other.serveCalendar(toBusyCalendar())
        const first = yield* addImportedCalendar(property, one.makeUrl())
        yield* addImportedCalendar(property, other.makeUrl())
        const readByOne = yield* feedFor(first)
        yield* asSystemActor(ImportedCalendars.use(({ remove }) => remove(operatorId, first)))
        const again = yield* addImportedCalendar(property, one.makeUrl())
        yield* fetched
        assert.deepStrictEqual(yield* loadCalendarDays(again), [NIGHT])
        assert.isFalse(yield* readByOne)
        // What others say it hears as before.
        one.serveCalendar(toBusyCalendar())
        other.serveCalendar(toBusyCalendar(NIGHTS))
        yield* fetched
        assert.isTrue(yield* readByOne)
      })
  )

  it.effect("a night that two have both closed, and tell on when they read it here, is open when both opened it", () =>
    Effect.gen(function* () {
      const { propertyId: property, feedFor, fetched } = yield* hosting
      const side = Effect.gen(function* () {
        const elsewhere = yield* startCalendarSource
        const id = yield* addImportedCalendar(property, elsewhere.makeUrl())
        return { ...elsewhere, id, reads: yield* feedFor(id) }
      })
      const [one, other] = [yield* side, yield* side]
      const bothSay = (text: string) => {
        one.serveCalendar(text)
        other.serveCalendar(text)
      }
      bothSay(toBusyCalendar(NIGHTS))
      yield* fetched
      // Both open it, and have by now only what they read here.
      for (const _ of ["once", "twice"]) {
        for (const { serveCalendar: says, reads } of [one, other])
          says((yield* reads) ? toBusyCalendar(NIGHTS) : toBusyCalendar())
        yield* fetched
      }
      assert.deepStrictEqual([yield* loadCalendarDays(one.id), yield* loadCalendarDays(other.id)], [[], []])
      // One that goes on having it has it told to the other.
      bothSay(toBusyCalendar(NIGHTS))
      yield* fetched
      other.serveCalendar(toBusyCalendar())
      yield* fetched
      assert.deepStrictEqual([yield* one.reads, yield* other.reads], [false, true])
    })
  )

  it.effect("a source that reads here no more has its nights taken for its own, those it says for the first time", () =>
    Effect.gen(function* () {
      const { propertyId: property, feedFor, after, fetched, setOpen } = yield* hosting
      const one = yield* startCalendarSource
      const id = yield* addImportedCalendar(property, one.makeUrl())
      yield* setOpen(false)
      assert.isTrue(yield* yield* feedFor(id))
      yield* setOpen(true)
      one.serveCalendar(toBusyCalendar())
      yield* after(CALENDAR_FEEDBACK_LOOP_MS - HOUR_MS)
      one.serveCalendar(toBusyCalendar(NIGHTS))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), [`${NIGHT} echo`])
      one.serveCalendar(toBusyCalendar())
      yield* after(HOUR_MS)
      one.serveCalendar(toBusyCalendar(NIGHTS))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), [NIGHT])
    })
  )

  it.effect("one that goes on reading the same is known to", () =>
    Effect.gen(function* () {
      const { propertyId: property, feedFor, after, fetched, setOpen } = yield* hosting
      const one = yield* startCalendarSource
      const id = yield* addImportedCalendar(property, one.makeUrl())
      yield* setOpen(false)
      const reads = yield* feedFor(id)
      yield* reads
      one.serveCalendar(toBusyCalendar())
      yield* after(CALENDAR_FEEDBACK_LOOP_MS - HOUR_MS)
      yield* reads
      yield* after(2 * HOUR_MS)
      one.serveCalendar(toBusyCalendar(NIGHTS))
      yield* fetched
      assert.deepStrictEqual(yield* loadCalendarDays(id), [`${NIGHT} echo`])
    })
  )

  it.effect("a calendar that a clock which was ahead has put off is due as soon as that is seen", () =>
    Effect.gen(function* () {
      const { propertyId: property, fetched } = yield* hosting
      const one = yield* startCalendarSource
      one.serveCalendar(toBusyCalendar())
      const id = yield* addImportedCalendar(property, one.makeUrl())
      yield* TestClock.setTime(NOW + MAX_FETCH_AHEAD_MS * 10)
      yield* fetched
      const due = (yield* loadCalendarState(id))?.due_at.getTime() ?? 0
      yield* rescheduleAfterClockSetback(new Date(due - MAX_FETCH_AHEAD_MS))
      assert.strictEqual((yield* loadCalendarState(id))?.due_at.getTime(), due)
      yield* rescheduleAfterClockSetback(new Date(due - MAX_FETCH_AHEAD_MS - 1))
      assert.strictEqual((yield* loadCalendarState(id))?.due_at.getTime(), due - MAX_FETCH_AHEAD_MS - 1)
    })
  )
})
