import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { findPayloadLimitViolation } from "../../../src/connectors/ingest/payload-limits.ts"
import { type ChannelStays, toChannelStays } from "../../../src/connectors/ingest/rules/channel-stays.ts"
import { computeExpiry } from "../../../src/connectors/ingest/rules/new-order.ts"
import { computeNextStatus, predatesChannelDetails } from "../../../src/connectors/ingest/rules/order-status.ts"
import { assignProperties } from "../../../src/connectors/ingest/rules/property-assignment.ts"
import { applyOrderEvent, type IncomingOrder } from "../../../src/connectors/ingest/rules/updated-order.ts"
import { addDays } from "../../../src/contract/time.ts"
import { isOrderPending, type OrderState, type OrderStatus } from "../../../src/domain/bookings/orders/order.ts"
import { listHeldNights, toNightKey } from "../../../src/domain/bookings/reservations/rules/nights.ts"
import { diffOrders, isEmptyChange } from "../../../src/domain/bookings/reservations/rules/order-diff.ts"
import { roomIndexOf, toStayCode } from "../../../src/domain/bookings/reservations/rules/reservation-codes.ts"
import {
  listNewNights,
  unassignConflictingStays
} from "../../../src/domain/bookings/reservations/rules/unassigned-stays.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../../src/domain/channels/port/channel-events.ts"
import {
  BODY_BYTES,
  HOST_RESPONSE_DEADLINE_MS,
  JSON_DEPTH_MAX,
  JSON_PARTS_MAX,
  PAYMENT_DEADLINE_MS,
  STAY_NIGHTS
} from "../../../src/platform/limits.ts"
import { makeChannelRoom, makeOrderEvent } from "../../support/connectors/ingest/channel-events.ts"
import { PROPERTY_RUNS } from "../../support/property-runs.ts"

const AT = new Date("2027-04-20T10:00:00Z")
const CODE = "0-481203757-XK2P"
const STATUSES = ["wait_accept", "wait_pay", "accepted", "cancelled", "denied", "timeout"] as const

const status = fc.constantFrom<OrderStatus>(...STATUSES)
const listing = fc.constantFrom("L1", "L2", "L3")

const roomSaid = fc
  .record({
    room_id: fc.constantFrom("R1", "R2", "R3", "R4"),
    listing_id: listing,
    from: fc.nat(6),
    nights: fc.integer({ min: 1, max: 4 }),
    rate: fc.nat(1000)
  })
  .map(
    ({ room_id, listing_id, from, nights, rate }): ChannelRoom =>
      makeChannelRoom(listing_id, {
        room_id,
        check_in_date: addDays("2027-05-01", from),
        check_out_date: addDays("2027-05-01", from + nights),
        rate,
        accommodation: rate
      })
  )

const said: fc.Arbitrary<ChannelOrderEvent> = fc
  .record({
    rooms: fc.uniqueArray(roomSaid, { minLength: 1, maxLength: 4, selector: ({ room_id }) => room_id }),
    status,
    version: fc.integer({ min: 1, max: 9 })
  })
  .map(({ rooms: [first = makeChannelRoom("L1"), ...others], status, version }) =>
    makeOrderEvent([first, ...others], { status, version })
  )

const staysOf = (said: ChannelOrderEvent): ChannelStays => Result.getOrThrow(toChannelStays(said))

/** What came in, with the property of each listing free: L1 sells 1, L2 sells 2, L3 both. */
const cameIn = (said: ChannelOrderEvent): IncomingOrder => ({
  event: said,
  stays: staysOf(said),
  freeProperties: said.rooms.map(({ listing_id }) => (listing_id === "L1" ? [1] : listing_id === "L2" ? [2] : [1, 2])),
  lostStayIds: [],
  accountId: 7,
  receivedAt: AT
})

/** An order that is known by that word alone, as the database has it. */
const knownBy = (said: ChannelOrderEvent): OrderState => {
  const blank: OrderState = {
    id: 1,
    version: 0,
    reservation_code: CODE,
    channel_type: "airbnb",
    channel_id: said.channel_id,
    created_at: AT,
    status: said.status,
    cancelled_at: said.status === "cancelled" ? AT : null,
    currency: "EUR",
    creator: "System",
    custom_channel_id: null,
    cancellation_policy_category: null,
    channel_account_id: 7,
    channel_version: said.version,
    channel_synced_at: AT,
    expires_at: computeExpiry(said, AT),
    conversation_id: null,
    stays: [],
    last_room: 0,
    entries: []
  }
  const entered = Result.getOrThrow(applyOrderEvent(blank, cameIn(said)))
  return {
    ...entered,
    stays: entered.stays.map((stay, at) => ({ ...stay, id: at + 1, stay_code: toStayCode(CODE, at) }))
  }
}

const becomes = (known: OrderState, said: ChannelOrderEvent) => Result.getOrThrow(applyOrderEvent(known, cameIn(said)))

describe("how an order stands after its channel spoke", () => {
  const expected: Readonly<Record<OrderStatus, ReadonlyArray<OrderStatus>>> = {
    wait_accept: ["wait_accept", "wait_pay", "accepted", "cancelled", "denied", "timeout"],
    wait_pay: ["wait_pay", "wait_pay", "accepted", "cancelled", "denied", "timeout"],
    accepted: ["accepted", "accepted", "accepted", "cancelled", "denied", "timeout"],
    cancelled: ["cancelled", "cancelled", "accepted", "cancelled", "denied", "timeout"],
    denied: ["denied", "denied", "accepted", "cancelled", "denied", "timeout"],
    timeout: ["timeout", "timeout", "accepted", "cancelled", "denied", "timeout"]
  }
  for (const known of STATUSES) {
    it(`that was ${known}`, () => {
      assert.deepStrictEqual(
        STATUSES.map((said) => computeNextStatus(known, said)),
        expected[known]
      )
    })
  }

  it("waits no longer than it is said, or the service gives it, and not at all once it is answered", () => {
    const waiting = (said: Partial<ChannelOrderEvent>) =>
      computeExpiry(makeOrderEvent([makeChannelRoom("L1")], said), AT)
    assert.deepStrictEqual(waiting({ status: "wait_accept" }), new Date(AT.getTime() + HOST_RESPONSE_DEADLINE_MS))
    assert.deepStrictEqual(waiting({ status: "wait_pay" }), new Date(AT.getTime() + PAYMENT_DEADLINE_MS))
    const expires_at = "2027-04-20T12:00:00+02:00"
    assert.deepStrictEqual(waiting({ status: "wait_pay", expires_at }), new Date("2027-04-20T10:00:00Z"))
    for (const status of ["accepted", "cancelled", "denied", "timeout"] as const) {
      assert.isNull(waiting({ status, expires_at }))
    }
  })

  it("has an end of its wait only while it waits, whoever changes it", () => {
    fc.assert(
      fc.property(said, status, (said, status) => {
        const known = knownBy(said)
        const { orders } = Result.getOrThrow(diffOrders([known], [{ ...known, status, stays: [] }]))
        assert.strictEqual(orders[0]?.expires_at !== null, isOrderPending({ status }) && known.expires_at !== null)
      })
    )
  })
})

describe("an order whose channel had stopped talking of it before the release that keeps more", () => {
  const over = {
    status: "cancelled" as OrderStatus,
    created_at: new Date("2026-08-01T00:00:00Z"),
    channel_synced_at: new Date("2026-09-10T23:59:59Z"),
    stays: [{ check_out_date: "2027-01-01" }]
  }
  it("was over, or everybody had left, and its last word came before", () => {
    assert.isTrue(predatesChannelDetails(over))
    assert.isTrue(predatesChannelDetails({ ...over, channel_synced_at: null }))
    assert.isFalse(predatesChannelDetails({ ...over, channel_synced_at: new Date("2026-09-11T00:00:00Z") }))
    assert.isFalse(
      predatesChannelDetails({ ...over, channel_synced_at: null, created_at: new Date("2026-09-11T00:00:00Z") })
    )
    assert.isFalse(predatesChannelDetails({ ...over, status: "accepted" }))
    const left = { ...over, status: "accepted" as const, stays: [{ check_out_date: "2026-09-10" }] }
    assert.isTrue(predatesChannelDetails(left))
    assert.isFalse(predatesChannelDetails({ ...left, stays: [...left.stays, { check_out_date: "2026-09-11" }] }))
  })

  it("is never filled, however often it is spoken of; any other is by its next word", () => {
    const first = makeOrderEvent([makeChannelRoom("L1")], { status: "cancelled" })
    const known = { ...knownBy(first), channel_synced_at: null, created_at: over.created_at }
    const filled = (order: OrderState, version: number) =>
      becomes(order, { ...first, version, cancellation_policy_category: "flexible" })
    const again = filled(filled(known, 2), 3)
    assert.deepInclude(again, { cancellation_policy_category: null, channel_version: 3, channel_synced_at: null })
    assert.strictEqual(filled({ ...known, created_at: AT }, 2).cancellation_policy_category, "flexible")
  })
})

describe("an order as its channel says it now", () => {
  it("has exactly the rooms that are said, each as said, and what is the host's as it was", () => {
    fc.assert(
      fc.property(said, said, (first, second) => {
        const known = knownBy(first)
        const hosted = { ...known, stays: known.stays.map((stay) => ({ ...stay, property_id: 9, remarks: "Crib" })) }
        const next = becomes(hosted, second)
        assert.deepStrictEqual(
          next.stays.map(({ channel_room_id }) => channel_room_id),
          second.rooms.map(({ room_id }) => room_id)
        )
        for (const [at, stay] of next.stays.entries()) {
          const asked = second.rooms[at] ?? assert.fail()
          assert.deepInclude(stay, {
            listing_id: asked.listing_id,
            check_in_date: asked.check_in_date,
            check_out_date: asked.check_out_date,
            rate: `${asked.rate}.0000`
          })
          const was = hosted.stays.find(({ channel_room_id }) => channel_room_id === stay.channel_room_id)
          assert.strictEqual(stay.remarks, was === undefined ? "" : "Crib")
          if (was === undefined) assert.isBelow(stay.id, 0)
          else assert.deepInclude(stay, { id: was.id, stay_code: was.stay_code })
          if (was?.listing_id === stay.listing_id) assert.strictEqual(stay.property_id, 9)
        }
        assert.strictEqual(next.status, computeNextStatus(first.status, second.status))
        assert.strictEqual(next.cancelled_at !== null, next.status === "cancelled")
        assert.strictEqual(next.expires_at !== null, isOrderPending(next))
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })

  it("gives a new room a code that no stay of it has, after all of them", () => {
    fc.assert(
      fc.property(said, said, fc.nat(9), (first, second, gone) => {
        const known = { ...knownBy(first), last_room: gone }
        const codes = becomes(known, second).stays.map(({ stay_code }) => stay_code)
        assert.strictEqual(new Set(codes).size, codes.length)
        const most = Math.max(gone, ...known.stays.map(({ stay_code }) => roomIndexOf(CODE, stay_code)))
        for (const code of codes.filter((each) => known.stays.every(({ stay_code }) => stay_code !== each))) {
          assert.isAbove(roomIndexOf(CODE, code), most)
        }
      })
    )
  })

  it("is no change where the same is said under another version", () => {
    fc.assert(
      fc.property(said, (said) => {
        const known = knownBy(said)
        const next = becomes(known, { ...said, version: 10 })
        const change = Result.getOrThrow(diffOrders([known], [unassignConflictingStays(known, next, new Set())]))
        assert.deepStrictEqual([change.updates, change.touched, change.nights, change.stays], [[], [], [], []])
        assert.isFalse(isEmptyChange(change))
      })
    )
  })

  it("knows rooms that came before they had ids by their order", () => {
    const known = knownBy(makeOrderEvent([makeChannelRoom("L1"), makeChannelRoom("L2", { room_id: "R2" })]))
    const nameless = { ...known, stays: known.stays.map((stay) => ({ ...stay, channel_room_id: null })) }
    const next = becomes(
      nameless,
      makeOrderEvent([makeChannelRoom("L1", { room_id: "A" }), makeChannelRoom("L2", { room_id: "B" })], { version: 2 })
    )
    assert.deepStrictEqual(
      next.stays.map(({ id, channel_room_id }) => [id, channel_room_id]),
      [
        [1, "A"],
        [2, "B"]
      ]
    )
  })

  it("keeps its currency while it has entries", () => {
    const known = { ...knownBy(makeOrderEvent([makeChannelRoom("L1")])), entries: [{ id: 1, amount: "10.0000" }] }
    const refused = applyOrderEvent(known, cameIn(makeOrderEvent([makeChannelRoom("L1")], { currency: "USD" })))
    assert.match(Result.getOrThrow(Result.flip(refused)).message, /^currency: /)
  })
})

describe("the box around an order that changes", () => {
  const nightsOf = (state: OrderState) =>
    state.stays.flatMap((stay) => listHeldNights(state.status, stay).map(toNightKey))

  it("takes every stay that wants what others hold, and leaves one holder a night", () => {
    fc.assert(
      fc.property(said, said, fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(9))), (first, second, others) => {
        const before = unassignConflictingStays(knownBy(first), knownBy(first), new Set())
        const own = new Set(nightsOf(before))
        const taken = new Set(
          others.map(([property_id, day]) => toNightKey({ property_id, day: addDays("2027-05-01", day) }))
        )
        const held = [...taken].filter((night) => !own.has(night))
        const next = becomes(before, second)
        const settled = unassignConflictingStays(before, next, taken)
        const nights = nightsOf(settled)
        assert.strictEqual(new Set(nights).size, nights.length)
        assert.isFalse(nights.some((night) => held.includes(night)))
        for (const [at, stay] of settled.stays.entries()) {
          if (stay.property_id !== null) assert.strictEqual(stay.property_id, next.stays[at]?.property_id)
        }
        const all = unassignConflictingStays(before, next, new Set(listNewNights(before, next).map(toNightKey)))
        assert.isTrue(nightsOf(all).every((night) => own.has(night)))
      }),
      { numRuns: PROPERTY_RUNS }
    )
  })
})

describe("rooms that a listing sold", () => {
  it("are in the first property that is free and that no room before wants, or in the box", () => {
    const stays = staysOf(
      makeOrderEvent([
        makeChannelRoom("L3"),
        makeChannelRoom("L3", { room_id: "R2" }),
        makeChannelRoom("L3", { room_id: "R3" }),
        makeChannelRoom("L3", { room_id: "R4", check_in_date: "2027-05-07", check_out_date: "2027-05-08" })
      ])
    )
    const properties = assignProperties(stays, [
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2]
    ]).map(({ property_id }) => property_id)
    assert.deepStrictEqual(properties, [1, 2, null, 1])
    assert.deepStrictEqual(
      assignProperties(stays, []).map(({ property_id }) => property_id),
      [null, null, null, null]
    )
  })

  it("are refused where they cannot be, by the field", () => {
    const nights = (count: number) => makeChannelRoom("L1", { check_out_date: addDays("2027-05-04", count) })
    const reason = (...rooms: ChannelOrderEvent["rooms"]) =>
      Result.match(toChannelStays(makeOrderEvent(rooms)), {
        onSuccess: () => "",
        onFailure: ({ message }) => message.split(":")[0]
      })
    assert.strictEqual(reason(nights(STAY_NIGHTS)), "")
    assert.strictEqual(reason(nights(STAY_NIGHTS + 1)), "rooms[0].check_out_date")
    assert.strictEqual(reason(nights(0)), "rooms[0].check_out_date")
    assert.strictEqual(reason(makeChannelRoom("L1"), makeChannelRoom("L2")), "rooms[1].room_id")
    assert.strictEqual(
      reason(makeChannelRoom("L1"), makeChannelRoom("L2", { room_id: "R2", rate: 1.005 })),
      "rooms[1].rate"
    )
    const details = [{ type: "TAXES", description: "", amount: 0.001 }]
    assert.strictEqual(reason(makeChannelRoom("L1", { details })), "rooms[0].details[0].amount")
  })
})

describe("what is more than is read", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
  it("is too deep, too much or too long, by one", () => {
    assert.isUndefined(findPayloadLimitViolation(nested(JSON_DEPTH_MAX)))
    assert.match(findPayloadLimitViolation(nested(JSON_DEPTH_MAX + 1)) ?? "", /deeper/)
    assert.isUndefined(findPayloadLimitViolation(Array(JSON_PARTS_MAX).fill(0)))
    assert.match(findPayloadLimitViolation(Array(JSON_PARTS_MAX + 1).fill(0)) ?? "", /fields/)
    assert.isUndefined(findPayloadLimitViolation(["x".repeat(BODY_BYTES - 1)]))
    assert.match(findPayloadLimitViolation(["x".repeat(BODY_BYTES)]) ?? "", /characters/)
    const circle: Array<unknown> = []
    circle.push(circle)
    assert.isDefined(findPayloadLimitViolation(circle))
  })
})

it("which room a stay is can be read from its code", () => {
  fc.assert(
    fc.property(fc.constantFrom(CODE, "5-ABC", "0-1-2-3"), fc.nat(200), (code, room) => {
      assert.strictEqual(roomIndexOf(code, toStayCode(code, room)), room)
    })
  )
})
