import { setImmediate as nextTurn } from "node:timers/promises"
import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { WEBHOOK_SHARE, WEBHOOK_SUBSCRIPTIONS, WEBHOOK_TRY_MS, WEBHOOK_UNDER_WAY } from "../../src/limits.ts"
import { makeLooks } from "../../src/webhooks/workers.ts"
import { freshOperator } from "../harness.ts"
import { receiver } from "./receiver.ts"
import { changes, deliveries, emptied, happened, type Looks, layerScene, subscribed } from "./scene.ts"
import { answering, silent } from "./sending.ts"

const each = (count: number) => Array.from({ length: count }, (_, index) => changes(1, `transaction:${index}`)).flat()

/** Works while some deliveries hang, until `wanted` requests have come. */
const until = Effect.fnUntraced(function* (looks: Looks, requests: Queue.Dequeue<unknown>, wanted: number) {
  while ((yield* looks.handOut).events > 0) {}
  const turn = Effect.promise(() => nextTurn())
  while ((yield* Queue.size(requests)) < wanted) yield* Effect.andThen(looks.takeDue, turn)
})

layer(layerScene)("a receiver that hangs", (it) => {
  it.effect(`occupies ${WEBHOOK_SHARE} deliveries of its own, and none of the other ninety-nine notices`, () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const hanging = yield* receiver(silent)
      const answers = yield* receiver(answering(200))
      const operator = yield* freshOperator()
      const bad = yield* subscribed(hanging.port, { operator })
      const good = yield* Effect.forEach(Array.from({ length: 99 }), (_, index) =>
        subscribed(answers.port, { operator, path: `/${index}` })
      )
      yield* happened(operator, each(10))
      // The clock stands still: whoever had to wait for the hanging one would wait for ever.
      yield* until(looks, answers.requests, 990)
      assert.strictEqual(yield* Queue.size(hanging.requests), WEBHOOK_SHARE)
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* looks.idle
      for (const subscription of good) {
        const states = (yield* deliveries(subscription)).map(({ state, attempts }) => `${state} ${attempts}`)
        assert.deepStrictEqual(new Set(states), new Set(["delivered 1"]))
        assert.strictEqual(states.length, 10)
      }

      // From now on, until its rest, it occupies one.
      yield* looks.takeDue
      yield* until(looks, hanging.requests, WEBHOOK_SHARE + 1)
      yield* looks.takeDue
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* looks.idle
      assert.strictEqual(yield* Queue.size(hanging.requests), WEBHOOK_SHARE + 1)
      const failures = (yield* deliveries(bad)).map((delivery) => delivery.failures)
      assert.strictEqual(
        failures.reduce((sum, count) => sum + count),
        WEBHOOK_SHARE + 1
      )
    })
  )

  it.effect(`leaves room for others as long as fewer than ${WEBHOOK_UNDER_WAY} deliveries hang in all`, () =>
    Effect.gen(function* () {
      yield* emptied
      const looks = yield* makeLooks
      const hanging = yield* receiver(silent)
      const answers = yield* receiver(answering(200))
      const operator = yield* freshOperator()
      const receivers = WEBHOOK_UNDER_WAY / WEBHOOK_SHARE
      assert.isBelow(receivers, WEBHOOK_SUBSCRIPTIONS)
      const make = (_: unknown, index: number) => subscribed(hanging.port, { operator, path: `/${index}` })
      yield* Effect.forEach(Array.from({ length: receivers - 1 }), make)
      yield* happened(operator, each(WEBHOOK_SHARE))
      yield* until(looks, hanging.requests, WEBHOOK_UNDER_WAY - WEBHOOK_SHARE)

      // Full but for four: another operator's events pass; filled up, nothing does.
      const other = yield* subscribed(answers.port)
      yield* happened(other.operator, each(WEBHOOK_SHARE))
      yield* until(looks, answers.requests, WEBHOOK_SHARE)
      yield* Queue.clear(answers.requests)
      const last = yield* subscribed(hanging.port, { path: "/last" })
      yield* happened(last.operator, each(WEBHOOK_SHARE + 1))
      yield* until(looks, hanging.requests, WEBHOOK_UNDER_WAY)
      yield* happened(other.operator, each(1))
      yield* looks.handOut
      yield* looks.takeDue
      assert.deepInclude((yield* deliveries(other)).at(-1) ?? {}, { state: "waiting", attempts: 0 })

      // And room comes back with the first of them that is given up.
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* looks.idle
      yield* until(looks, answers.requests, 1)
      yield* TestClock.adjust(WEBHOOK_TRY_MS)
      yield* looks.idle
    })
  )
})
