import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { parseRetryAfter } from "../../../../src/domain/webhooks/deliveries/retry-after.ts"
import { WEBHOOK_RETRY_AFTER_MS } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  deliverAllDue,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { makeSwitchableHandler, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"

const NOW = Date.parse("2027-04-20T10:00:00Z")
const DAY_MS = 24 * 60 * 60 * 1000

describe("a Retry-After header", () => {
  it.each([
    ["120", 120_000],
    [" 120 ", 120_000],
    ["0", 0],
    ["86400", DAY_MS],
    ["86401", DAY_MS],
    ["99999999999999999999", DAY_MS],
    ["Tue, 20 Apr 2027 10:02:00 GMT", 120_000],
    ["Tuesday, 20-Apr-27 10:02:00 GMT", 120_000],
    ["Tue Apr 20 10:02:00 2027", 120_000],
    ["Tue, 20 Apr 2027 09:00:00 GMT", 0],
    ["Wed, 21 Apr 2027 10:00:01 GMT", DAY_MS]
  ])("of %j is read", (value, ms) => {
    expect(parseRetryAfter({ "retry-after": value }, NOW, DAY_MS)).toBe(ms)
  })

  it.each([
    undefined,
    "",
    "soon",
    "-5",
    "1.5",
    "1e3",
    "120 s",
    "2027-04-20T10:02:00Z",
    "Tue, 99 Xyz 2027 10:02:00 GMT"
  ])("of %j says nothing", (value) => {
    expect(parseRetryAfter(value === undefined ? {} : { "retry-after": value }, NOW, DAY_MS)).toBeUndefined()
  })
})

layer(layerDeliveryService)("a receiver that says when to come again", (it) => {
  /** The milliseconds between a first try with that answer and the second. */
  const pauseAfter = Effect.fnUntraced(function* (status: number, retryAfter: (now: number) => string) {
    yield* emptyDeliveryTables
    const polls = yield* makeDeliveryPolls
    const { behavior: mood, handler: answer } = makeSwitchableHandler()
    const server = yield* startReceiver(answer)
    const subscription = yield* createSubscription(server.port)
    // `emptied` has set the clock to the wall clock, and it must not go back. An HTTP date has whole seconds.
    const began = Math.ceil((yield* Clock.currentTimeMillis) / 1000) * 1000
    yield* TestClock.setTime(began)
    mood.respond = respondWith(status, "", { "retry-after": retryAfter(began) })
    yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
    yield* deliverAllDue(polls)
    assert.strictEqual((yield* Queue.clear(server.requests)).length, 1)
    const [waiting] = yield* loadDeliveries(subscription)
    const pause = (waiting?.due_at.getTime() ?? 0) - began
    mood.respond = respondWith(200)
    yield* TestClock.setTime(began + pause - 1)
    yield* deliverAllDue(polls)
    assert.strictEqual(yield* Queue.size(server.requests), 0)
    yield* TestClock.setTime(began + pause)
    yield* deliverAllDue(polls)
    assert.strictEqual(yield* Queue.size(server.requests), 1)
    return pause
  })

  const longest = WEBHOOK_RETRY_AFTER_MS / 1000

  it.effect.each([
    [503, "120", 120_000],
    [429, "120", 120_000],
    [503, String(longest), WEBHOOK_RETRY_AFTER_MS],
    [503, String(longest + 1), WEBHOOK_RETRY_AFTER_MS]
  ] as const)("with %i and %s is tried again after that time, six hours at most", ([status, seconds, ms]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pauseAfter(status, () => seconds), ms)
    })
  )

  it.effect("by a date is tried again at that time", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* pauseAfter(503, (now) => new Date(now + 120_000).toUTCString()), 120_000)
    })
  )

  it.effect.each([
    ["a shorter time than the pause", 503, "1"],
    ["something unreadable", 503, "soon"],
    ["a time with another status", 500, "3600"]
  ] as const)("by %s is tried again after the usual pause", ([, status, value]) =>
    Effect.gen(function* () {
      const pause = yield* pauseAfter(status, () => value)
      assert.isAtLeast(pause, 22_500)
      assert.isAtMost(pause, 37_500)
    })
  )
})
