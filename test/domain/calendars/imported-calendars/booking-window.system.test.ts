import { assert, describe, it as itPure, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { toDayNumber } from "../../../../src/contract/time.ts"
import { trackBookingWindow } from "../../../../src/domain/calendars/imported-calendars/calendar-update.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import {
  createImportOnEmptyTables,
  fetchAllDue,
  layerImportService,
  loadCalendarDays,
  MINUTE_MS,
  makeCalendarImportWorker,
  toBusyCalendar,
  toPartlyReadableCalendar
} from "../../../support/domain/calendars/imported-calendars/import-service.ts"
import { asSystemActor } from "../../../support/harness.ts"

/** Makes the last event of a feed a block of its marketplace. */
const withBlock = (feed: string): string => {
  const at = feed.lastIndexOf("SUMMARY:Reserved\r\nEND:VEVENT\r\nEND:VCALENDAR")
  return `${feed.slice(0, at)}SUMMARY:Not available${feed.slice(at + "SUMMARY:Reserved".length)}`
}

const STAY = "2027-05-01/2027-05-02"

const prepare = Effect.gen(function* () {
  const one = yield* createImportOnEmptyTables
  const importing = yield* makeCalendarImportWorker
  const calendars = yield* ImportedCalendars
  const fetchFeed = (feed: string) => {
    one.serveCalendar(feed)
    return Effect.andThen(
      Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchAllDue(importing)),
      loadCalendarDays(one.calendarId)
    )
  }
  /** Fetches a feed with a stay and then a block of these days. */
  const fetchBlock = (block: string) => fetchFeed(withBlock(toBusyCalendar(STAY, block)))
  const changeSetting = (skipUnavailable: boolean) =>
    asSystemActor(calendars.update(one.operatorId, one.calendarId, { skipUnavailable }))
  return { ...one, importing, fetchFeed, fetchBlock, changeSetting }
})

layer(layerImportService)("the booking window of a marketplace", (it) => {
  it.effect("blocks days unless the host turns on the setting", () =>
    Effect.gen(function* () {
      const { fetchBlock } = yield* prepare
      yield* fetchBlock("2027-06-01/2027-06-03")
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), ["2027-05-01", "2027-06-02", "2027-06-03"])
    })
  )

  it.effect("blocks no day once its end has moved forward, and until it moves back", () =>
    Effect.gen(function* () {
      const { fetchBlock, fetchFeed, changeSetting } = yield* prepare
      yield* changeSetting(true)
      const withBlockDays = ["2027-05-01", "2027-06-02", "2027-06-03"]
      assert.deepStrictEqual(yield* fetchBlock("2027-06-01/2027-06-03"), ["2027-05-01", "2027-06-01", "2027-06-02"])
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      // The end of the block stays, and another stay moves.
      const feed = withBlock(toBusyCalendar("2027-05-03/2027-05-04", "2027-06-02/2027-06-04"))
      assert.deepStrictEqual(yield* fetchFeed(feed), ["2027-05-03"])
      // An event that ends later makes the block an ordinary one.
      const later = withBlock(toBusyCalendar(STAY, "2027-06-02/2027-06-04")).replace(
        "END:VCALENDAR",
        "BEGIN:VEVENT\r\nUID:z\r\nDTSTART;VALUE=DATE:20270610\r\nDTEND;VALUE=DATE:20270611\r\nEND:VEVENT\r\nEND:VCALENDAR"
      )
      assert.deepStrictEqual(yield* fetchFeed(later), [...withBlockDays, "2027-06-10"])
      // Then its end has to move forward again.
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), withBlockDays)
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-05"), ["2027-05-01"])
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), withBlockDays)
    })
  )

  it.effect("does not end with a later block that the host adds", () =>
    Effect.gen(function* () {
      const { fetchFeed, fetchBlock, changeSetting } = yield* prepare
      yield* changeSetting(true)
      const days = ["2027-05-01", "2027-08-10", "2027-08-11", "2027-09-01", "2027-09-02"]
      assert.deepStrictEqual(yield* fetchBlock("2027-08-10/2027-08-12"), days.slice(0, 3))
      const both = withBlock(toBusyCalendar(STAY, "2027-08-10/2027-08-12", "2027-09-01/2027-09-03"))
      assert.deepStrictEqual(yield* fetchFeed(both), days)
      // The same if the marketplace drops the earlier block in the meantime.
      assert.deepStrictEqual(yield* fetchBlock("2027-10-01/2027-10-02"), ["2027-05-01", "2027-10-01"])
    })
  )

  it.effect("blocks days while a part of the feed cannot be read", () =>
    Effect.gen(function* () {
      const { calendarId: id, fetchFeed, fetchBlock, changeSetting } = yield* prepare
      yield* changeSetting(true)
      yield* fetchBlock("2027-06-01/2027-06-03")
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      const inPart = toPartlyReadableCalendar(STAY, "2027-06-02/2027-06-04")
      const block = inPart.replace(
        "DTEND;VALUE=DATE:20270604\r\nSUMMARY:Reserved",
        "DTEND;VALUE=DATE:20270604\r\nSUMMARY:Not available"
      )
      assert.include(block, "Not available")
      assert.deepStrictEqual(yield* fetchFeed(block), ["2027-05-01", "2027-06-02", "2027-06-03"])
      assert.deepStrictEqual(yield* fetchBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      assert.deepStrictEqual(yield* loadCalendarDays(id), ["2027-05-01"])
    })
  )

  it.effect("is applied anew when the host changes the setting, although the feed is unchanged", () =>
    Effect.gen(function* () {
      const { calendarId: id, importing, fetchBlock, changeSetting } = yield* prepare
      yield* fetchBlock("2027-06-01/2027-06-03")
      const days = yield* fetchBlock("2027-06-02/2027-06-04")
      assert.lengthOf(days, 3)
      const applySetting = (skipUnavailable: boolean) =>
        Effect.andThen(Effect.andThen(changeSetting(skipUnavailable), fetchAllDue(importing)), loadCalendarDays(id))
      assert.deepStrictEqual(yield* applySetting(true), ["2027-05-01"])
      assert.deepStrictEqual(yield* applySetting(false), days)
    })
  )
})

describe("the end of a booking window", () => {
  const last = "2030-04-20"
  const block = (before: string) => ({ from: toDayNumber("2028-04-01"), before: toDayNumber(before) })

  itPure("is known up to the last day that is read", () => {
    assert.deepStrictEqual(trackBookingWindow(undefined, block(last), last), { before: last, hasMoved: false })
    assert.isUndefined(trackBookingWindow(undefined, block("2030-04-21"), last))
    const seen = { before: "2030-04-19", hasMoved: true }
    assert.isUndefined(trackBookingWindow(seen, block("2030-04-21"), last))
    assert.deepStrictEqual(trackBookingWindow(seen, block(last), last), { before: last, hasMoved: true })
  })

  itPure("moves forward only if the new block begins before the earlier one ended", () => {
    const before = "2028-06-01"
    for (const seen of [
      { before: "2028-04-01", hasMoved: false },
      { before: "2028-04-01", hasMoved: true },
      { before: "2028-03-20", hasMoved: true }
    ]) {
      assert.deepStrictEqual(trackBookingWindow(seen, block(before), last), { before, hasMoved: false })
    }
    const overlapping = { before: "2028-04-02", hasMoved: false }
    assert.deepStrictEqual(trackBookingWindow(overlapping, block(before), last), { before, hasMoved: true })
  })
})
