import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { splitByWeights } from "../../../src/contract/money.ts"
import { addDays } from "../../../src/contract/time.ts"
import { isManualCode, manualCode, stayCodeOf } from "../../../src/resources/reservations/codes.ts"
import { accepted, allocated, boxed } from "../../../src/resources/reservations/moves.ts"
import { boxedWhere } from "../../../src/resources/reservations/new-order.ts"
import { heldNights, keyOf, nightCount, nightsOf } from "../../../src/resources/reservations/nights.ts"
import { changeBetween, isEmpty } from "../../../src/resources/reservations/order-change.ts"
import type { OrderState, StayState } from "../../../src/resources/reservations/order-state.ts"
import { paymentOf } from "../../../src/resources/reservations/payment.ts"
import type { Status } from "../../../src/resources/reservations/record.ts"
import { soldOrder, soldStay } from "./channel-orders.ts"

const cents = fc.integer({ min: 0, max: 100_000_000 })
const text = (amount: number) => (amount / 100).toFixed(4)

describe("the payment of an order", () => {
  it("never has a negative balance, and adds up until too much came", () => {
    fc.assert(
      fc.property(cents, cents, (due, come) => {
        const payment = paymentOf("EUR", text(due), text(come))
        const balance = Number(JSON.stringify(payment.balance_amount))
        assert.isAtLeast(balance, 0)
        assert.strictEqual(Math.round(balance * 100), Math.max(0, due - come))
        const status = come > due ? "over_received" : come === due ? "received" : come === 0 ? "unreceived" : "partial"
        assert.strictEqual(payment.status, status)
      })
    )
  })

  it("is exact where floating numbers are not", () => {
    assert.strictEqual(paymentOf("EUR", "0.3000", "0.1000").balance_amount, 0.2)
    assert.strictEqual(paymentOf("EUR", "1.1", "1.1000").status, "received")
    assert.include(
      JSON.stringify(paymentOf("KWD", "0", "1999999999997.9990")),
      '"received_amount":1999999999997.999,"balance_amount":0'
    )
    assert.include(
      JSON.stringify(paymentOf("KWD", "123456789012345678901.2340", "0.0010")),
      '"total_amount":123456789012345678901.234,"received_amount":0.001,"balance_amount":123456789012345678901.233'
    )
  })
})

describe("codes", () => {
  it("tell orders made by hand from all others, and number the rooms", () => {
    assert.isTrue(isManualCode(manualCode("A1")))
    assert.isFalse(isManualCode("0-5-1"))
    assert.deepStrictEqual(
      [0, 1, 2].map((room) => stayCodeOf("5-A1", room)),
      ["5-A1", "5-A1_1", "5-A1_2"]
    )
    assert.deepStrictEqual(
      [0, 1].map((room) => stayCodeOf("0-481-XK-2", room)),
      ["0-481-XK-2", "0-481_1-XK-2"]
    )
  })

  it("of the rooms of an order are all different", () => {
    const codes = fc.oneof(fc.stringMatching(/^5-[A-Za-z0-9]{1,32}$/), fc.stringMatching(/^0-\d{4,12}-[A-Z0-9]{2,6}$/))
    fc.assert(
      fc.property(codes, (code) => {
        assert.strictEqual(new Set(Array.from({ length: 20 }, (_, room) => stayCodeOf(code, room))).size, 20)
      })
    )
  })
})

describe("nights", () => {
  it("are the days from arriving to leaving, without the day of leaving", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const stay = { checkIn: "2027-02-20", checkOut: addDays("2027-02-20", count) }
        const nights = nightsOf(stay)
        assert.lengthOf(nights, count)
        assert.strictEqual(nightCount(stay.checkIn, stay.checkOut), count)
        assert.strictEqual(nights[0], stay.checkIn)
        assert.strictEqual(addDays(nights.at(-1) ?? "", 1), stay.checkOut)
      })
    )
  })
})

const FIRST = "2027-05-01"

const stayState = (id: number): fc.Arbitrary<StayState> =>
  fc
    .record({
      propertyId: fc.option(fc.integer({ min: 1, max: 3 })),
      from: fc.nat(8),
      nights: fc.integer({ min: 1, max: 4 }),
      revenue: cents,
      remarks: fc.constantFrom("", "dog")
    })
    .map(({ propertyId, from, nights, revenue, remarks }) => ({
      id,
      stayCode: `5-${id}`,
      propertyId,
      checkIn: addDays(FIRST, from),
      checkOut: addDays(FIRST, from + nights),
      numberOfGuests: 1,
      guestName: null,
      guestPhone: null,
      guestEmail: null,
      rate: text(revenue),
      commission: null,
      revenue: text(revenue),
      remarks
    }))

const orderState = (id: number): fc.Arbitrary<OrderState> =>
  fc
    .record({
      status: fc.constantFrom<Status>("accepted", "accepted", "accepted", "wait_accept", "cancelled"),
      stays: fc.tuple(stayState(id * 10), stayState(id * 10 + 1)),
      entries: fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 2 })
    })
    .map(({ status, stays, entries }) => ({
      id,
      version: 0,
      reservationCode: `5-${id}`,
      channelType: "direct",
      channelId: String(id),
      status,
      cancelledAt: null,
      currency: "EUR",
      creator: "Owner",
      customChannelId: null,
      stays,
      entries: entries.map((amount, index) => ({ id: id * 100 + index, amount: text(amount) }))
    }))

const orders = fc.tuple(orderState(1), orderState(2))

/** Who holds what; undefined when two hold the same. */
const holders = (all: ReadonlyArray<OrderState>): Map<string, number> | undefined => {
  const map = new Map<string, number>()
  for (const order of all) {
    for (const stay of order.stays) {
      for (const night of heldNights(order.status, stay)) {
        if (map.has(keyOf(night))) return undefined
        map.set(keyOf(night), stay.id)
      }
    }
  }
  return map
}

describe("what a change of orders comes to", () => {
  it("turns the holders of one state into those of the other, and refuses two in one night", () => {
    fc.assert(
      fc.property(orders, orders, (before, after) => {
        const [from, to] = [holders(before), holders(after)]
        const change = changeBetween(before, after)
        if (from === undefined || to === undefined) {
          assert.isTrue(Result.isFailure(change))
          return
        }
        const { nights } = Result.getOrThrow(change)
        const calendar = new Map(from)
        for (const night of nights) {
          const held = calendar.get(keyOf(night))
          assert.strictEqual(night.takenFrom ?? undefined, night.stayId === null ? undefined : held)
          if (night.stayId === null) calendar.delete(keyOf(night))
          else calendar.set(keyOf(night), night.stayId)
        }
        assert.deepStrictEqual(new Map([...calendar].sort()), new Map([...to].sort()))
        assert.strictEqual(new Set(nights.map(keyOf)).size, nights.length)
      }),
      { numRuns: 500 }
    )
  })

  it("is nothing when nothing is different", () => {
    fc.assert(
      fc.property(orders, (same) => {
        if (holders(same) === undefined) return
        const change = Result.getOrThrow(changeBetween(same, same))
        assert.isTrue(isEmpty(change))
        assert.deepStrictEqual([change.nights, change.stays, change.shares], [[], [], []])
      })
    )
  })

  it("splits every entry of the order by the new revenues, to the cent", () => {
    fc.assert(
      fc.property(orderState(1), cents, (order, revenue) => {
        const [first, second] = order.stays
        if (first === undefined || second === undefined) return
        const quiet = { ...order, status: "cancelled" as const }
        const after = { ...quiet, stays: [{ ...first, rate: text(revenue), revenue: text(revenue) }, second] }
        const { shares, updates } = Result.getOrThrow(changeBetween([quiet], [after]))
        if (first.revenue === text(revenue)) {
          assert.lengthOf(shares, 0)
          return
        }
        assert.deepStrictEqual(
          updates.map(({ stayCode, subEvent }) => [stayCode, subEvent]),
          [[first.stayCode, "rates_updated"]]
        )
        for (const entry of order.entries) {
          const parts = splitByWeights(BigInt(Math.round(Number(entry.amount) * 100)), [
            BigInt(revenue),
            BigInt(Math.round(Number(second.revenue) * 100))
          ])
          const own = shares.filter(({ transactionId }) => transactionId === entry.id)
          assert.deepStrictEqual(
            own.map(({ amount }) => BigInt(Math.round(Number(amount) * 100))),
            [...parts]
          )
        }
      })
    )
  })
})

describe("moves", () => {
  it("into a property box exactly who is in the way, and leave one holder a night", () => {
    fc.assert(
      fc.property(orders, fc.nat(3), fc.integer({ min: 1, max: 3 }), (all, which, propertyId) => {
        const before = holders(all)
        const stay = all.flatMap((order) => order.stays)[which]
        if (before === undefined || stay === undefined) return
        const after = allocated(all, stay, propertyId)
        assert.isDefined(holders(after))
        const status = all.find((order) => order.stays.includes(stay))?.status ?? "denied"
        const wanted = heldNights(status, { ...stay, propertyId }).map(keyOf)
        const displaced = new Set(wanted.flatMap((night) => before.get(night) ?? []))
        for (const each of after.flatMap((order) => order.stays)) {
          const was = all.flatMap((order) => order.stays).find(({ id }) => id === each.id)
          const expected = each.id === stay.id ? propertyId : displaced.has(each.id) ? null : was?.propertyId
          assert.strictEqual(each.propertyId, expected)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("into the box take the one stay out, and accepting boxes what is kept or doubled", () => {
    fc.assert(
      fc.property(orderState(1), fc.boolean(), (order, isKept) => {
        const [first, second] = order.stays
        if (first === undefined || second === undefined) return
        const out = boxed(order, first)
        assert.deepStrictEqual(
          out.stays.map(({ propertyId }) => propertyId),
          [null, second.propertyId]
        )
        const agreed = accepted(order, isKept ? [first.id] : [])
        assert.strictEqual(agreed.status, "accepted")
        assert.isDefined(holders([agreed]))
        if (isKept) assert.isNull(agreed.stays[0]?.propertyId)
      })
    )
  })

  it("of a sold order box only the stays whose nights are taken, or doubled in it", () => {
    const one = soldStay({ propertyId: 1 })
    const order = soldOrder({
      channelId: "1",
      stays: [
        one,
        soldStay({ propertyId: 2 }),
        one,
        soldStay({ propertyId: 1, checkIn: "2027-05-07", checkOut: "2027-05-08" })
      ]
    })
    const properties = (taken: ReadonlyArray<string>) =>
      boxedWhere(order, new Set(taken)).stays.map(({ propertyId }) => propertyId)
    assert.deepStrictEqual(properties([]), [1, 2, null, 1])
    assert.deepStrictEqual(properties(["2 2027-05-06"]), [1, null, null, 1])
    assert.deepStrictEqual(properties(["1 2027-05-07", "3 2027-05-04"]), [1, 2, null, null])
    const pending = { ...order, status: "wait_accept" as const }
    assert.deepStrictEqual(boxedWhere(pending, new Set(["2 2027-05-06"])), pending)
  })
})
