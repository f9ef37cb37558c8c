import { setImmediate as nextTurn } from "node:timers/promises"
import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { DeliveryQueue, MAX_DELIVERIES_IN_PROGRESS } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  WEBHOOK_CONCURRENT_DELIVERIES_MAX,
  WEBHOOK_SUBSCRIPTION_LIMIT,
  WEBHOOK_TRY_MS
} from "../../../../src/platform/limits.ts"
import {
  createSubscription,
  type DeliveryPolls,
  emptyDeliveryTables,
  layerDeliveryService,
  loadDeliveries,
  makeRepeatedEvents,
  recordEvents
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { neverRespond, respondWith } from "../../../support/domain/webhooks/deliveries/outbound-requests.ts"
import { startReceiver } from "../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator } from "../../../support/harness.ts"
import { REQUESTS_MS } from "../../../support/time-limits.ts"

vi.setConfig({ testTimeout: REQUESTS_MS })

const each = (count: number) =>
  Array.from({ length: count }, (_, index) => makeRepeatedEvents(1, `transaction:${index}`)).flat()

/** Works while some deliveries hang, until `wanted` requests have come. */
const until = Effect.fnUntraced(function* (polls: DeliveryPolls, requests: Queue.Dequeue<unknown>, wanted: number) {
  while ((yield* polls.dispatchEvents).events > 0) {}
  const turn = Effect.promise(() => nextTurn())
  while ((yield* Queue.size(requests)) < wanted) yield* Effect.andThen(polls.claimDue, turn)
})

layer(layerDeliveryService)("a receiver that hangs", (it) => {
  it.effect(
    `occupies ${WEBHOOK_CONCURRENT_DELIVERIES_MAX} deliveries of its own, and none of the other ninety-nine notices`,
    () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const polls = yield* makeDeliveryPolls
        const hanging = yield* startReceiver(neverRespond)
        const answers = yield* startReceiver(respondWith(200))
        const operator = yield* createOperator()
        const bad = yield* createSubscription(hanging.port, { operator })
        const good = yield* Effect.forEach(Array.from({ length: 99 }), (_, index) =>
          createSubscription(answers.port, { operator, path: `/${index}` })
        )
        yield* recordEvents(operator, each(10))
        // The clock stands still: whoever had to wait for the hanging one would wait for ever.
        yield* until(polls, answers.requests, 990)
        assert.strictEqual(yield* Queue.size(hanging.requests), WEBHOOK_CONCURRENT_DELIVERIES_MAX)
        yield* TestClock.adjust(WEBHOOK_TRY_MS)
        yield* polls.awaitIdle
        for (const subscription of good) {
          const states = (yield* loadDeliveries(subscription)).map(({ state, attempts }) => `${state} ${attempts}`)
          assert.deepStrictEqual(new Set(states), new Set(["delivered 1"]))
          assert.strictEqual(states.length, 10)
        }

        // From now on, until its rest, it occupies one.
        yield* polls.claimDue
        yield* until(polls, hanging.requests, WEBHOOK_CONCURRENT_DELIVERIES_MAX + 1)
        yield* polls.claimDue
        yield* TestClock.adjust(WEBHOOK_TRY_MS)
        yield* polls.awaitIdle
        assert.strictEqual(yield* Queue.size(hanging.requests), WEBHOOK_CONCURRENT_DELIVERIES_MAX + 1)
        const failures = (yield* loadDeliveries(bad)).map((delivery) => delivery.failures)
        assert.strictEqual(
          failures.reduce((sum, count) => sum + count),
          WEBHOOK_CONCURRENT_DELIVERIES_MAX + 1
        )
      })
  )

  it.effect("and others of the same operator do not hold up another operator's: who has fewest under way is next", () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const queue = yield* DeliveryQueue
      const [busy, idle] = [yield* createOperator(), yield* createOperator()]
      const many = [
        yield* createSubscription(1, { operator: busy }),
        yield* createSubscription(1, { operator: busy, path: "/2" })
      ]
      const [first] = many
      yield* recordEvents(busy, each(10))
      yield* polls.dispatchEvents
      yield* TestClock.adjust(1)
      yield* createSubscription(1, { operator: idle })
      yield* recordEvents(idle, each(2))
      yield* polls.dispatchEvents
      const now = new Date(yield* TestClock.testClockWith((clock) => clock.currentTimeMillis))
      const operators = (room: number, underWay: number) =>
        queue
          .claim(
            now,
            room,
            Array.from({ length: underWay }, () => ({ operator_id: busy.operatorId, subscription_id: first?.id ?? 0 }))
          )
          .pipe(Effect.map((taken) => taken.map(({ operator_id }) => operator_id).toSorted((a, b) => a - b)))
      assert.deepStrictEqual(yield* operators(1, 1), [idle.operatorId])
      assert.deepStrictEqual(yield* operators(2, 0), [busy.operatorId, idle.operatorId])
      assert.deepStrictEqual(yield* operators(1, 0), [busy.operatorId])
    })
  )

  it.effect(`leaves room for others as long as fewer than ${MAX_DELIVERIES_IN_PROGRESS} deliveries hang in all`, () =>
    Effect.gen(function* () {
      yield* emptyDeliveryTables
      const polls = yield* makeDeliveryPolls
      const hanging = yield* startReceiver(neverRespond)
      const answers = yield* startReceiver(respondWith(200))
      const operator = yield* createOperator()
      const receivers = MAX_DELIVERIES_IN_PROGRESS / WEBHOOK_CONCURRENT_DELIVERIES_MAX
      assert.isBelow(receivers, WEBHOOK_SUBSCRIPTION_LIMIT)
      const make = (_: unknown, index: number) => createSubscription(hanging.port, { operator, path: `/${index}` })
      yield* Effect.forEach(Array.from({ length: receivers - 1 }), make)
      yield* recordEvents(operator, each(WEBHOOK_CONCURRENT_DELIVERIES_MAX))
      yield* until(polls, hanging.requests, MAX_DELIVERIES_IN_PROGRESS - WEBHOOK_CONCURRENT_DELIVERIES_MAX)

      // Full but for four: another operator's events pass; filled up, nothing does.
      const other = yield* createSubscription(answers.port)
      yield* recordEvents(other.operator, each(WEBHOOK_CONCURRENT_DELIVERIES_MAX))
      yield* until(polls, answers.requests, WEBHOOK_CONCURRENT_DELIVERIES_MAX)
      yield* Queue.clear(answers.requests)
      const last = yield* createSubscription(hanging.port, { path: "/last" })
      yield* recordEvents(last.operator, each(WEBHOOK_CONCURRENT_DELIVERIES_MAX + 1))
      yield* until(polls, hanging.requests, MAX_DELIVERIES_IN_PROGRESS)
      yield* recordEvents(other.operator, each(1))
      yield* polls.dispatchEvents
      yield* polls.claimDue
      assert.deepInclude((yield* loadDeliveries(other)).at(-1) ?? {}, { state: "waiting", attempts: 0 })

      // And room comes back with the first of them that is given up.
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* polls.awaitIdle
      yield* until(polls, answers.requests, 1)
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* polls.awaitIdle
    })
  )
})
