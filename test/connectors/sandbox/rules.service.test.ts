import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { CHANNEL_PROFILES, SANDBOX_CHANNELS } from "../../../src/connectors/sandbox/channel-profiles.ts"
import {
  applyInventories,
  computeAvailableCount,
  findDay,
  releaseNight,
  takeNight
} from "../../../src/connectors/sandbox/listing-calendar.ts"
import { mergeSettings } from "../../../src/connectors/sandbox/listing-settings.ts"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { deductPercentage } from "../../../src/connectors/sandbox/minor-units.ts"
import { createListing } from "../../../src/connectors/sandbox/new-listing.ts"
import { computeOfferStatus } from "../../../src/connectors/sandbox/offers.ts"
import { priceRoomAt, priceStandardRoom } from "../../../src/connectors/sandbox/order-transitions.ts"
import type { SandboxDay } from "../../../src/connectors/sandbox/rows.ts"
import { appendMessage, createThread, toGuestKey, withInquiry } from "../../../src/connectors/sandbox/threads.ts"
import { SANDBOX_LISTINGS_MAX, SANDBOX_PAYMENTS_MAX } from "../../../src/platform/limits.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  layerSandboxTest,
  NOW
} from "../../support/connectors/sandbox/sandbox-accounts.ts"

const cents = (amount: number | undefined): number => Math.round((amount ?? 0) * 100)

const channel = fc.constantFrom(...SANDBOX_CHANNELS)

it("the parts of a rate add up to it, to the cent, whatever it is made of", () => {
  fc.assert(
    fc.property(
      channel,
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.integer({ min: 1, max: 40 }),
      (channel_type, price, cleaning, nights) => {
        const asked = { channel_type, base_price: price / 100, cleaning_fee: cleaning / 100 }
        const listing = createListing(asked, "L", "EUR")
        const end = new Date(Date.parse("2027-06-01") + nights * 86_400_000).toISOString().slice(0, 10)
        const room = { listing_id: "L", check_in_date: "2027-06-01", check_out_date: end, adults: 2, children: 0 }
        const { rate, commission, accommodation, details } = priceStandardRoom(
          channel_type,
          listing,
          new Map(),
          room,
          "R1"
        )
        assert.strictEqual(cents(accommodation), price * nights)
        assert.strictEqual(details !== undefined, CHANNEL_PROFILES[channel_type].itemizesRate)
        if (details === undefined) return
        const part = (type: string) => cents(details.find((each) => each.type === type)?.amount)
        assert.strictEqual(part("ACCOMMODATION") + part("CLEANING_FEE") + part("TAXES"), cents(rate))
        assert.strictEqual(part("HOST_SERVICE_FEE"), cents(commission))
      }
    )
  )
})

it("what is left of what a guest pays is exact", () => {
  assert.strictEqual(deductPercentage(10_000n, 15), 8_500n)
  assert.strictEqual(deductPercentage(9_999n, 15), 8_499n)
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.integer({ min: 0, max: 100 }), (units, percent) => {
      const left = deductPercentage(units, percent)
      const off = left * 100n - units * BigInt(100 - percent)
      assert.isTrue(off >= -50n && off <= 50n)
    })
  )
})

it("sells no more than was said last, and what the host has closed no cancellation opens", () => {
  const listing = createListing({ channel_type: "booking.com", rooms: 3 }, "L", "EUR")
  const act = fc.oneof(fc.constant("book" as const), fc.constant("cancel" as const), fc.integer({ min: 0, max: 4 }))
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let day: SandboxDay = findDay(listing, new Map(), "2027-06-01")
      let most = listing.rooms
      for (const each of acts) {
        if (each === "book" && computeAvailableCount(listing, day) > 0) day = takeNight(day)
        if (each === "cancel" && day.sold > 0) day = releaseNight(day)
        if (typeof each === "number") {
          const range = { start_date: "2027-06-01", end_date: "2027-06-01", inventory: each }
          const changed = applyInventories(listing, new Map([[day.day, day]]), [range], new Map())
          if (changed._tag === "Success" && changed.success[0] !== undefined) day = changed.success[0]
          most = each
        }
        assert.isTrue(computeAvailableCount(listing, day) >= 0 && computeAvailableCount(listing, day) <= most)
      }
    })
  )
})

it("a vrbo listing has one price, or one for each weekday", () => {
  const { settings } = createListing({ channel_type: "vrbo", base_price: 100 }, "L", "EUR")
  const days = { sunday: 1, monday: 2, tuesday: 2, wednesday: 2, thursday: 2, friday: 3, saturday: 3 }
  const weekdays = mergeSettings("vrbo", settings, { nightly_rate: days, cleaning_fee: 0 })
  assert.deepInclude(weekdays, { base_price: null, nightly_rate: days, cleaning_fee: null })
  const one = mergeSettings("vrbo", weekdays, { base_price: 90 })
  assert.strictEqual(one["base_price"], 90)
  assert.deepInclude(one["nightly_rate"], { sunday: 90, saturday: 90 })
  assert.deepStrictEqual(mergeSettings("vrbo", one, one), one)
})

it("a stay at a price of its host's costs that and nothing on top, whatever the listing takes", () => {
  fc.assert(
    fc.property(
      channel,
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 0, max: 100 }),
      (at, price, percent) => {
        const asked = { channel_type: at, cleaning_fee: 30, tax: percent, commission: percent }
        const room = {
          listing_id: "L",
          check_in_date: "2027-06-01",
          check_out_date: "2027-06-04",
          adults: 2,
          children: 0
        }
        const booked = priceRoomAt(price / 100, at, createListing(asked, "L", "EUR"), room, "R1")
        assert.deepStrictEqual([cents(booked.rate), cents(booked.accommodation)], [price, price])
        assert.isTrue(booked.commission <= booked.rate)
      }
    )
  )
})

it("an offer stands as it was left, but that an active one is over from its last moment on", () => {
  const status = fc.constantFrom("active", "accepted", "declined", "expired", "withdrawn")
  const instant = fc.integer({ min: 0, max: 100 })
  fc.assert(
    fc.property(status, instant, instant, (left, expires, now) => {
      const stands = computeOfferStatus({ status: left, expires_at: new Date(expires) }, new Date(now))
      assert.strictEqual(stands, left === "active" && now >= expires ? "expired" : left)
    })
  )
})

it("a guest is known by the e-mail address, else by the name, and never by both", () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(word, word, word, word, (name, other, box, host) => {
      const email = `${box}@${host}`
      assert.strictEqual(toGuestKey({ name, email }), toGuestKey({ name: other, email: ` ${email.toUpperCase()}` }))
      assert.strictEqual(toGuestKey({ name }), toGuestKey({ name: `${name.toUpperCase()} `, email: "" }))
      assert.notStrictEqual(toGuestKey({ name: email }), toGuestKey({ name, email }))
      assert.strictEqual(toGuestKey({ name }) === toGuestKey({ name: other }), name === other)
    })
  )
})

it("a thread numbers what is written in it, and is told anew only when something else is asked", () => {
  const inquiry = { listing_id: "L", check_in_date: "2027-06-01", check_out_date: "2027-06-04", number_of_adults: 2 }
  const act = fc.constantFrom("write", "ask", "book")
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let thread = createThread("T", { name: "Ana" }, new Date(NOW))
      const ids: Array<string> = []
      for (const each of acts) {
        const before = thread
        if (each === "write") {
          const written = appendMessage(thread, { sender: "guest", text: "x" }, new Date(NOW))
          thread = written.thread
          ids.push(written.message.said.message_id)
        } else thread = withInquiry(thread, each === "ask" ? inquiry : null)
        const isTold = each === "ask" || (each === "book" && before.said.inquiry !== null)
        assert.strictEqual(thread.version, before.version + (isTold ? 1 : 0))
        assert.strictEqual(thread.said.version, thread.version)
      }
      assert.deepStrictEqual(
        ids,
        Array.from({ length: ids.length }, (_, nth) => `T-${nth + 1}`)
      )
    })
  )
})

layer(layerSandboxTest)("the sandbox", (it) => {
  it.effect("has room for so many listings of an account", () =>
    Effect.gen(function* () {
      const { account } = yield* createSandboxAccount("booking.com")
      yield* Effect.forEach(Array.from({ length: SANDBOX_LISTINGS_MAX }), () => createSandboxListing(account), {
        discard: true
      })
      assert.strictEqual((yield* Effect.exit(createSandboxListing(account)))._tag, "Failure")
    })
  )

  it.effect("takes so many payments of an order", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { account } = yield* createSandboxAccount("booking.com")
      const listing_id = yield* createSandboxListing(account)
      const market = yield* Marketplace
      const stay = { check_in_date: "2027-06-07", check_out_date: "2027-06-09" }
      const { order_id } = yield* market.bookOrder({ listing_id, guest_name: "Ana Reis", ...stay })
      const pay = market.payOrder({ order_id, amount: 0.01 })
      yield* Effect.forEach(Array.from({ length: SANDBOX_PAYMENTS_MAX }), () => pay, { discard: true })
      assert.include((yield* Effect.flip(pay)).message, `at most ${SANDBOX_PAYMENTS_MAX} payments`)
    })
  )
})
