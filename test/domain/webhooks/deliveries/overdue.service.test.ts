import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  MAX_OVERDUE_WARNINGS,
  OVERDUE_AFTER_MS,
  OVERDUE_COUNT_LIMIT,
  OVERDUE_POLL_MS,
  OverdueDeliveries,
  warnOfOverdueDeliveries,
  watchOverdueDeliveries
} from "../../../../src/domain/webhooks/deliveries/OverdueDeliveries.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents,
  recordEvents,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { createOperator } from "../../../support/harness.ts"
import { collectLogLines } from "../../../support/log-lines.ts"

const warning = Effect.flatMap(DateTime.nowAsDate, warnOfOverdueDeliveries)

const warned = Effect.map(collectLogLines(warning), (all) => all.map(({ fields }) => fields.webhook_id))

const handOut = Effect.gen(function* () {
  const polls = yield* makeDeliveryPolls
  while ((yield* polls.dispatchEvents).events > 0) {}
})

const healthOf = Effect.fnUntraced(function* ({ id }: TestSubscription, health: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_subscriptions SET health = ${health}::jsonb WHERE id = ${id}`
}, Effect.orDie)

layer(OverdueDeliveries.layer.pipe(Layer.provideMerge(layerDeliveryService)))(
  "a subscription that falls behind",
  (it) => {
    it.effect(`is warned of when something is due for ${OVERDUE_AFTER_MS / 1000} seconds, not a moment sooner`, () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const subscription = yield* createSubscription(1)
        yield* recordEvents(subscription.operator, makeRepeatedEvents(3))
        yield* handOut
        yield* TestClock.adjust(OVERDUE_AFTER_MS - 1)
        assert.deepStrictEqual(yield* warned, [])
        yield* TestClock.adjust(1)
        const [line, ...more] = yield* collectLogLines(warning)
        assert.deepStrictEqual(more, [])
        assert.strictEqual(line?.level, "Warn")
        assert.deepInclude(line?.fields ?? {}, {
          operator_id: subscription.operator.operatorId,
          webhook_id: subscription.id,
          age_seconds: OVERDUE_AFTER_MS / 1000,
          waiting: 3
        })
      })
    )

    it.effect("is not while it rests or is paused, nor when it is deleted; it is while it fails", () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const sql = yield* SqlClient.SqlClient
        const subscription = yield* createSubscription(1)
        yield* recordEvents(subscription.operator, makeRepeatedEvents(1))
        yield* handOut
        yield* TestClock.adjust(OVERDUE_AFTER_MS)
        const failing = `"failures": 9, "failingSince": 0`
        for (const [health, expected] of [
          [`{"state": "resting", ${failing}, "rests": 1, "until": 0}`, []],
          [`{"state": "paused", ${failing}}`, []],
          [`{"state": "failing", ${failing}}`, [subscription.id]]
        ] as const) {
          yield* healthOf(subscription, health)
          assert.deepStrictEqual(yield* warned, [...expected])
        }
        yield* sql`UPDATE webhook_subscriptions SET deleted_at = now() WHERE id = ${subscription.id}`
        assert.deepStrictEqual(yield* warned, [])
      })
    )

    it.effect(`is one of at most ${MAX_OVERDUE_WARNINGS}; ${OVERDUE_COUNT_LIMIT} of what waits are counted`, () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const operator = yield* createOperator()
        const made = yield* Effect.forEach(Array.from({ length: MAX_OVERDUE_WARNINGS + 1 }), (_, index) =>
          createSubscription(1, {
            operator,
            path: `/${index}`,
            events: index === 0 ? ["message_created"] : ["review_created"]
          })
        )
        const [first, ...others] = made
        yield* recordEvents(
          operator,
          makeRepeatedEvents(OVERDUE_COUNT_LIMIT).map((each) => ({ ...each, event: "message_created" as const }))
        )
        yield* handOut
        yield* TestClock.adjust(1)
        yield* recordEvents(operator, [{ event: "review_created" }])
        yield* handOut
        yield* TestClock.adjust(OVERDUE_AFTER_MS)
        const counted = Effect.gen(function* () {
          const { findOverdueSubscriptions: find } = yield* OverdueDeliveries
          return (yield* find(new Date(yield* Clock.currentTimeMillis)))[0]?.waiting
        })
        // The one that is furthest behind is among them, and one of the others is not.
        const found = yield* warned
        assert.strictEqual(found.length, MAX_OVERDUE_WARNINGS)
        assert.strictEqual(found[0], first?.id)
        assert.includeMembers(
          others.map(({ id }) => id),
          found.slice(1)
        )
        assert.strictEqual(yield* counted, OVERDUE_COUNT_LIMIT)
        yield* recordEvents(operator, [{ event: "message_created" }])
        yield* handOut
        assert.strictEqual(yield* counted, OVERDUE_COUNT_LIMIT)
      })
    )

    it.effect("is said to be so once a minute", () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const { operator } = yield* createSubscription(1)
        yield* recordEvents(operator, makeRepeatedEvents(1))
        yield* handOut
        const polled: Array<number> = []
        const find = () => Effect.sync(() => void polled.push(1)).pipe(Effect.as([]))
        yield* watchOverdueDeliveries.pipe(Effect.provideService(OverdueDeliveries, { findOverdueSubscriptions: find }))
        for (const expected of [1, 2, 3]) {
          yield* TestClock.adjust(OVERDUE_POLL_MS - 1)
          assert.strictEqual(polled.length, expected - 1)
          yield* TestClock.adjust(1)
          assert.strictEqual(polled.length, expected)
        }
      })
    )
  }
)
