import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  WEBHOOK_ATTEMPTS,
  WEBHOOK_BREAKER_FAILURES,
  WEBHOOK_BREAKER_FIRST_MS,
  WEBHOOK_LEASE_MS,
  WEBHOOK_PAUSE_AFTER_MS,
  WEBHOOK_SHARE,
  WEBHOOK_TRY_MS
} from "../../src/limits.ts"
import { DeliveryQueue } from "../../src/webhooks/DeliveryQueue.ts"
import { makeLooks } from "../../src/webhooks/workers.ts"
import { typedClient, withToken } from "../harness.ts"
import { type Answer, receiver } from "./receiver.ts"
import {
  changes,
  deliveries,
  emptied,
  happened,
  type Looks,
  layerScene,
  type Subscription,
  subscribed,
  workedOff
} from "./scene.ts"
import { answering, silent } from "./sending.ts"

const HOUR = 60 * 60 * 1000

/** Answers each request with what the test says at that time. */
const moody = () => {
  const mood = { answer: answering(200) as Answer }
  return { mood, answer: ((response, received) => mood.answer(response, received)) as Answer }
}

/** Lets time pass to when the next waiting delivery is due, and works. */
const nextTime = Effect.fnUntraced(function* (looks: Looks, subscription: Subscription) {
  const due = (yield* deliveries(subscription)).filter(({ state }) => state === "waiting").map(({ dueAt }) => dueAt)
  yield* TestClock.setTime(Math.max(...due.map((at) => at.getTime())))
  yield* workedOff(looks)
})

const attemptsOf = Effect.fnUntraced(function* (subscription: Subscription) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ attempt: number; status: number | null; reason: string | null; firstBytes: string | null }>`
    SELECT attempt, status, reason, first_bytes AS "firstBytes" FROM webhook_attempts
    WHERE subscription_id = ${subscription.id} ORDER BY event_id, attempt`
}, Effect.orDie)

layer(layerScene)("a delivery that fails", (it) => {
  it.effect.each<readonly [what: string, answer: Answer, recorded: object]>([
    ["500", answering(500, "boom"), { status: 500, reason: null, firstBytes: "boom" }],
    ["302", answering(302, "", { location: "/x" }), { status: 302, reason: null, firstBytes: "" }],
    [
      "half an answer",
      (response) => {
        response.writeHead(200, { "content-length": "10" }).write("half")
        response.socket?.end()
      },
      { status: null, reason: "closed", firstBytes: null }
    ]
  ])("with %s is tried again 30 seconds later, give or take a quarter, under the same id", ([, failing, recorded]) =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const { mood, answer } = moody()
      const server = yield* receiver(answer)
      const subscription = yield* subscribed(server.port)
      mood.answer = failing
      yield* happened(subscription.operator, changes(1))
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      yield* workedOff(looks)
      const first = yield* Queue.take(server.requests)
      const [waiting] = yield* deliveries(subscription)
      const pause = (waiting?.dueAt.getTime() ?? 0) - began
      assert.isAtLeast(pause, 22_500)
      assert.isAtMost(pause, 37_500)
      mood.answer = answering(200, "fine")
      yield* TestClock.setTime(began + pause - 1)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), 0)
      yield* TestClock.setTime(began + pause)
      yield* workedOff(looks)
      const second = yield* Queue.take(server.requests)
      assert.strictEqual(second.headers["webhook-id"], first.headers["webhook-id"])
      assert.strictEqual(second.body, first.body)
      assert.notStrictEqual(second.headers["webhook-timestamp"], first.headers["webhook-timestamp"])
      const attempts = yield* attemptsOf(subscription)
      assert.deepStrictEqual(attempts, [
        { attempt: 1, ...recorded } as (typeof attempts)[number],
        { attempt: 2, status: 200, reason: null, firstBytes: "fine" }
      ])
      assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "delivered", attempts: 2 })
    })
  )

  it.effect("because the receiver hangs is given up after ten seconds", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const server = yield* receiver(silent)
      const subscription = yield* subscribed(server.port)
      yield* happened(subscription.operator, changes(1))
      yield* looks.handOut
      yield* looks.takeDue
      yield* Queue.take(server.requests)
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* looks.idle
      assert.deepInclude((yield* attemptsOf(subscription))[0] ?? {}, { status: null, reason: "timeout" })
      assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "waiting", failures: 1 })
    })
  )

  it.effect(`${WEBHOOK_ATTEMPTS} times is a dead letter after about three days, not one try sooner`, () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const server = yield* receiver(answering(500))
      const subscription = yield* subscribed(server.port)
      yield* happened(subscription.operator, changes(1))
      const began = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      yield* workedOff(looks)
      while ((yield* Queue.size(server.requests)) < WEBHOOK_ATTEMPTS - 1) yield* nextTime(looks, subscription)
      assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, {
        state: "waiting",
        failures: WEBHOOK_ATTEMPTS - 1
      })
      yield* nextTime(looks, subscription)
      assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "dead", failures: WEBHOOK_ATTEMPTS })
      const days = ((yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)) - began) / (24 * HOUR)
      assert.isAtLeast(days, 2.5)
      assert.isAtMost(days, 4)
      yield* TestClock.adjust(24 * HOUR)
      yield* workedOff(looks)
      assert.strictEqual(yield* Queue.size(server.requests), WEBHOOK_ATTEMPTS)
    })
  )
})

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
      yield* workedOff(looks)
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

layer(layerScene)("a worker", (it) => {
  const taken = Effect.fnUntraced(function* (subscription: Subscription) {
    const queue = yield* DeliveryQueue
    const now = new Date(yield* TestClock.testClockWith((clock) => clock.currentTimeMillis))
    const [delivery] = (yield* queue.take(now, 1, new Map())).filter(
      ({ subscriptionId }) => subscriptionId === subscription.id
    )
    return { delivery: delivery ?? (yield* Effect.die("nothing was due")), now }
  })

  const answered = (status: number, now: Date) =>
    ({ startedAt: now, attempt: { outcome: "answered", status, firstBytes: "", durationMs: 1 } }) as const

  it.effect(
    "has a delivery to itself until its lease ends; what a late one writes down is only what is still true",
    () =>
      Effect.gen(function* () {
        yield* emptied
        const looks = yield* makeLooks
        const queue = yield* DeliveryQueue
        const subscription = yield* subscribed(1)
        yield* happened(subscription.operator, changes(1))
        yield* looks.handOut
        const first = yield* taken(subscription)
        yield* TestClock.adjust(WEBHOOK_LEASE_MS - 1)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(taken(subscription))))
        yield* TestClock.adjust(1)
        const second = yield* taken(subscription)
        assert.strictEqual(second.delivery.attempt, 2)

        yield* queue.failed(first.delivery, answered(500, first.now), undefined, second.now)
        yield* queue.release(first.delivery, second.now)
        assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "waiting", attempts: 2, failures: 0 })
        yield* queue.delivered({ delivery: first.delivery, ...answered(200, first.now) })
        assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "delivered" })
        yield* queue.failed(second.delivery, answered(500, second.now), undefined, second.now)
        assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "delivered", failures: 0 })
      })
  )

  it.effect("keeps what it has when the subscription is changed meanwhile, also within the same second", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const api = yield* typedClient
      const subscription = yield* subscribed(1)
      yield* happened(subscription.operator, changes(1))
      yield* TestClock.setTime(Math.ceil(Date.now() / 1000) * 1000 + 500)
      yield* looks.handOut
      const { now } = yield* taken(subscription)
      yield* TestClock.adjust(400)
      yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      const [waiting] = yield* deliveries(subscription)
      assert.strictEqual(waiting?.dueAt.getTime(), now.getTime() + WEBHOOK_LEASE_MS)
    })
  )

  it.effect("whose database answers twice counts a failure once", () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const queue = yield* DeliveryQueue
      const subscription = yield* subscribed(1)
      yield* happened(subscription.operator, changes(1))
      yield* looks.handOut
      const { delivery, now } = yield* taken(subscription)
      yield* queue.failed(delivery, answered(500, now), now, now)
      yield* queue.failed(delivery, answered(500, now), now, now)
      assert.deepInclude((yield* deliveries(subscription))[0] ?? {}, { state: "waiting", failures: 1 })
      assert.strictEqual((yield* attemptsOf(subscription)).length, 1)
    })
  )

  it.effect("that ends hands back what is not answered in a moment, untried and due at once", () =>
    Effect.gen(function* () {
      yield* emptied
      const server = yield* receiver(silent)
      const subscription = yield* subscribed(server.port)
      const records = Array.from({ length: WEBHOOK_SHARE }, (_, index) => changes(1, `transaction:${index}`)).flat()
      yield* happened(subscription.operator, records)
      const scope = yield* Scope.make()
      const looks = yield* makeLooks.pipe(Scope.provide(scope))
      yield* looks.handOut
      yield* looks.takeDue
      for (const _ of records) yield* Queue.take(server.requests)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(1_499)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      for (const delivery of yield* deliveries(subscription)) {
        assert.deepInclude(delivery, { state: "waiting", attempts: 0, failures: 0 })
        assert.isAtMost(delivery.dueAt.getTime(), now)
      }
    })
  )
})
