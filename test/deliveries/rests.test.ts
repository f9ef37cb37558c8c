import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryQueue } from "../../src/deliveries/DeliveryQueue.ts"
import { makeLooks } from "../../src/deliveries/workers.ts"
import { WEBHOOK_BREAKER_FAILURES, WEBHOOK_BREAKER_FIRST_MS, WEBHOOK_PAUSE_AFTER_MS } from "../../src/limits.ts"
import { typedClient, withToken } from "../harness.ts"
import { lines } from "./log-lines.ts"
import { receiver } from "./receiver.ts"
import { changes, deliveries, emptied, happened, layerScene, subscribed, workedOff } from "./scene.ts"
import { answering, moody } from "./sending.ts"

const HOUR = 60 * 60 * 1000

layer(layerScene)("a subscription whose receiver fails", (it) => {
  it.effect(`${WEBHOOK_BREAKER_FAILURES} times in a row rests; a rest costs no try, and ends with one`, () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const { mood, answer } = moody()
      const server = yield* receiver(answer)
      const subscription = yield* subscribed(server.port)
      mood.answer = answering(500)
      const count = WEBHOOK_BREAKER_FAILURES + 15
      const events = Array.from({ length: count }, (_, index) => changes(1, `transaction:${index}`)).flat()
      yield* happened(subscription.operator, events)
      const said = yield* lines(workedOff(looks))
      assert.deepStrictEqual(
        said.filter(({ level }) => level === "Warn").map(({ message, fields }) => [message, fields.webhook_id]),
        [[["webhook subscription rests", "The last try: the receiver answered 500."], subscription.id]]
      )
      // The share of a healthy subscription goes out at once; from the first failure on it is one at a time.
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES)
      yield* TestClock.adjust(WEBHOOK_BREAKER_FIRST_MS - 1)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES)
      const untried = (yield* deliveries(subscription)).filter(({ attempts }) => attempts === 0)
      assert.strictEqual(untried.length, count - WEBHOOK_BREAKER_FAILURES)
      yield* TestClock.adjust(1)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES + 1)
      mood.answer = answering(200)
      yield* TestClock.adjust(2 * WEBHOOK_BREAKER_FIRST_MS)
      yield* workedOff(looks)
      const states = (yield* deliveries(subscription)).map(({ state }) => state)
      assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
    })
  )

  it.effect("each first time tries every event of a burst again within 90 seconds", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const seen = new Set<unknown>()
      const server = yield* receiver((response, received) => {
        const id = received.headers["webhook-id"]
        answering(seen.has(id) ? 200 : 500)(response, received)
        seen.add(id)
      })
      const subscription = yield* subscribed(server.port)
      yield* happened(
        subscription.operator,
        Array.from({ length: WEBHOOK_BREAKER_FAILURES / 2 }, (_, index) => changes(1, `transaction:${index}`)).flat()
      )
      for (let second = 0; second < 90; second += 5) {
        yield* workedOff(looks)
        yield* TestClock.adjust(5_000)
      }
      const ends = (yield* deliveries(subscription)).map(({ state, failures }) => `${state} after ${failures}`)
      assert.deepStrictEqual(new Set(ends), new Set(["delivered after 1"]))
    })
  )

  it.effect("is asked for nothing between the end of its rest and its next try, and keeps no other's probe", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const queue = yield* DeliveryQueue
      const sql = yield* SqlClient.SqlClient
      const [waits, ready] = [yield* subscribed(1), yield* subscribed(1)]
      for (const { operator } of [waits, ready]) yield* happened(operator, changes(1))
      yield* looks.handOut
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      const due = now + HOUR
      yield* sql`UPDATE webhook_deliveries SET due_at = ${new Date(due)} WHERE subscription_id = ${waits.id}`
      const resting = (until: number) =>
        `{"state": "resting", "failures": 9, "failingSince": 0, "rests": 1, "until": ${until}}`
      yield* sql`UPDATE webhook_subscriptions SET health = ${resting(now - 2)}::jsonb WHERE id = ${waits.id}`
      yield* sql`UPDATE webhook_subscriptions SET health = ${resting(now - 1)}::jsonb WHERE id = ${ready.id}`
      const asked = (at: number) =>
        Effect.map(queue.rested(new Date(at), 1), (rested) => rested.map(({ subscriptionId }) => subscriptionId))
      assert.deepStrictEqual(yield* asked(now), [ready.id])
      assert.deepStrictEqual(yield* asked(due - 1), [ready.id])
      assert.deepStrictEqual(yield* asked(due), [waits.id])
    })
  )

  it.effect("is down for an hour loses nothing", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const { mood, answer } = moody()
      const server = yield* receiver(answer)
      const subscription = yield* subscribed(server.port)
      mood.answer = answering(503)
      for (let minute = 0; minute < 60; minute++) {
        yield* happened(subscription.operator, changes(2, `transaction:${minute}`))
        yield* workedOff(looks)
        yield* TestClock.adjust(60_000)
      }
      mood.answer = answering(200)
      yield* Queue.clear(server.requests)
      // The last rest is at most half an hour.
      yield* TestClock.adjust(HOUR / 2)
      yield* workedOff(looks)
      yield* TestClock.adjust(HOUR / 2)
      yield* workedOff(looks)
      const states = (yield* deliveries(subscription)).map(({ state }) => state)
      assert.strictEqual(states.length, 120)
      assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
      const ids = (yield* Queue.clear(server.requests)).map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(new Set(ids).size, 120)
    })
  )

  it.effect("for five days is paused, says so, keeps its events and sends them when a change resumes it", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const { mood, answer } = moody()
      const server = yield* receiver(answer)
      const subscription = yield* subscribed(server.port)
      const api = yield* typedClient
      const as = withToken(subscription.operator.token)
      const shown = Effect.map(api.list_webhooks({}).pipe(as), ({ webhooks }) => webhooks[0])
      mood.answer = answering(500)
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      const happens = (record: string) => happened(subscription.operator, changes(1, record))
      for (let hour = 0; hour < (WEBHOOK_PAUSE_AFTER_MS - HOUR) / HOUR; hour += 3) {
        yield* happens(`transaction:${hour}`)
        yield* workedOff(looks)
        assert.strictEqual((yield* shown)?.status, "active")
        yield* TestClock.adjust(3 * HOUR)
      }
      yield* TestClock.setTime(began + WEBHOOK_PAUSE_AFTER_MS)
      yield* workedOff(looks)
      const paused = yield* shown
      assert.strictEqual(paused?.status, "paused")
      assert.strictEqual(
        paused?.paused_reason,
        "No delivery succeeded for five days. The last try: the receiver answered 500."
      )
      assert.strictEqual(
        Date.parse(paused?.paused_at ?? ""),
        Math.floor((began + WEBHOOK_PAUSE_AFTER_MS) / 1000) * 1000
      )

      mood.answer = answering(200)
      yield* Queue.clear(server.requests)
      yield* happens("transaction:paused")
      yield* TestClock.adjust(12 * HOUR)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      const waiting = (yield* deliveries(subscription)).filter(({ state }) => state === "waiting")
      assert.isAtLeast(waiting.length, 2)

      yield* api.update_webhook({ id: subscription.id }).pipe(as)
      yield* workedOff(looks)
      assert.strictEqual((yield* shown)?.status, "active")
      assert.strictEqual(yield* Queue.size(server.requests), waiting.length)
    })
  )

  it.effect("and is deleted hears nothing more", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const server = yield* receiver(answering(500))
      const subscription = yield* subscribed(server.port)
      yield* happened(subscription.operator, changes(3))
      yield* workedOff(looks)
      yield* Queue.clear(server.requests)
      const api = yield* typedClient
      yield* api.delete_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      yield* happened(subscription.operator, changes(1))
      yield* TestClock.adjust(HOUR)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )
})
