import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { BookingDetails, ImportedEvent } from "../../../../src/domain/calendars/calendar-stays/stay-link.ts"
import { matchEvents } from "../../../../src/domain/calendars/calendar-stays/stay-matching.ts"
import { planStays, toEvent, toLinkedStay } from "../../../support/domain/calendars/calendar-stays/stay-plans.ts"
import { TODAY } from "../../../support/domain/calendars/imported-calendars/import-service.ts"

const text = (...values: ReadonlyArray<string>) => fc.constantFrom(undefined, ...values)

const arbitraryBookings = fc
  .array(
    fc.record({
      offset: fc.integer({ min: 0, max: 12 }),
      nights: fc.integer({ min: 1, max: 3 }),
      guestName: text("Ada", "Ada Lovelace", "Grace"),
      confirmationCode: text("HMABCDEF12", "HMABCDEF34"),
      phoneDigits: text("4711", "0815")
    }),
    { maxLength: 8 }
  )
  .map((bookings) =>
    bookings.map(({ offset, nights, ...texts }, index) => ({ ...toEvent(`u${index}`, offset, nights), ...texts }))
  )

const countMatches = (former: ImportedEvent, event: ImportedEvent) =>
  matchEvents([toLinkedStay(former)], [event], TODAY).eventByCode.size

describe("the match of bookings and stays", () => {
  it("keeps every stay when the feed only numbers its bookings anew", () => {
    const withOrder = arbitraryBookings.chain((bookings) =>
      fc.tuple(
        fc.constant(bookings),
        fc.shuffledSubarray(bookings, { minLength: bookings.length }),
        fc.shuffledSubarray(
          bookings.map(({ uid_digest }) => uid_digest),
          { minLength: bookings.length }
        )
      )
    )
    fc.assert(
      fc.property(withOrder, ([bookings, shuffled, uids]) => {
        const links = bookings.map((booking) => toLinkedStay(booking))
        const events = shuffled.map((event, index) => ({ ...event, uid_digest: uids[index] ?? "" }))
        const { creations, moves, cancellations, removedCodes, problems } = planStays({ links, events })
        assert.deepStrictEqual([creations, moves, cancellations, removedCodes, problems], [[], [], [], [], []])
        for (const [code, event] of matchEvents(links, events, TODAY).eventByCode) {
          const stay = links.find(({ reservation_code }) => reservation_code === code)?.stay
          for (const field of ["guestName", "confirmationCode", "phoneDigits"] as const)
            assert.strictEqual(stay?.[field], event[field])
        }
      }),
      { numRuns: 300 }
    )
  })

  it("takes a UID with other nights and another guest for another booking", () => {
    const former = { ...toEvent("1", 3), guestName: "Ada", phoneDigits: "4711" }
    const others: ReadonlyArray<Partial<BookingDetails>> = [
      { guestName: "Grace", phoneDigits: "4711" },
      { guestName: "Ada", phoneDigits: "0815" }
    ]
    for (const texts of others) {
      assert.strictEqual(countMatches(former, { ...former, ...toEvent("1", 9), ...texts }), 0)
      assert.strictEqual(countMatches(former, { ...former, ...texts }), 1)
      assert.strictEqual(countMatches(former, { ...former, ...texts, uid_digest: "2" }), 0)
    }
    const same: ReadonlyArray<Partial<BookingDetails>> = [
      { guestName: "Ada", phoneDigits: "4711" },
      { guestName: "ADA Lovelace", phoneDigits: "4711" },
      {}
    ]
    for (const texts of same) assert.strictEqual(countMatches(former, { ...toEvent("1", 9), ...texts }), 1)
  })

  it("does not take the next booking of a UID for a stay that has ended", () => {
    assert.strictEqual(countMatches(toEvent("1", -3), toEvent("1", 9)), 0)
    assert.strictEqual(countMatches(toEvent("1", -2), toEvent("1", 9)), 1)
    assert.strictEqual(countMatches(toEvent("1", -3), toEvent("1", -3)), 1)
  })
})
