import { assert, describe, it as itPure, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dayNumber } from "../../../src/contract/time.ts"
import { trackBookingWindow } from "../../../src/resources/imported-calendars/applicable.ts"
import { ImportedCalendars } from "../../../src/resources/imported-calendars/ImportedCalendars.ts"
import { makeImporting } from "../../../src/resources/imported-calendars/importing.ts"
import { byNobody } from "../../harness.ts"
import { busy, busyInPart, daysOf, fetchedAll, followsOne, layerScene, MINUTE_MS } from "./scene.ts"

/** The last event of a feed is a block of its marketplace. */
const withBlock = (feed: string): string => {
  const at = feed.lastIndexOf("SUMMARY:Reserved\r\nEND:VEVENT\r\nEND:VCALENDAR")
  return `${feed.slice(0, at)}SUMMARY:Not available${feed.slice(at + "SUMMARY:Reserved".length)}`
}

const STAY = "2027-05-01/2027-05-02"

const following = Effect.gen(function* () {
  const one = yield* followsOne
  const importing = yield* makeImporting
  const calendars = yield* ImportedCalendars
  const reads = (feed: string) => {
    one.says(feed)
    return Effect.andThen(Effect.andThen(TestClock.adjust(17 * MINUTE_MS), fetchedAll(importing)), daysOf(one.id))
  }
  /** Reads a feed with a stay and then a block of these days. */
  const readsBlock = (block: string) => reads(withBlock(busy(STAY, block)))
  const skips = (skipUnavailable: boolean) => byNobody(calendars.update(one.id, { skipUnavailable }))
  return { ...one, importing, reads, readsBlock, skips }
})

layer(layerScene)("the booking window of a marketplace", (it) => {
  it.effect("closes days unless its host says otherwise", () =>
    Effect.gen(function* () {
      const { readsBlock } = yield* following
      yield* readsBlock("2027-06-01/2027-06-03")
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), ["2027-05-01", "2027-06-02", "2027-06-03"])
    })
  )

  it.effect("is skipped once its end has moved forward, and for as long as it does not move back", () =>
    Effect.gen(function* () {
      const { readsBlock, reads, skips } = yield* following
      yield* skips(true)
      const taken = ["2027-05-01", "2027-06-02", "2027-06-03"]
      assert.deepStrictEqual(yield* readsBlock("2027-06-01/2027-06-03"), ["2027-05-01", "2027-06-01", "2027-06-02"])
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      // Its end stays while the stay before it moves.
      const moved = withBlock(busy("2027-05-03/2027-05-04", "2027-06-02/2027-06-04"))
      assert.deepStrictEqual(yield* reads(moved), ["2027-05-03"])
      // What ends later than it is a block as any other.
      const later = withBlock(busy(STAY, "2027-06-02/2027-06-04")).replace(
        "END:VCALENDAR",
        "BEGIN:VEVENT\r\nUID:z\r\nDTSTART;VALUE=DATE:20270610\r\nDTEND;VALUE=DATE:20270611\r\nEND:VEVENT\r\nEND:VCALENDAR"
      )
      assert.deepStrictEqual(yield* reads(later), [...taken, "2027-06-10"])
      // Then it has to be seen to move again.
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), taken)
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-05"), ["2027-05-01"])
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), taken)
    })
  )

  it.effect("closes days while a part of the feed cannot be read", () =>
    Effect.gen(function* () {
      const { id, reads, readsBlock, skips } = yield* following
      yield* skips(true)
      yield* readsBlock("2027-06-01/2027-06-03")
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      const inPart = busyInPart(STAY, "2027-06-02/2027-06-04")
      const block = inPart.replace(
        "DTEND;VALUE=DATE:20270604\r\nSUMMARY:Reserved",
        "DTEND;VALUE=DATE:20270604\r\nSUMMARY:Not available"
      )
      assert.include(block, "Not available")
      assert.deepStrictEqual(yield* reads(block), ["2027-05-01", "2027-06-02", "2027-06-03"])
      assert.deepStrictEqual(yield* readsBlock("2027-06-02/2027-06-04"), ["2027-05-01"])
      assert.deepStrictEqual(yield* daysOf(id), ["2027-05-01"])
    })
  )

  it.effect("is read anew when its host changes the setting, though the feed is unchanged", () =>
    Effect.gen(function* () {
      const { id, importing, readsBlock, skips } = yield* following
      yield* readsBlock("2027-06-01/2027-06-03")
      const taken = yield* readsBlock("2027-06-02/2027-06-04")
      assert.lengthOf(taken, 3)
      const changedTo = (skipUnavailable: boolean) =>
        Effect.andThen(Effect.andThen(skips(skipUnavailable), fetchedAll(importing)), daysOf(id))
      assert.deepStrictEqual(yield* changedTo(true), ["2027-05-01"])
      assert.deepStrictEqual(yield* changedTo(false), taken)
    })
  )
})

describe("where a booking window ends", () => {
  const last = "2030-04-20"
  const block = (before: string) => ({ from: dayNumber("2028-04-01"), before: dayNumber(before) })

  itPure("is known up to the last day that is read", () => {
    assert.deepStrictEqual(trackBookingWindow(undefined, block(last), last), { before: last, hasMoved: false })
    assert.isUndefined(trackBookingWindow(undefined, block("2030-04-21"), last))
    const seen = { before: "2030-04-19", hasMoved: true }
    assert.isUndefined(trackBookingWindow(seen, block("2030-04-21"), last))
    assert.deepStrictEqual(trackBookingWindow(seen, block(last), last), { before: last, hasMoved: true })
  })
})
