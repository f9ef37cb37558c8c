import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import { OutboundHttp } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { LEASE_MS } from "../../../../src/jobs/lease.ts"
import { WEBHOOK_CONCURRENT_DELIVERIES_MAX } from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  layerDeliveryService,
  loadAttempts,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents,
  sendClaimedDelivery,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { neverRespond } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { typedClient, withToken } from "../../../support/harness.ts"

layer(layerDeliveryService)("a worker", (it) => {
  const taken = Effect.fnUntraced(function* (subscription: TestSubscription) {
    const queue = yield* DeliveryQueue
    const now = new Date(yield* TestClock.testClockWith((clock) => clock.currentTimeMillis))
    const [delivery] = (yield* queue.claim(now, 1, [])).filter(
      ({ subscription_id }) => subscription_id === subscription.id
    )
    return { delivery: delivery ?? (yield* Effect.die("nothing was due")), now }
  })

  const answered = (status: number, now: Date) =>
    ({ startedAt: now, result: { outcome: "answered", status, firstBytes: "", durationMs: 1 } }) as const

  it.effect(
    "has a delivery to itself until its lease ends; what a late one writes down is only what is still true",
    () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const polls = yield* makeDeliveryPolls
        const queue = yield* DeliveryQueue
        const subscription = yield* createSubscription(1)
        yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
        yield* polls.dispatchEvents
        const first = yield* taken(subscription)
        yield* TestClock.adjust(LEASE_MS - 1)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(taken(subscription))))
        yield* TestClock.adjust(1)
        const second = yield* taken(subscription)
        assert.strictEqual(second.delivery.attempts, 2)

        yield* queue.fail(first.delivery, answered(500, first.now), undefined, second.now)
        yield* queue.release(first.delivery, second.now)
        assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, {
          state: "waiting",
          attempts: 2,
          failures: 0
        })
        yield* queue.complete({ delivery: first.delivery, ...answered(200, first.now) })
        assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "delivered" })
        yield* queue.fail(second.delivery, answered(500, second.now), undefined, second.now)
        assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "delivered", failures: 0 })
      })
  )

  it.effect("writes down an answer that it had when it was stopped", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      const { delivery } = yield* taken(subscription)
      const delivering = yield* sendClaimedDelivery(delivery).pipe(
        Effect.provideService(OutboundHttp, {
          post: () => Effect.succeed(answered(200, new Date(0)).result),
          request: () => Effect.die("a delivery asks for nothing")
        }),
        Effect.provideService(
          Tracer.Tracer,
          stoppedByOutcome(() => delivering.interruptUnsafe())
        ),
        Effect.withTracerEnabled(true),
        Effect.forkChild
      )
      assert.isTrue(Exit.isFailure(yield* Fiber.await(delivering)))
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "delivered", attempts: 1 })
    })
  )

  it.effect("keeps what it has when the subscription is changed meanwhile, also within the same second", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const api = yield* typedClient
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* TestClock.setTime(Math.ceil(Date.now() / 1000) * 1000 + 500)
      yield* polls.dispatchEvents
      const { now } = yield* taken(subscription)
      yield* TestClock.adjust(400)
      yield* api.update_webhook({ id: subscription.id }).pipe(withToken(subscription.operator.token))
      const [waiting] = yield* loadDeliveries(subscription)
      assert.strictEqual(waiting?.due_at.getTime(), now.getTime() + LEASE_MS)
    })
  )

  it.effect("whose database answers twice counts a failure once", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const queue = yield* DeliveryQueue
      const subscription = yield* createSubscription(1)
      yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
      yield* polls.dispatchEvents
      const { delivery, now } = yield* taken(subscription)
      yield* queue.fail(delivery, answered(500, now), now, now)
      yield* queue.fail(delivery, answered(500, now), now, now)
      assert.deepInclude((yield* loadDeliveries(subscription))[0] ?? {}, { state: "waiting", failures: 1 })
      assert.strictEqual((yield* loadAttempts(subscription)).length, 1)
    })
  )

  it.effect("that ends hands back what is not answered in a moment, untried and due at once", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const server = yield* startReceiver(neverRespond)
      const subscription = yield* createSubscription(server.port)
      const records = Array.from({ length: WEBHOOK_CONCURRENT_DELIVERIES_MAX }, (_, index) =>
        makeRepeatedEvents(1, `transaction:${index}`)
      ).flat()
      yield* recordEvents(subscription.operator, records)
      const scope = yield* Scope.make()
      const polls = yield* makeDeliveryPolls.pipe(Scope.provide(scope))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      for (const _ of records) yield* Queue.take(server.requests)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(1_499)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      for (const delivery of yield* loadDeliveries(subscription)) {
        assert.deepInclude(delivery, { state: "waiting", attempts: 0, failures: 0 })
        assert.isAtMost(delivery.due_at.getTime(), now)
      }
    })
  )
})

/** Stops whoever tells its span how a try ended. */
const stoppedByOutcome = (stop: () => void) =>
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      return Object.assign(span, {
        attribute: (key: string, value: unknown) => {
          attribute(key, value)
          if (key === "latchkey.outcome") stop()
        }
      })
    }
  })
