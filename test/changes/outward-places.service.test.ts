import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { CHANNEL_ACTION_TIMEOUT_MS } from "../../src/domain/channels/port/channel-api-errors.ts"
import { CONCURRENCY_PERMITS } from "../../src/platform/limits.ts"
import { callWithKey } from "../support/changes/keyed-calls.ts"
import { insertConversation } from "../support/conversations.ts"
import { createOperator, insertOrder, insertProperty, layerTest, typedClient, withToken } from "../support/harness.ts"
import { insertChannelAccount, insertListing } from "../support/listings.ts"
import { ScriptedChannel } from "../support/scripted-channel.ts"

// Who waits for a channel holds no place meanwhile: neither others nor the operator's own calls are held up by that.

/** More calls than there are places. */
const WAITING = 2 * CONCURRENCY_PERMITS

/** Pending requests of the operator, as the calls that answer them. */
const requests = Effect.fnUntraced(function* (operatorId: number) {
  const propertyId = yield* insertProperty(operatorId, "Harbour 1")
  const pending = insertOrder(operatorId, [{ propertyId }], { channelType: "airbnb", status: "wait_accept" })
  const codes = yield* Effect.forEach(Array.from({ length: WAITING }), () => pending)
  return codes.map((code) => ({ about: code, fields: { reservation_code: code } }))
})

/** Listings of the operator, as the calls that read or change their prices. */
const listings = (more: object) =>
  Effect.fnUntraced(function* (operatorId: number) {
    const accountId = yield* insertChannelAccount(operatorId)
    const ids = yield* Effect.forEach(Array.from({ length: WAITING }), () => insertListing(operatorId, accountId))
    return ids.map((listing_id) => ({ about: listing_id, fields: { listing_id, ...more } }))
  })

/** Conversations of the operator, as the calls that make their guests an offer. */
const conversations = Effect.fnUntraced(function* (operatorId: number) {
  const accountId = yield* insertChannelAccount(operatorId)
  const listing_id = yield* insertListing(operatorId, accountId)
  const dates = { check_in_date: "2027-05-04", check_out_date: "2027-05-07" }
  const known = insertConversation({ operatorId, accountId, channelType: "airbnb" })
  return (yield* Effect.forEach(Array.from({ length: WAITING }), () => known)).map(({ code, thread_id }) => ({
    about: thread_id,
    fields: { conversation_id: code, listing_id, ...dates, price: 380, number_of_adults: 2 }
  }))
})

const CALLS = [
  ["approve_reservation", requests, false],
  ["approve_reservation", requests, true],
  ["get_airbnb_price_and_rules", listings({}), false],
  ["update_airbnb_price_and_rules", listings({ settings: { base_price: 90 } }), false],
  ["update_airbnb_price_and_rules", listings({ settings: { base_price: 90 } }), true],
  ["send_special_offer", conversations, true]
] as const

/** Fails what would wait for ever on a clock that stands still. */
const bounded = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(() => resume(Effect.die(new Error(`${what}: nothing ends this wait`))), 20_000)
      return Effect.sync(() => clearTimeout(timer))
    })
  )

layer(layerTest)("while its channel works", (it) => {
  for (const [operation, prepare, hasKey] of CALLS) {
    it.effect(`a call of ${operation}${hasKey ? " with a key" : ""} holds no place`, () =>
      Effect.gen(function* () {
        const [busy, quiet] = [yield* createOperator(), yield* createOperator()]
        const [api, channel] = [yield* typedClient, yield* ScriptedChannel]
        const calls = yield* prepare(busy.operatorId)
        const names = new Set(calls.map(({ about }) => about))
        for (const name of names) yield* channel.setResponse(name, Effect.never)
        const fibers = yield* Effect.forEach(calls, ({ about, fields }) =>
          Effect.forkChild(callWithKey(busy.token, operation, fields, hasKey ? about : undefined))
        )
        const heard = Effect.map(
          channel.requests,
          (all) => all.filter((act) => names.has(act.split(" ").at(-1) ?? "")).length
        )
        const everybodyIsHeard = Effect.gen(function* () {
          while ((yield* heard) < WAITING) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        })
        yield* bounded("the channel", everybodyIsHeard)
        for (const { token } of [quiet, busy]) {
          yield* bounded("another call", api.search_properties({ limit: 1 }).pipe(withToken(token)))
        }
        yield* TestClock.adjust(CHANNEL_ACTION_TIMEOUT_MS)
        for (const fiber of fibers) {
          assert.strictEqual((yield* bounded("the answer", Fiber.join(fiber))).envelope.error_code, 504)
        }
      })
    )
  }
})
