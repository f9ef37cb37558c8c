import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeDeliveryPolls } from "../../../../src/domain/webhooks/deliveries/delivery-workers.ts"
import {
  OVERDUE_COUNT_LIMIT,
  OVERDUE_MS,
  OVERDUE_POLL_MS,
  OVERDUE_WARNINGS,
  OverdueDeliveries,
  warnOverdue,
  watchOverdue
} from "../../../../src/domain/webhooks/deliveries/OverdueDeliveries.ts"
import {
  createSubscription,
  emptyDeliveryTables,
  layerDeliveryService,
  recordEvents,
  repeatEvent,
  type TestSubscription
} from "../../../support/domain/webhooks/deliveries/delivery-service.ts"
import { collectLogLines } from "../../../support/domain/webhooks/deliveries/log-lines.ts"
import { freshOperator } from "../../../support/harness.ts"

const warning = Effect.flatMap(DateTime.nowAsDate, warnOverdue)

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
    it.effect(`is warned of when something is due for ${OVERDUE_MS / 1000} seconds, not a moment sooner`, () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const subscription = yield* createSubscription(1)
        yield* recordEvents(subscription.operator, repeatEvent(3))
        yield* handOut
        yield* TestClock.adjust(OVERDUE_MS - 1)
        assert.deepStrictEqual(yield* warned, [])
        yield* TestClock.adjust(1)
        const [line, ...more] = yield* collectLogLines(warning)
        assert.deepStrictEqual(more, [])
        assert.strictEqual(line?.level, "Warn")
        assert.deepInclude(line?.fields ?? {}, {
          operator_id: subscription.operator.operatorId,
          webhook_id: subscription.id,
          age_seconds: OVERDUE_MS / 1000,
          waiting: 3
        })
      })
    )

    it.effect("is not while it rests or is paused, nor when it is deleted; it is while it fails", () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const sql = yield* SqlClient.SqlClient
        const subscription = yield* createSubscription(1)
        yield* recordEvents(subscription.operator, repeatEvent(1))
        yield* handOut
        yield* TestClock.adjust(OVERDUE_MS)
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

    it.effect(`is one of at most ${OVERDUE_WARNINGS}; ${OVERDUE_COUNT_LIMIT} of what waits are counted`, () =>
      Effect.gen(function* () {
        yield* emptyDeliveryTables
        const operator = yield* freshOperator()
        const made = yield* Effect.forEach(Array.from({ length: OVERDUE_WARNINGS + 1 }), (_, index) =>
          createSubscription(1, {
            operator,
            path: `/${index}`,
            events: index === 0 ? ["message_created"] : ["review_created"]
          })
        )
        const [first, ...others] = made
        yield* recordEvents(
          operator,
          repeatEvent(OVERDUE_COUNT_LIMIT).map((each) => ({ ...each, event: "message_created" as const }))
        )
        yield* handOut
        yield* TestClock.adjust(1)
        yield* recordEvents(operator, [{ event: "review_created" }])
        yield* handOut
        yield* TestClock.adjust(OVERDUE_MS)
        const counted = Effect.gen(function* () {
          const { find } = yield* OverdueDeliveries
          return (yield* find(new Date(yield* Clock.currentTimeMillis)))[0]?.waiting
        })
        // The one that is furthest behind is among them, and one of the others is not.
        const found = yield* warned
        assert.strictEqual(found.length, OVERDUE_WARNINGS)
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
        yield* recordEvents(operator, repeatEvent(1))
        yield* handOut
        const polled: Array<number> = []
        const find = () => Effect.sync(() => void polled.push(1)).pipe(Effect.as([]))
        yield* watchOverdue.pipe(Effect.provideService(OverdueDeliveries, { find }))
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
