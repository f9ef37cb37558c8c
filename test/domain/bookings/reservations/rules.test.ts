import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { splitByWeights } from "../../../../src/contract/money.ts"
import { addDays } from "../../../../src/contract/time.ts"
import type { OrderState, OrderStatus } from "../../../../src/domain/bookings/orders/order.ts"
import { ReservationPayment } from "../../../../src/domain/bookings/reservations/reservation.ts"
import {
  countNights,
  listHeldNights,
  listStayNights,
  toNightKey
} from "../../../../src/domain/bookings/reservations/rules/nights.ts"
import { diffOrders, isEmptyChange } from "../../../../src/domain/bookings/reservations/rules/order-diff.ts"
import {
  isManualOrderCode,
  toManualOrderCode,
  toStayCode
} from "../../../../src/domain/bookings/reservations/rules/reservation-codes.ts"
import { toPayment } from "../../../../src/domain/bookings/reservations/rules/reservation-view.ts"
import { parseCheckInDays, parseCheckOutDays } from "../../../../src/domain/bookings/reservations/rules/search-days.ts"
import { applyStayEdit, type StayEdit } from "../../../../src/domain/bookings/reservations/rules/stay-edit.ts"
import { validateGuestCount } from "../../../../src/domain/bookings/reservations/rules/stay-validation.ts"
import {
  acceptOrder,
  moveStayToProperty,
  unassignConflictingNewStays,
  unassignStay
} from "../../../../src/domain/bookings/reservations/rules/unassigned-stays.ts"
import type { ExistingStay } from "../../../../src/domain/bookings/stays/stay.ts"
import { SEARCH_DAYS } from "../../../../src/platform/limits.ts"
import { newChannelOrder, newChannelStay } from "../../../support/domain/bookings/reservations/channel-orders.ts"
import { PROPERTY_RUNS } from "../../../support/property-runs.ts"

const FIRST = "2027-05-01"
const CAME_IN = new Date("2027-04-19T08:00:00Z")
const cents = fc.integer({ min: 0, max: 100_000_000 })
const text = (amount: number) => (amount / 100).toFixed(4)

/** Ten-thousandths as a person writes them, `12.5`. */
const written = (units: bigint): string =>
  `${units / 10_000n}.${String(units % 10_000n).padStart(4, "0")}`.replace(/\.?0+$/, "")

const encodePayment = Schema.encodeSync(Schema.toCodecJson(ReservationPayment))

describe("the payment of an order", () => {
  // From nothing to more than a numeric(18, 4) holds, so with more digits than a floating number has.
  const units = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 24n }))

  it("is written with every digit, never has a negative balance, and adds up until too much came", () => {
    fc.assert(
      fc.property(units, units, (due, come) => {
        const [total, received] = [due, come].map(
          (each) => `${each / 10_000n}.${String(each % 10_000n).padStart(4, "0")}`
        )
        const payment = toPayment("KWD", total ?? "", received ?? "")
        const balance = come > due ? 0n : due - come
        const status = come > due ? "over_received" : come === due ? "received" : come === 0n ? "unreceived" : "partial"
        assert.strictEqual(
          JSON.stringify(encodePayment(payment)),
          `{"currency":"KWD","total_amount":${written(due)},"received_amount":${written(come)},"balance_amount":${written(balance)},"status":"${status}"}`
        )
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("of an order that is over has no balance, and the status that the money says", () => {
    for (const [received, status] of [
      ["0", "unreceived"],
      ["40", "partial"],
      ["100", "received"],
      ["140", "over_received"]
    ] as const) {
      const payment = toPayment("EUR", "100", received, true)
      assert.deepInclude(payment, { total_amount: 100, received_amount: Number(received), balance_amount: 0, status })
    }
  })

  it("is exact where floating numbers are not", () => {
    assert.strictEqual(toPayment("EUR", "0.3000", "0.1000").balance_amount, 0.2)
    assert.strictEqual(toPayment("EUR", "1.1", "1.1000").status, "received")
    assert.strictEqual(toPayment("KWD", "0", "1999999999997.9990").received_amount, 1_999_999_999_997.999)
  })
})

describe("the guests of a stay", () => {
  const family = fc.record({ number_of_children: fc.nat(5), number_of_infants: fc.nat(3) })

  it("are an adult at least, and its children; infants are not among them", () => {
    fc.assert(
      fc.property(fc.nat(12), family, (guests, stay) => {
        const checked = validateGuestCount(guests, stay)
        assert.strictEqual(Result.isSuccess(checked), guests >= stay.number_of_children + 1)
        if (Result.isFailure(checked)) {
          assert.match(checked.failure.message, /^number_of_guests: /)
          return
        }
        const { number_of_guests, number_of_adults } = checked.success
        assert.strictEqual(number_of_guests, guests)
        assert.strictEqual(number_of_adults + stay.number_of_children, guests)
        assert.isAtLeast(number_of_adults, 1)
      })
    )
  })

  it("stay who they are when their number is sent as it is", () => {
    const stay = { ...newChannelStay(), id: 1, stay_code: "5-1", number_of_infants: 1 }
    const order: OrderState = {
      ...newChannelOrder({ channel_id: "1" }),
      id: 1,
      version: 0,
      cancelled_at: null,
      created_at: CAME_IN,
      stays: [stay],
      last_room: 0,
      entries: []
    }
    const stays = (sent: StayEdit) => Result.map(applyStayEdit(order, stay, sent), (after) => after.stays)
    assert.deepStrictEqual(stays({ number_of_guests: 3 }), Result.succeed([stay]))
    assert.deepStrictEqual(
      stays({ number_of_guests: 5 }),
      Result.succeed([{ ...stay, number_of_guests: 5, number_of_adults: 4 }])
    )
  })
})

describe("the days of a search", () => {
  const days = fc.nat(2 * SEARCH_DAYS + 2).map((count) => addDays(FIRST, count))
  const bound = fc.option(days, { nil: undefined })
  const said = (start: string | undefined, end: string | undefined, of: "in" | "out") => ({
    ...(start === undefined ? {} : { [`start_check_${of}_date`]: start }),
    ...(end === undefined ? {} : { [`end_check_${of}_date`]: end })
  })

  it("are open where nothing is said, in order, and of check-in not too many", () => {
    fc.assert(
      fc.property(bound, bound, (start, end) => {
        const pair = start !== undefined && end !== undefined
        const open = start === undefined && end === undefined ? undefined : { start, end }
        const tooMany = pair && addDays(start, SEARCH_DAYS) < end
        for (const [of, refused] of [
          ["in", tooMany],
          ["out", false]
        ] as const) {
          const searched = (of === "in" ? parseCheckInDays : parseCheckOutDays)(said(start, end, of))
          if ((pair && start > end) || refused) {
            assert.isTrue(Result.isFailure(searched))
            assert.match(
              Result.getOrThrow(Result.flip(searched)).message,
              new RegExp(`^(start|end)_check_${of}_date: `)
            )
          } else assert.deepStrictEqual(searched, Result.succeed(open))
        }
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })
})

describe("codes", () => {
  it("tell orders made by hand from all others, and number the rooms", () => {
    assert.isTrue(isManualOrderCode(toManualOrderCode("A1")))
    assert.isFalse(isManualOrderCode("0-5-1"))
    assert.deepStrictEqual(
      [0, 1, 2].map((room) => toStayCode("5-A1", room)),
      ["5-A1", "5-A1_1", "5-A1_2"]
    )
    assert.deepStrictEqual(
      [0, 1].map((room) => toStayCode("0-481-XK-2", room)),
      ["0-481-XK-2", "0-481_1-XK-2"]
    )
  })

  it("of the rooms of an order are all different", () => {
    const codes = fc.oneof(fc.stringMatching(/^5-[A-Za-z0-9]{1,32}$/), fc.stringMatching(/^0-\d{4,12}-[A-Z0-9]{2,6}$/))
    fc.assert(
      fc.property(codes, (code) => {
        assert.strictEqual(new Set(Array.from({ length: 20 }, (_, room) => toStayCode(code, room))).size, 20)
      })
    )
  })
})

describe("nights", () => {
  it("are the days from arriving to leaving, without the day of leaving", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
        const stay = { check_in_date: "2027-02-20", check_out_date: addDays("2027-02-20", count) }
        const nights = listStayNights(stay)
        assert.lengthOf(nights, count)
        assert.strictEqual(countNights(stay), count)
        assert.strictEqual(nights[0], stay.check_in_date)
        assert.strictEqual(addDays(nights.at(-1) ?? "", 1), stay.check_out_date)
      })
    )
  })
})

const stayState = (id: number): fc.Arbitrary<ExistingStay> =>
  fc
    .record({
      property_id: fc.option(fc.integer({ min: 1, max: 3 })),
      from: fc.nat(8),
      nights: fc.integer({ min: 1, max: 4 }),
      revenue: cents,
      remarks: fc.constantFrom("", "dog")
    })
    .map(({ property_id, from, nights, revenue, remarks }) => ({
      ...newChannelStay(),
      id,
      stay_code: `5-${id}`,
      check_in_date: addDays(FIRST, from),
      check_out_date: addDays(FIRST, from + nights),
      rate: text(revenue),
      commission: null,
      accommodation_revenue: text(revenue),
      property_id,
      remarks
    }))

const orderState = (id: number): fc.Arbitrary<OrderState> =>
  fc
    .record({
      status: fc.constantFrom<OrderStatus>("accepted", "accepted", "accepted", "wait_accept", "cancelled"),
      stays: fc.tuple(stayState(id * 10), stayState(id * 10 + 1)),
      entries: fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 2 })
    })
    .map(({ status, stays, entries }) => ({
      id,
      version: 0,
      reservation_code: `5-${id}`,
      channel_type: "direct",
      channel_id: String(id),
      status,
      cancelled_at: null,
      created_at: CAME_IN,
      currency: "EUR",
      creator: "Owner",
      custom_channel_id: null,
      cancellation_policy_category: null,
      channel_account_id: null,
      channel_version: null,
      channel_synced_at: null,
      expires_at: null,
      conversation_id: null,
      stays,
      last_room: 0,
      entries: entries.map((amount, index) => ({ id: id * 100 + index, amount: text(amount) }))
    }))

const orders = fc.tuple(orderState(1), orderState(2))

/** The names of the plain values in which two records differ; lists of others have records of their own. */
const changedKeys = (before: object, after: object): ReadonlyArray<string> => {
  const later = new Map<string, unknown>(Object.entries(after))
  return Object.entries(before).flatMap(([key, value]) =>
    later.get(key) === value || Array.isArray(value) ? [] : [key]
  )
}

/** Who holds what; undefined when two hold the same. */
const holders = (all: ReadonlyArray<OrderState>): Map<string, number> | undefined => {
  const map = new Map<string, number>()
  for (const order of all) {
    for (const stay of order.stays) {
      for (const night of listHeldNights(order.status, stay)) {
        if (map.has(toNightKey(night))) return undefined
        map.set(toNightKey(night), stay.id)
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
        const change = diffOrders(before, after)
        if (from === undefined || to === undefined) {
          assert.isTrue(Result.isFailure(change))
          return
        }
        const { nights } = Result.getOrThrow(change)
        const calendar = new Map(from)
        for (const night of nights) {
          const held = calendar.get(toNightKey(night))
          assert.strictEqual(night.taken_from ?? undefined, night.stay_id === null ? undefined : held)
          if (night.stay_id === null) calendar.delete(toNightKey(night))
          else calendar.set(toNightKey(night), night.stay_id)
        }
        assert.deepStrictEqual(new Map([...calendar].sort()), new Map([...to].sort()))
        assert.strictEqual(new Set(nights.map(toNightKey)).size, nights.length)
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("is nothing when nothing is different", () => {
    fc.assert(
      fc.property(orders, (same) => {
        if (holders(same) === undefined) return
        const change = Result.getOrThrow(diffOrders(same, same))
        assert.isTrue(isEmptyChange(change))
        assert.deepStrictEqual([change.nights, change.stays, change.shares, change.touched], [[], [], [], []])
      })
    )
  })

  it("tells for the trail which orders changed, and each of their fields that did once, in order", () => {
    fc.assert(
      fc.property(orders, orders, (before, after) => {
        const change = diffOrders(before, after)
        if (Result.isFailure(change)) return
        const expected = before.flatMap((order, at) => {
          const next = after[at]
          if (next === undefined) return []
          const fields = [
            ...changedKeys(order, next),
            ...order.stays.flatMap((stay, room) => changedKeys(stay, next.stays[room] ?? stay))
          ].map((key) => (key === "accommodation_revenue" ? "rate" : key))
          return fields.length === 0
            ? []
            : [{ record: `reservation:${order.reservation_code}`, fields: [...new Set(fields)].sort() }]
        })
        const { touched } = change.success
        assert.deepStrictEqual(
          touched.filter(({ record }) => record.startsWith("reservation:")),
          expected
        )
        assert.strictEqual(isEmptyChange(change.success), expected.length === 0)
      })
    )
  })

  it("splits every entry of the order by the new revenues, to the cent", () => {
    fc.assert(
      fc.property(orderState(1), cents, (order, revenue) => {
        const [first, second] = order.stays
        if (first === undefined || second === undefined) return
        const quiet = { ...order, status: "cancelled" as const }
        const after = {
          ...quiet,
          stays: [{ ...first, rate: text(revenue), accommodation_revenue: text(revenue) }, second]
        }
        const { shares, updates, touched } = Result.getOrThrow(diffOrders([quiet], [after]))
        if (first.accommodation_revenue === text(revenue)) {
          assert.lengthOf(shares, 0)
          return
        }
        assert.deepStrictEqual(touched, [
          { record: `reservation:${order.reservation_code}`, fields: ["rate"] },
          ...order.entries.map(({ id }) => ({ record: `transaction:${id}`, fields: ["shares"] }))
        ])
        assert.deepStrictEqual(
          updates.map(({ stay_code, sub_event }) => [stay_code, sub_event]),
          [[first.stay_code, "rates_updated"]]
        )
        for (const entry of order.entries) {
          const parts = splitByWeights(BigInt(Math.round(Number(entry.amount) * 100)), [
            BigInt(revenue),
            BigInt(Math.round(Number(second.accommodation_revenue) * 100))
          ])
          const own = shares.filter(({ transaction_id }) => transaction_id === entry.id)
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
      fc.property(orders, fc.nat(3), fc.integer({ min: 1, max: 3 }), (all, which, property_id) => {
        const before = holders(all)
        const stay = all.flatMap((order) => order.stays)[which]
        if (before === undefined || stay === undefined) return
        const after = moveStayToProperty(all, stay, property_id)
        assert.isDefined(holders(after))
        const status = all.find((order) => order.stays.includes(stay))?.status ?? "denied"
        const wanted = listHeldNights(status, { ...stay, property_id }).map(toNightKey)
        const displaced = new Set(wanted.flatMap((night) => before.get(night) ?? []))
        for (const each of after.flatMap((order) => order.stays)) {
          const was = all.flatMap((order) => order.stays).find(({ id }) => id === each.id)
          const expected = each.id === stay.id ? property_id : displaced.has(each.id) ? null : was?.property_id
          assert.strictEqual(each.property_id, expected)
        }
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("into the box take the one stay out, and accepting boxes what is kept or doubled", () => {
    fc.assert(
      fc.property(orderState(1), fc.boolean(), (order, isKept) => {
        const [first, second] = order.stays
        if (first === undefined || second === undefined) return
        const out = unassignStay(order, first)
        assert.deepStrictEqual(
          out.stays.map(({ property_id }) => property_id),
          [null, second.property_id]
        )
        const agreed = acceptOrder(order, isKept ? [first.id] : [])
        assert.strictEqual(agreed.status, "accepted")
        assert.isDefined(holders([agreed]))
        if (isKept) assert.isNull(agreed.stays[0]?.property_id)
      })
    )
  })

  it("of a sold order box only the stays whose nights are taken, or doubled in it", () => {
    const one = newChannelStay({ property_id: 1 })
    const order = newChannelOrder({
      channel_id: "1",
      stays: [
        one,
        newChannelStay({ property_id: 2 }),
        one,
        newChannelStay({ property_id: 1, check_in_date: "2027-05-07", check_out_date: "2027-05-08" })
      ]
    })
    const properties = (taken: ReadonlyArray<string>) =>
      unassignConflictingNewStays(order, new Set(taken)).stays.map(({ property_id }) => property_id)
    assert.deepStrictEqual(properties([]), [1, 2, null, 1])
    assert.deepStrictEqual(properties(["2 2027-05-06"]), [1, null, null, 1])
    assert.deepStrictEqual(properties(["1 2027-05-07", "3 2027-05-04"]), [1, 2, null, null])
    const pending = { ...order, status: "wait_accept" as const }
    assert.deepStrictEqual(unassignConflictingNewStays(pending, new Set(["2 2027-05-06"])), pending)
  })
})
