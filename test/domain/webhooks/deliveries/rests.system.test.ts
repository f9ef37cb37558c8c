import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  HEALTHY_STATE,
  PROBE_TIMEOUT_MS,
  type SubscriptionHealth
} from "../../../../src/domain/webhooks/deliveries/circuit-breaker.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  WEBHOOK_BREAKER_FAILURES_MAX,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_CONCURRENT_DELIVERIES_MAX,
  WEBHOOK_PAUSE_AFTER_MS
} from "../../../../src/platform/limits.ts"
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
import { typedClient, withToken } from "../../../support/harness.ts"
import { collectLogLines } from "../../../support/log-lines.ts"

const HOUR = 60 * 60 * 1000

layer(layerDeliveryService)("a subscription whose receiver fails", (it) => {
  it.effect(`${WEBHOOK_BREAKER_FAILURES_MAX} times in a row rests; a rest costs no try, and ends with one`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const subscription = yield* createSubscription(server.port)
      mood.respond = respondWith(500)
      const count = WEBHOOK_BREAKER_FAILURES_MAX + 15
      const events = Array.from({ length: count }, (_, index) => makeRepeatedEvents(1, `transaction:${index}`)).flat()
      yield* recordEvents(subscription.operator, events)
      const said = yield* collectLogLines(deliverAllDue(polls))
      assert.deepStrictEqual(
        said
          .filter(({ level }) => level === "Warn")
          .map(({ message, fields }) => [String(message).includes("500"), fields.webhook_id]),
        [[true, subscription.id]]
      )
      // The share of a healthy subscription goes out at once; from the first failure on it is one at a time.
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES_MAX)
      yield* TestClock.adjust(WEBHOOK_BREAKER_FIRST_MS - 1)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES_MAX)
      const untried = (yield* loadDeliveries(subscription)).filter(({ attempts }) => attempts === 0)
      assert.strictEqual(untried.length, count - WEBHOOK_BREAKER_FAILURES_MAX)
      yield* TestClock.adjust(1)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_BREAKER_FAILURES_MAX + 1)
      mood.respond = respondWith(200)
      yield* TestClock.adjust(2 * WEBHOOK_BREAKER_FIRST_MS)
      yield* deliverAllDue(polls)
      const states = (yield* loadDeliveries(subscription)).map(({ state }) => state)
      assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
    })
  )

  it.effect("each first time tries every event of a burst again within 90 seconds", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const seen = new Set<unknown>()
      const server = yield* startReceiver((response, received) => {
        const id = received.headers["webhook-id"]
        respondWith(seen.has(id) ? 200 : 500)(response, received)
        seen.add(id)
      })
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(
        subscription.operator,
        Array.from({ length: WEBHOOK_BREAKER_FAILURES_MAX / 2 }, (_, index) =>
          makeRepeatedEvents(1, `transaction:${index}`)
        ).flat()
      )
      for (let second = 0; second < 90; second += 5) {
        yield* deliverAllDue(polls)
        yield* TestClock.adjust(5_000)
      }
      const ends = (yield* loadDeliveries(subscription)).map(({ state, failures }) => `${state} after ${failures}`)
      assert.deepStrictEqual(new Set(ends), new Set(["delivered after 1"]))
    })
  )

  it.effect("is asked for nothing between the end of its rest and its next try, and keeps no other's probe", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const queue = yield* DeliveryQueue
      const sql = yield* SqlClient.SqlClient
      const [waits, ready] = [yield* createSubscription(1), yield* createSubscription(1)]
      for (const { operator } of [waits, ready]) yield* recordEvents(operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      const due = now + HOUR
      yield* sql`UPDATE webhook_deliveries SET due_at = ${new Date(due)} WHERE subscription_id = ${waits.id}`
      const resting = (until: number) =>
        `{"state": "resting", "failures": 9, "failingSince": 0, "rests": 1, "until": ${until}}`
      yield* sql`UPDATE webhook_subscriptions SET health = ${resting(now - 2)}::jsonb WHERE id = ${waits.id}`
      yield* sql`UPDATE webhook_subscriptions SET health = ${resting(now - 1)}::jsonb WHERE id = ${ready.id}`
      const asked = (at: number) =>
        Effect.map(queue.findSubscriptionsToProbe(new Date(at), 1, []), (rested) =>
          rested.map(({ subscription_id }) => subscription_id)
        )
      assert.deepStrictEqual(yield* asked(now), [ready.id])
      assert.deepStrictEqual(yield* asked(due - 1), [ready.id])
      assert.deepStrictEqual(yield* asked(due), [waits.id])
    })
  )

  /** A subscription of that health with some deliveries that are due now, each of a record of its own. */
  const withHealth = Effect.fnUntraced(function* (health: SubscriptionHealth, count: number) {
    yield* emptyDeliveryTables
    const polls = yield* makeDeliveryPolls
    const sql = yield* SqlClient.SqlClient
    const subscription = yield* createSubscription(1)
    yield* recordEvents(
      subscription.operator,
      Array.from({ length: count }, (_, index) => makeRepeatedEvents(1, `transaction:${index}`)).flat()
    )
    yield* polls.dispatchEvents
    yield* sql`UPDATE webhook_subscriptions SET health = ${JSON.stringify(health)}::jsonb WHERE id = ${subscription.id}`
    return subscription
  })
  const failing = { failures: 9, failingSince: 0 }
  const present = Effect.map(DateTime.nowAsDate, (now) => ({ now, ms: now.getTime() }))

  it.effect("is ended by one probe, also with two workers; the next goes only when that one is long overdue", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { ms } = yield* present
      const until = ms + HOUR
      const { id } = yield* withHealth({ state: "resting", ...failing, rests: 1, until }, 5)
      const queue = yield* DeliveryQueue
      const rested = (at: number) => queue.findSubscriptionsToProbe(new Date(at), 10, [])
      assert.deepStrictEqual(yield* rested(until - 1), [])
      const [over, ...more] = yield* rested(until)
      assert.deepStrictEqual([over?.subscription_id, more], [id, []])
      if (over === undefined) return
      const probes = yield* Effect.forEach([1, 2, 3], () => queue.claimProbe(new Date(until), over), {
        concurrency: "unbounded"
      })
      assert.strictEqual(probes.flat().length, 1)
      assert.deepStrictEqual(yield* rested(until + PROBE_TIMEOUT_MS - 1), [])
      assert.strictEqual((yield* rested(until + PROBE_TIMEOUT_MS)).length, 1)
    })
  )

  it.effect("gets nothing while it rests, is probed or paused, and one at a time while it fails", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      for (const [health, expected] of [
        [{ state: "resting", ...failing, rests: 1, until: 0 }, 0],
        [{ state: "probing", ...failing, rests: 1, until: 0 }, 0],
        [{ state: "paused", ...failing }, 0],
        [{ state: "failing", ...failing }, 1],
        [HEALTHY_STATE, WEBHOOK_CONCURRENT_DELIVERIES_MAX]
      ] as const) {
        yield* withHealth(health, WEBHOOK_CONCURRENT_DELIVERIES_MAX + 1)
        const taken = yield* queue.claim((yield* present).now, 10, [])
        assert.strictEqual(taken.length, expected, health.state)
      }
    })
  )

  it.effect(
    `gets no probe while ${WEBHOOK_CONCURRENT_DELIVERIES_MAX} of its deliveries are under way in this process since before`,
    () =>
      Effect.gen(function* () {
        const { id, operator } = yield* withHealth({ state: "resting", ...failing, rests: 1, until: 0 }, 1)
        const queue = yield* DeliveryQueue
        const { now } = yield* present
        const rested = (underWay: number) =>
          queue.findSubscriptionsToProbe(
            now,
            10,
            Array.from({ length: underWay }, () => ({ operator_id: operator.operatorId, subscription_id: id }))
          )
        assert.deepStrictEqual(yield* rested(WEBHOOK_CONCURRENT_DELIVERIES_MAX), [])
        assert.strictEqual((yield* rested(WEBHOOK_CONCURRENT_DELIVERIES_MAX - 1)).length, 1)
      })
  )

  it.effect("is healed by any success, also a late one, but not from a pause", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const sql = yield* SqlClient.SqlClient
      for (const health of [
        HEALTHY_STATE,
        { state: "failing", ...failing },
        { state: "resting", ...failing, rests: 1, until: 0 },
        { state: "probing", ...failing, rests: 1, until: 0 },
        { state: "paused", ...failing }
      ] as const) {
        const { id } = yield* withHealth(HEALTHY_STATE, 1)
        const { now } = yield* present
        const [delivery] = yield* queue.claim(now, 1, [])
        yield* sql`UPDATE webhook_subscriptions SET health = ${JSON.stringify(health)}::jsonb WHERE id = ${id}`
        if (delivery === undefined) return yield* Effect.die("nothing was due")
        const attempt = { outcome: "answered", status: 200, firstBytes: "", durationMs: 1 } as const
        yield* queue.complete({ delivery, startedAt: now, result: attempt })
        const after = yield* queue.findHealth(delivery)
        assert.deepStrictEqual(after, health.state === "paused" ? health : HEALTHY_STATE)
      }
    })
  )

  it.effect("is down for an hour loses nothing", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const subscription = yield* createSubscription(server.port)
      mood.respond = respondWith(503)
      for (let minute = 0; minute < 60; minute++) {
        yield* recordEvents(subscription.operator, makeRepeatedEvents(2, `transaction:${minute}`))
        yield* deliverAllDue(polls)
        yield* TestClock.adjust(60_000)
      }
      mood.respond = respondWith(200)
      yield* Queue.clear(server.requests)
      // The last rest is at most half an hour.
      yield* TestClock.adjust(HOUR / 2)
      yield* deliverAllDue(polls)
      yield* TestClock.adjust(HOUR / 2)
      yield* deliverAllDue(polls)
      const states = (yield* loadDeliveries(subscription)).map(({ state }) => state)
      assert.strictEqual(states.length, 120)
      assert.deepStrictEqual(new Set(states), new Set(["delivered"]))
      const ids = (yield* Queue.clear(server.requests)).map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(new Set(ids).size, 120)
    })
  )

  it.effect("for five days is paused, says so, keeps its events and sends them when a change resumes it", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const { behavior: mood, handler: answer } = makeSwitchableHandler()
      const server = yield* startReceiver(answer)
      const subscription = yield* createSubscription(server.port)
      const api = yield* typedClient
      const as = withToken(subscription.operator.token)
      const shown = Effect.map(api.list_webhooks({}).pipe(as), ({ webhooks }) => webhooks[0])
      mood.respond = respondWith(500)
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      const happens = (record: string) => recordEvents(subscription.operator, makeRepeatedEvents(1, record))
      for (let hour = 0; hour < (WEBHOOK_PAUSE_AFTER_MS - HOUR) / HOUR; hour += 3) {
        yield* happens(`transaction:${hour}`)
        yield* deliverAllDue(polls)
        assert.strictEqual((yield* shown)?.status, "active")
        yield* TestClock.adjust(3 * HOUR)
      }
      yield* TestClock.setTime(began + WEBHOOK_PAUSE_AFTER_MS)
      yield* deliverAllDue(polls)
      const paused = yield* shown
      assert.strictEqual(paused?.status, "paused")
      assert.match(paused?.paused_reason ?? "", /five days.*500/)
      assert.strictEqual(
        Date.parse(paused?.paused_at ?? ""),
        Math.floor((began + WEBHOOK_PAUSE_AFTER_MS) / 1000) * 1000
      )

      mood.respond = respondWith(200)
      yield* Queue.clear(server.requests)
      yield* happens("transaction:paused")
      yield* TestClock.adjust(12 * HOUR)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      const waiting = (yield* loadDeliveries(subscription)).filter(({ state }) => state === "waiting")
      assert.isAtLeast(waiting.length, 2)

      yield* api.update_webhook({ id: subscription.id }).pipe(as)
      yield* deliverAllDue(polls)
      assert.strictEqual((yield* shown)?.status, "active")
      assert.strictEqual(yield* Queue.size(server.requests), waiting.length)
    })
  )

  it.effect("and is deleted hears nothing more", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const server = yield* startReceiver(respondWith(500))
      const subscription = yield* createSubscription(server.port)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(3))
      yield* deliverAllDue(polls)
      yield* Queue.clear(server.requests)
      const api = yield* typedClient
      yield* api.delete_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* TestClock.adjust(HOUR)
      yield* deliverAllDue(polls)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
    })
  )
})
