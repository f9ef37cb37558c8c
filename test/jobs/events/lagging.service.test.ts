import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { formatFeedCursor } from "../../../src/domain/webhooks/event-feed/cursor.ts"
import {
  LAGGING_LOG_LINES,
  LAGGING_POLL_MS,
  LaggingConsumers,
  warnOfLaggingConsumers,
  watchLaggingConsumers
} from "../../../src/jobs/events/LaggingConsumers.ts"
import { FEED_LAG_MS } from "../../../src/platform/limits.ts"
import { consumersLagging } from "../../../src/platform/telemetry/metrics/metric-definitions.ts"
import {
  emptyDeliveryTables,
  layerDeliveryService,
  makeRepeatedEvents
} from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { readAllEvents, recordFeedEvents } from "../../support/domain/webhooks/event-feed/feed-events.ts"
import { createOperator, type TestOperator, typedClient, withToken } from "../../support/harness.ts"
import { collectLogLines } from "../../support/log-lines.ts"

const look = collectLogLines(Effect.flatMap(DateTime.nowAsDate, warnOfLaggingConsumers))
const lagging = Effect.map(Metric.value(consumersLagging.withLabels({})), ({ value }) => value)

/** Nobody reads anything, and the clock shows the present. */
const quiet = Effect.gen(function* () {
  yield* emptyDeliveryTables
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE event_consumers`
}).pipe(Effect.orDie)

const acknowledged = Effect.fnUntraced(function* (operator: TestOperator, name: string, cursor?: string) {
  const api = yield* typedClient
  const at = cursor ?? formatFeedCursor({ operatorId: operator.operatorId, position: 0 })
  yield* api.put_event_consumer({ name, cursor: at }).pipe(withToken(operator.token))
})

layer(LaggingConsumers.layer.pipe(Layer.provideMerge(layerDeliveryService)))("a consumer that falls behind", (it) => {
  it.effect("lags once its oldest event is thirty minutes old: in the metric, and in one line", () =>
    Effect.gen(function* () {
      yield* quiet
      const operator = yield* createOperator()
      yield* recordFeedEvents(operator, makeRepeatedEvents(2))
      yield* acknowledged(operator, "ledger")
      yield* acknowledged(operator, "prompt", (yield* readAllEvents(operator)).after)
      yield* TestClock.adjust(FEED_LAG_MS - 1)
      assert.deepStrictEqual(yield* look, [])
      assert.strictEqual(yield* lagging, 0)
      yield* TestClock.adjust(1)
      const [line, ...more] = yield* look
      assert.deepStrictEqual(more, [])
      assert.strictEqual(line?.level, "Warn")
      assert.deepInclude(line?.fields ?? {}, {
        operator_id: operator.operatorId,
        consumer: "ledger",
        age_seconds: FEED_LAG_MS / 1000
      })
      assert.strictEqual(yield* lagging, 1)
      yield* TestClock.adjust(LAGGING_POLL_MS)
      assert.deepStrictEqual(yield* look, [])
      assert.strictEqual(yield* lagging, 1)
    })
  )

  it.effect("is said to lag again when it has kept up in between", () =>
    Effect.gen(function* () {
      yield* quiet
      const operator = yield* createOperator()
      yield* recordFeedEvents(operator, makeRepeatedEvents(1))
      yield* acknowledged(operator, "ledger")
      yield* TestClock.adjust(FEED_LAG_MS)
      assert.strictEqual((yield* look).length, 1)
      yield* acknowledged(operator, "ledger", (yield* readAllEvents(operator)).after)
      assert.deepStrictEqual(yield* look, [])
      assert.strictEqual(yield* lagging, 0)
      yield* recordFeedEvents(operator, makeRepeatedEvents(1))
      yield* TestClock.adjust(FEED_LAG_MS)
      assert.strictEqual((yield* look).length, 1)
    })
  )

  it.effect(`is one of at most ${LAGGING_LOG_LINES} that a look tells of; the next tells of the others`, () =>
    Effect.gen(function* () {
      yield* quiet
      for (let n = 0; n <= LAGGING_LOG_LINES; n++) {
        const operator = yield* createOperator()
        yield* recordFeedEvents(operator, makeRepeatedEvents(1))
        yield* acknowledged(operator, "ledger")
      }
      yield* TestClock.adjust(FEED_LAG_MS)
      assert.strictEqual((yield* look).length, LAGGING_LOG_LINES)
      assert.strictEqual(yield* lagging, LAGGING_LOG_LINES + 1)
      assert.strictEqual((yield* look).length, 1)
      assert.strictEqual((yield* look).length, 0)
    })
  )

  it.effect("is looked for once a minute", () =>
    Effect.gen(function* () {
      let looks = 0
      const counted = { check: () => Effect.sync(() => ({ laggingCount: ++looks, newlyLagging: [] })) }
      yield* watchLaggingConsumers.pipe(Effect.provideService(LaggingConsumers, counted))
      for (const expected of [1, 2]) {
        yield* TestClock.adjust(LAGGING_POLL_MS - 1)
        assert.strictEqual(looks, expected - 1)
        yield* TestClock.adjust(1)
        assert.strictEqual(looks, expected)
      }
    })
  )
})
