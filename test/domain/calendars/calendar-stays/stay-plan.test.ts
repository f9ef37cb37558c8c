import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { addDays } from "../../../../src/contract/time.ts"
import type { LinkedStay } from "../../../../src/domain/calendars/calendar-stays/stay-link.ts"
import { matchEvents } from "../../../../src/domain/calendars/calendar-stays/stay-matching.ts"
import { shortenProblems, toCalendarProblem } from "../../../../src/domain/calendars/calendar-stays/stay-problem.ts"
import {
  CALENDAR_STAY_ABSENCE_MS,
  CALENDAR_STAY_PROBLEMS_MAX,
  CALENDAR_STAYS_MAX
} from "../../../../src/platform/limits.ts"
import { planStays, toEvent, toLinkedStay } from "../../../support/domain/calendars/calendar-stays/stay-plans.ts"
import { NOW, TODAY } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const HOUR_MS = 3_600_000

const arbitraryEvents = fc
  .uniqueArray(
    fc.record({
      uid: fc.integer({ min: 0, max: 12 }),
      offset: fc.integer({ min: -10, max: 40 }),
      nights: fc.integer({ min: 1, max: 5 }),
      isBooking: fc.boolean()
    }),
    { maxLength: 8, selector: ({ uid }) => uid }
  )
  .map((events) => events.map(({ uid, offset, nights, isBooking }) => toEvent(`u${uid}`, offset, nights, isBooking)))

const arbitraryLinks = fc
  .uniqueArray(
    fc.record({
      uid: fc.integer({ min: 0, max: 12 }),
      offset: fc.integer({ min: -10, max: 40 }),
      state: fc.constantFrom("following", "cancelled", "detached"),
      status: fc.constantFrom("accepted", "cancelled", "none"),
      missingMinutes: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
      canBeTakenOver: fc.boolean()
    }),
    { maxLength: 8, selector: ({ uid }) => uid }
  )
  .map((links) =>
    links.map(({ uid, offset, state, status, missingMinutes, canBeTakenOver }) => {
      const linkedStay = toLinkedStay(toEvent(`u${uid}`, offset), { state, canBeTakenOver })
      return {
        ...linkedStay,
        missing_since: missingMinutes === undefined ? null : new Date(NOW - missingMinutes * 60_000),
        stay: linkedStay.stay === null || status === "none" ? null : { ...linkedStay.stay, status }
      } satisfies LinkedStay
    })
  )

describe("the plan of a feed", () => {
  it("cancels only following stays that are missing long enough, and whose check-in is in the future", () => {
    fc.assert(
      fc.property(arbitraryLinks, arbitraryEvents, fc.boolean(), (links, events, isComplete) => {
        const { cancellations } = planStays({ links, events, isComplete })
        for (const { reservation_code } of cancellations) {
          const link = links.find((each) => each.reservation_code === reservation_code)
          assert.isFalse(matchEvents(links, events, TODAY).eventByCode.has(reservation_code))
          assert.strictEqual(link?.stay?.status, "accepted")
          if (link?.state === "cancelled") continue
          assert.isTrue(isComplete)
          assert.strictEqual(link?.state, "following")
          assert.isTrue((link?.stay?.check_in_date ?? "") > TODAY)
          assert.isAtLeast(NOW - (link?.missing_since?.getTime() ?? NOW), CALENDAR_STAY_ABSENCE_MS)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("changes nothing when the same feed is applied again", () => {
    fc.assert(
      fc.property(arbitraryEvents, (events) => {
        const first = planStays({ events })
        const links = first.creations.map(({ link, event }) => ({ ...toLinkedStay(event), ...link }))
        const second = planStays({ links, events })
        assert.deepStrictEqual(
          [second.creations, second.moves, second.cancellations, second.removedCodes, second.links],
          [[], [], [], [], []]
        )
      }),
      { numRuns: 200 }
    )
  })

  it("matches each event with at most one stay, and keeps every event", () => {
    fc.assert(
      fc.property(arbitraryLinks, arbitraryEvents, (links, events) => {
        const { eventByCode, unmatched } = matchEvents(links, events, TODAY)
        const all = [...eventByCode.values(), ...unmatched]
        assert.lengthOf(all, events.length)
        assert.strictEqual(new Set(all).size, events.length)
      }),
      { numRuns: 200 }
    )
  })

  it("does not take a booking with another confirmation code for the same booking", () => {
    const event = { ...toEvent("new", 3), confirmationCode: "HMNEWNEW12" }
    const former = toLinkedStay(toEvent("old", 3))
    const withCode = (confirmationCode: string | undefined) => ({
      ...former,
      stay: former.stay && { ...former.stay, confirmationCode }
    })
    const countMatches = (code: string | undefined, booking: typeof event) =>
      matchEvents([withCode(code)], [booking], TODAY).eventByCode.size
    for (const uid_digest of ["new", "old"]) {
      assert.strictEqual(countMatches("HMOLDOLD12", { ...event, uid_digest }), 0)
      assert.strictEqual(countMatches(undefined, { ...event, uid_digest }), 1)
    }
    assert.strictEqual(countMatches("HMOLDOLD12", { ...toEvent("new", 20), confirmationCode: "HMOLDOLD12" }), 1)
  })

  it("saves no link that it removes", () => {
    fc.assert(
      fc.property(arbitraryLinks, arbitraryEvents, (links, events) => {
        const changes = planStays({ links, events })
        const codes = [...changes.links.map(({ reservation_code }) => reservation_code), ...changes.removedCodes]
        assert.strictEqual(new Set(codes).size, codes.length)
      }),
      { numRuns: 500 }
    )
  })

  it("replaces a cancelled stay whose booking came back, also of a removed calendar", () => {
    for (const canBeTakenOver of [false, true]) {
      const event = toEvent("a", 3)
      const { stay, ...link } = toLinkedStay(event, {
        state: "cancelled",
        missing_since: new Date(NOW),
        canBeTakenOver
      })
      const { links, removedCodes, creations } = planStays({
        links: [{ ...link, stay: stay && { ...stay, status: "cancelled" } }],
        events: [event]
      })
      assert.deepStrictEqual(
        [links.map(({ reservation_code }) => reservation_code), removedCodes, creations.length],
        [["9-new0"], ["9-a"], 1]
      )
    }
  })

  it("makes stays of bookings that have not ended, and of no block", () => {
    const events = [toEvent("past", -5), toEvent("in-house", -1), toEvent("next", 5), toEvent("block", 9, 2, false)]
    assert.deepStrictEqual(
      planStays({ events }).creations.map(({ event }) => event.uid_digest),
      ["in-house", "next"]
    )
    assert.deepStrictEqual(planStays({ events, createsStays: false }).creations, [])
    const repeatedDays = new Set([addDays(TODAY, 5), addDays(TODAY, 6)])
    assert.deepStrictEqual(
      planStays({ events, repeatedDays }).creations.map(({ event }) => event.uid_digest),
      ["in-house"]
    )
  })

  it("reports bookings that share a UID with another one and have not ended", () => {
    const events = [toEvent("a", 3)]
    const reasonsOf = (offset: number, createsStays = true) =>
      planStays({ events, duplicates: [toEvent("a", offset)], createsStays }).problems.map(({ reason }) => reason)
    assert.deepStrictEqual([reasonsOf(9), reasonsOf(-9), reasonsOf(9, false)], [["duplicate_uid"], [], []])
  })

  it("takes over a stay of a removed calendar only with its booking", () => {
    const linkWithoutCalendar = toLinkedStay(toEvent("a", 3), {
      canBeTakenOver: true,
      missing_since: new Date(NOW - HOUR_MS)
    })
    const { links, creations, cancellations } = planStays({ links: [linkWithoutCalendar], events: [toEvent("a", 3)] })
    assert.deepStrictEqual(
      [links.map(({ reservation_code }) => reservation_code), creations, cancellations],
      [["9-a"], [], []]
    )
    const withoutBooking = planStays({ links: [linkWithoutCalendar] })
    assert.deepStrictEqual(
      [withoutBooking.links, withoutBooking.cancellations, withoutBooking.removedCodes, withoutBooking.problems],
      [[], [], [], []]
    )
    const detached = planStays({ links: [{ ...linkWithoutCalendar, state: "detached" }], events: [toEvent("a", 4)] })
    assert.deepStrictEqual([detached.links.map(({ state }) => state), detached.moves], [["detached"], []])
  })

  it("waits exactly for the time between two fetches", () => {
    const link = (agoMs: number) => toLinkedStay(toEvent("gone", 3), { missing_since: new Date(NOW - agoMs) })
    assert.lengthOf(planStays({ links: [link(CALENDAR_STAY_ABSENCE_MS - 1)] }).cancellations, 0)
    assert.lengthOf(planStays({ links: [link(CALENDAR_STAY_ABSENCE_MS)] }).cancellations, 1)
    assert.lengthOf(planStays({ links: [link(HOUR_MS)], isComplete: false }).cancellations, 0)
  })

  it("keeps a stay whose event became a block", () => {
    const { cancellations, moves, problems } = planStays({
      links: [toLinkedStay(toEvent("a", 3))],
      events: [toEvent("a", 3, 2, false)]
    })
    assert.deepStrictEqual([cancellations, moves], [[], []])
    assert.deepStrictEqual(
      problems.map(({ reason }) => reason),
      ["blocked"]
    )
  })

  it("follows at most as many bookings as the limit", () => {
    const events = Array.from({ length: CALENDAR_STAYS_MAX + 1 }, (_, index) => toEvent(`u${index}`, index))
    const atLimit = planStays({ events: events.slice(0, -1) })
    assert.lengthOf(atLimit.creations, CALENDAR_STAYS_MAX)
    assert.deepStrictEqual(atLimit.problems, [])
    const above = planStays({ events })
    assert.lengthOf(above.creations, CALENDAR_STAYS_MAX)
    assert.deepStrictEqual(above.problems, [toCalendarProblem("too_many")])
    const { stay, ...link } = toLinkedStay(toEvent("u0", 0), { state: "cancelled", canBeTakenOver: true })
    const withoutCalendar = { ...link, stay: stay && { ...stay, status: "cancelled" } }
    const replaced = planStays({ links: [withoutCalendar], events })
    assert.lengthOf(replaced.creations, CALENDAR_STAYS_MAX)
    assert.deepStrictEqual(replaced.problems, [toCalendarProblem("too_many")])
  })

  it("reports at most as many problems as the limit, the earliest first", () => {
    const problems = Array.from({ length: CALENDAR_STAY_PROBLEMS_MAX + 1 }, (_, index) => ({
      ...toCalendarProblem("missing"),
      check_in_date: addDays(TODAY, CALENDAR_STAY_PROBLEMS_MAX - index)
    }))
    assert.lengthOf(shortenProblems(problems.slice(1)), CALENDAR_STAY_PROBLEMS_MAX)
    const shortened = shortenProblems(problems)
    assert.lengthOf(shortened, CALENDAR_STAY_PROBLEMS_MAX)
    assert.strictEqual(shortened[0]?.check_in_date, TODAY)
  })
})
