import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { onTestFinished, vi } from "vitest"
import { addDays, daysInRange, startOfDay } from "../../../src/contract/time.ts"
import { makeDemoThreads } from "../../../src/tools/demo/conversations.ts"
import { makeDemoListings } from "../../../src/tools/demo/listings.ts"
import { makeDemoOrders } from "../../../src/tools/demo/orders.ts"
import { DEMO_PROPERTIES } from "../../../src/tools/demo/properties.ts"
import { makeDemoReviews } from "../../../src/tools/demo/reviews.ts"
import { makeDemoTransactions } from "../../../src/tools/demo/transactions.ts"

const ZONE = "Europe/Lisbon"
// Leap days, year ends and both changes of the clocks are among these days.
const someDay = fc.integer({ min: 0, max: 3_650 }).map((days) => addDays("2026-01-01", days))
const DAY = 86_400_000
const RUNS = { numRuns: 25 }

describe("the demo operator's content, on any day", () => {
  it("eight properties in two cities and two currencies", () => {
    assert.lengthOf(DEMO_PROPERTIES, 8)
    assert.strictEqual(new Set(DEMO_PROPERTIES.map(({ city }) => city)).size, 2)
    assert.strictEqual(new Set(DEMO_PROPERTIES.map(({ currency }) => currency)).size, 2)
    assert.strictEqual(new Set(DEMO_PROPERTIES.map(({ title }) => title)).size, 8)
  })

  it("sells no night twice", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const nights = makeDemoOrders(today, ZONE)
          .filter(({ status }) => status === "accepted")
          .flatMap(({ stays }) =>
            stays.flatMap(({ propertyIndex, checkIn, checkOut }) =>
              Array.from(
                { length: daysInRange(checkIn, checkOut) - 1 },
                (_, night) => `${propertyIndex} ${addDays(checkIn, night)}`
              )
            )
          )
        assert.strictEqual(new Set(nights).size, nights.length)
      }),
      RUNS
    )
  })

  it("gives every order and stay a code of its own, in the forms of manual and channel orders", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const orders = makeDemoOrders(today, ZONE)
        const codes = orders.flatMap(({ stays }) => stays.map(({ code }) => code))
        assert.strictEqual(new Set(codes).size, codes.length)
        for (const { code, channelId, channelType, stays } of orders) {
          assert.strictEqual(stays[0].code, code)
          if (channelType === "direct") {
            assert.strictEqual(code, `5-${channelId}`)
            assert.match(channelId, /^[A-Za-z0-9]{1,32}$/)
          } else {
            assert.match(code, /^0-\d+-[0-9A-Z]+$/)
            for (const [room, stay] of stays.entries()) {
              if (room > 0) assert.strictEqual(stay.code, code.replace(/^(0-\d+)/, `$1_${room}`))
            }
          }
        }
      }),
      RUNS
    )
  })

  it("talks with guests in several scripts, in threads that its orders name, and has offered one of them a week", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const now = new Date(`${today}T12:00:00Z`)
        const orders = makeDemoOrders(today, ZONE)
        const threads = makeDemoThreads(orders, now, ZONE)
        const airbnb = threads.forChannel("airbnb")
        const all = ["airbnb", "booking.com", "vrbo", "expedia", "agoda", "booking_site"].flatMap(threads.forChannel)
        const ids = all.map(({ threadId }) => threadId)
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.isAtLeast(all.length, 12)
        const texts = all.flatMap(({ messages }) => messages.map(({ text }) => text)).join("")
        for (const script of [
          /\p{Script=Latin}/u,
          /\p{Script=Han}/u,
          /\p{Script=Arabic}/u,
          /\p{Extended_Pictographic}/u
        ]) {
          assert.match(texts, script)
        }
        assert.isTrue(all.every(({ messages }) => messages.every(({ sentAt: at }) => at.getTime() < now.getTime())))
        const upcoming = orders.filter((order) => order.status === "accepted" && order.stays[0].checkIn > today)
        assert.isAtLeast(upcoming.filter((order) => ids.includes(threads.threadIdOf(order) ?? "")).length, 3)

        assert.isTrue(airbnb.some(({ inquiry, offers }) => inquiry !== null && offers.length === 0))
        const [offer, ...others] = airbnb.flatMap(({ offers }) => offers)
        assert.lengthOf(others, 0)
        assert.strictEqual(offer?.offerType, "special_offer")
        assert.isAbove(now.getTime(), offer?.createdAt.getTime() ?? 0)
        // Nobody has those nights.
        assert.isTrue(
          orders.every(({ stays }) => stays.every(({ checkOut }) => checkOut <= (offer?.checkInDate ?? "")))
        )
      }),
      RUNS
    )
  })

  it("has reviews of both sides, a reply, and a stay of the last days that waits for its host's review", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const orders = makeDemoOrders(today, ZONE)
        const [waiting, replied, ...others] = makeDemoReviews(orders, "airbnb", today, ZONE)
        const order = orders.find(({ channelId }) => channelId === waiting?.channel_id)
        const checkOut = order?.stays[0].checkOut ?? ""
        assert.isTrue(order?.channelType === "airbnb" && order.status === "accepted")
        assert.isTrue(checkOut <= today && checkOut >= addDays(today, -13))
        assert.isTrue(waiting?.guest_review !== undefined && waiting.host_review === undefined)
        assert.hasAllKeys(replied, ["channel_id", "guest_review", "host_review", "host_reply"])
        assert.lengthOf(others, 1)
        assert.lengthOf(makeDemoReviews(orders, "booking.com", today, ZONE), 1)
      }),
      RUNS
    )
  })

  it("says nothing of a stay before its day of check-out, the host after the guest, and nothing that is still to come", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const orders = makeDemoOrders(today, ZONE)
        const reviews = ["airbnb", "booking.com"].flatMap((channel) => makeDemoReviews(orders, channel, today, ZONE))
        assert.lengthOf(reviews, 4)
        for (const { channel_id, guest_review, host_review, host_reply } of reviews) {
          const stays = orders.find(({ channelId }) => channelId === channel_id)?.stays ?? []
          const [last = "9999"] = stays
            .map(({ checkOut }) => checkOut)
            .toSorted()
            .toReversed()
          const said = [guest_review, host_review, host_reply].flatMap((part) => part?.created_at ?? [])
          assert.deepStrictEqual(said, said.toSorted())
          assert.isAtLeast(Date.parse(said[0] ?? ""), startOfDay(last, ZONE).getTime())
          assert.isBelow(Date.parse(said.at(-1) ?? ""), startOfDay(today, ZONE).getTime())
        }
      }),
      RUNS
    )
  })

  it("spreads orders over three months around today, with several rooms in some of them", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const orders = makeDemoOrders(today, ZONE)
        const stays = orders.flatMap((order) => order.stays)
        const first = stays.map(({ checkIn }) => checkIn).toSorted()[0] ?? today
        const last =
          stays
            .map(({ checkOut }) => checkOut)
            .toSorted()
            .at(-1) ?? today
        assert.isAtLeast(daysInRange(first, today), 44)
        assert.isAtLeast(daysInRange(today, last), 44)
        assert.isAtLeast(orders.filter((order) => order.stays.length > 1).length, 3)
        assert.strictEqual(new Set(orders.map(({ currency }) => currency)).size, 2)
        // Nobody has booked in the future.
        for (const order of orders)
          assert.isBelow(order.bookedAt.getTime(), Date.parse(`${addDays(today, 1)}T00:00:00Z`))
      }),
      RUNS
    )
  })

  it("has two requests or more that wait for an answer, and listings of different names at each channel", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const orders = makeDemoOrders(today, ZONE)
        assert.isAtLeast(orders.filter(({ status }) => status === "wait_accept").length, 2)
        const names = makeDemoListings(orders).map(({ channelType, listingId }) => `${channelType} ${listingId}`)
        assert.strictEqual(new Set(names).size, names.length)
        assert.isTrue(makeDemoListings(orders).every(({ price }) => price > 0))
      }),
      RUNS
    )
  })

  it("has entries of both directions on orders, properties and the operator, all within 180 days", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const entries = makeDemoTransactions(makeDemoOrders(today, ZONE), today, ZONE)
        const middle = Date.parse(`${today}T12:00:00Z`)
        for (const entry of entries) {
          assert.isAtMost(Math.abs(entry.actionAt.getTime() - middle), 179 * DAY)
          assert.isAbove(entry.amount, 0)
        }
        const kinds = new Set(
          entries.map(({ direction, order, propertyIndex }) => {
            const on = order !== undefined ? "order" : propertyIndex !== undefined ? "property" : "operator"
            return `${direction} ${on}`
          })
        )
        for (const kind of [
          "income order",
          "expense order",
          "expense property",
          "income operator",
          "expense operator"
        ]) {
          assert.include(Array.from(kinds), kind)
        }
        assert.isTrue(
          entries.some(({ order }) => new Set(order?.stays.map(({ propertyIndex }) => propertyIndex)).size > 1),
          "an entry on an order with stays in two properties"
        )
        assert.isTrue(
          entries.some(({ order }) => order !== undefined && !order.code.startsWith("5-")),
          "an entry on a channel order"
        )
      }),
      RUNS
    )
  })

  it("has one entry of an item an order, by which its shares find it", () => {
    fc.assert(
      fc.property(someDay, (today) => {
        const keys = makeDemoTransactions(makeDemoOrders(today, ZONE), today, ZONE)
          .filter(({ order }) => order !== undefined)
          .map(({ order, direction, itemId }) => `${order?.code} ${direction} ${itemId}`)
        assert.strictEqual(new Set(keys).size, keys.length)
      }),
      RUNS
    )
  })

  it("is the same whenever it is made on one day, and moves with the day", () => {
    const madeAt = (instant: string, today: string) => {
      vi.setSystemTime(new Date(instant))
      const orders = makeDemoOrders(today, ZONE)
      return { orders, entries: makeDemoTransactions(orders, today, ZONE) }
    }
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    fc.assert(
      fc.property(someDay, (today) => {
        const early = madeAt(`${today}T00:00:01Z`, today)
        assert.deepStrictEqual(madeAt(`${today}T23:59:59Z`, today), early)
        const tomorrow = madeAt(`${today}T23:59:59Z`, addDays(today, 1))
        assert.deepStrictEqual(
          tomorrow.orders.map(({ stays: [{ checkIn }] }) => checkIn),
          early.orders.map(({ stays: [{ checkIn }] }) => addDays(checkIn, 1))
        )
      }),
      RUNS
    )
  })
})
