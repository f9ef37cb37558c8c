import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { listStayNights } from "../../../../src/domain/bookings/reservations/rules/nights.ts"
import type { LinkedStay, StayLink } from "../../../../src/domain/calendars/calendar-stays/stay-link.ts"
import { groupMoves, type StayMove } from "../../../../src/domain/calendars/calendar-stays/stay-moves.ts"
import { CALENDAR_STAYS_MAX } from "../../../../src/platform/limits.ts"
import { planStays, toEvent, toLinkedStay } from "../../../support/domain/calendars/calendar-stays/stay-plans.ts"
import { NOW } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const toMove = (name: string, from: number, to: number, property_id: number | null = 1): StayMove => {
  const former = toEvent(name, from)
  const { stay: _stay, canBeTakenOver: _canBeTakenOver, ...link } = toLinkedStay(toEvent(name, to))
  return { link, from: { ...former, property_id } }
}

const groupNames = (...moves: ReadonlyArray<StayMove>) =>
  groupMoves(moves).map((group) =>
    group
      .map(({ link }) => link.uid_digest)
      .toSorted()
      .join("")
  )

/** Some of eight bookings without a common night. Those with even numbers have a code. */
const arbitraryFeed = fc
  .tuple(
    fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 4 }),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 5 })), { minLength: 8, maxLength: 8 })
  )
  .map(([order, gaps]) => {
    let offset = 3
    return order.map((name, index) => {
      const [gap, nights] = gaps[index] ?? [0, 1]
      const event = toEvent(`${name}`, offset + gap, nights)
      offset += gap + nights
      return { ...event, confirmationCode: name % 2 === 0 ? `HM${name}` : undefined }
    })
  })

type Booking = ReturnType<typeof toEvent>

/** The stays of one property, none of which may take a night of another one. */
const makeProperty = () => {
  let present: ReadonlyArray<LinkedStay> = []
  let fetches = 0
  let codes = 0
  const isAccepted = ({ stay }: LinkedStay) => stay?.status === "accepted"
  const applyIfFree = (changed: ReadonlyArray<LinkedStay>) => {
    const nights = changed.filter(isAccepted).flatMap(({ stay }) => (stay === null ? [] : listStayNights(stay)))
    if (new Set(nights).size === nights.length) present = changed
  }
  const changeStay = (code: string, change: Partial<NonNullable<LinkedStay["stay"]>>) =>
    present.map((each) =>
      each.reservation_code === code ? { ...each, stay: each.stay && { ...each.stay, ...change } } : each
    )
  const saveLink = (link: StayLink) => {
    const former = present.find(({ reservation_code }) => reservation_code === link.reservation_code)
    const others = present.filter((each) => each !== former)
    present = [...others, { canBeTakenOver: false, stay: null, ...former, ...link }]
  }
  const fetchFeed = (events: ReadonlyArray<Booking>) => {
    fetches += 1
    const newCode = () => `9-${codes++}`
    const plan = planStays({ links: present, events, now: new Date(NOW + fetches * 3_600_000), newCode })
    present = present.filter(({ reservation_code }) => !plan.removedCodes.includes(reservation_code))
    plan.links.forEach(saveLink)
    for (const { reservation_code } of plan.cancellations)
      applyIfFree(changeStay(reservation_code, { status: "cancelled" }))
    for (const group of groupMoves(plan.moves)) {
      const datesByCode = new Map(group.map(({ link }) => [link.reservation_code, link]))
      applyIfFree(
        present.map((each) => {
          const { check_in_date, check_out_date } = datesByCode.get(each.reservation_code) ?? each.stay ?? each
          return { ...each, stay: each.stay && { ...each.stay, check_in_date, check_out_date } }
        })
      )
    }
    for (const { link, event } of plan.creations) {
      const { stay } = toLinkedStay(event)
      applyIfFree(present.map((each) => (each.reservation_code === link.reservation_code ? { ...each, stay } : each)))
    }
    return plan
  }
  const listStays = (toLine: (booking: Booking) => string) =>
    present
      .filter(isAccepted)
      .flatMap((link) => (link.stay === null ? [] : [toLine({ ...link, ...link.stay, isBooking: true })]))
      .toSorted()
  return { fetchFeed, listStays }
}

const toNights = ({ check_in_date, check_out_date }: Booking) => `${check_in_date} ${check_out_date}`

const toLine = (booking: Booking) => `${booking.confirmationCode} ${toNights(booking)}`

describe("the order of moves", () => {
  it("brings all stays to the nights of their bookings after at most two fetches", () => {
    fc.assert(
      fc.property(arbitraryFeed, arbitraryFeed, (before, after) => {
        const { fetchFeed, listStays } = makeProperty()
        fetchFeed(before)
        assert.deepStrictEqual(listStays(toNights), before.map(toNights).toSorted())
        fetchFeed(after)
        fetchFeed(after)
        assert.deepStrictEqual(listStays(toNights), after.map(toNights).toSorted())
        const { links, moves, creations, cancellations, problems } = fetchFeed(after)
        assert.deepStrictEqual([links, moves, creations, cancellations, problems], [[], [], [], [], []])
      }),
      { numRuns: 300 }
    )
  })

  it("moves all stays after one fetch if every booking has a code", () => {
    const withCodes = arbitraryFeed.map((events) =>
      events.map((event) => ({ ...event, confirmationCode: `HM${event.uid_digest}` }))
    )
    fc.assert(
      fc.property(withCodes, withCodes, (before, after) => {
        const codes = new Set(before.map(({ uid_digest }) => uid_digest))
        const { fetchFeed, listStays } = makeProperty()
        fetchFeed(before)
        const known = after.filter(({ uid_digest }) => codes.has(uid_digest))
        fc.pre(known.length === before.length)
        fetchFeed(known)
        assert.deepStrictEqual(listStays(toLine), known.map(toLine).toSorted())
      }),
      { numRuns: 100 }
    )
  })

  it("moves stays that need each other's nights together, and the others after those who leave their nights", () => {
    assert.deepStrictEqual(groupNames(toMove("a", 1, 5), toMove("b", 5, 1)), ["ab"])
    assert.deepStrictEqual(groupNames(toMove("a", 1, 5), toMove("b", 5, 9), toMove("c", 9, 20)), ["c", "b", "a"])
    assert.deepStrictEqual(groupNames(toMove("d", 30, 2), toMove("a", 1, 5), toMove("b", 5, 9), toMove("c", 9, 1)), [
      "abc",
      "d"
    ])
    assert.deepStrictEqual(groupNames(toMove("a", 1, 2), toMove("b", 9, 8)), ["a", "b"])
  })

  it("groups no stays of different properties and no unassigned stays", () => {
    assert.deepStrictEqual(groupNames(toMove("a", 1, 5), toMove("b", 5, 1, 2)), ["a", "b"])
    assert.deepStrictEqual(groupNames(toMove("a", 1, 5, null), toMove("b", 5, 1, null)), ["a", "b"])
  })

  it("groups as many stays as a calendar may have", () => {
    const moves = Array.from({ length: CALENDAR_STAYS_MAX }, (_, index) =>
      toMove(`${index}`, index * 2, ((index + 1) % CALENDAR_STAYS_MAX) * 2)
    )
    assert.lengthOf(groupMoves(moves), 1)
    assert.lengthOf(groupMoves(moves.slice(1)), CALENDAR_STAYS_MAX - 1)
  })
})
