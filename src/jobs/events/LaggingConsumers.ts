import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { FEED_LAG_MS } from "../../platform/limits.ts"
import { consumersLagging } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { setGauge } from "../../platform/telemetry/metrics/metric-updates.ts"
import { repeatPeriodically } from "../WorkSchedule.ts"
import { markLaggingConsumersSql } from "./consumer-statements.ts"

export const LAGGING_POLL_MS = 60_000
export const LAGGING_LOG_LINES = 20

const NewlyLagging = Schema.Struct({
  operator_id: Schema.Int,
  name: Schema.String,
  queued_at: Schema.DateFromString
})

const readLaggingRows = makeRowsReader(Schema.Struct({ lagging: Schema.Int, began: Schema.NullOr(NewlyLagging) }))

/**
 * Stores since when each consumer (a reader of the event feed) lags. So only one process logs a warning, and the next
 * warning follows only after the consumer has caught up.
 */
export class LaggingConsumers extends Context.Service<
  LaggingConsumers,
  {
    readonly check: (now: Date) => Effect.Effect<{
      readonly laggingCount: number
      readonly newlyLagging: ReadonlyArray<typeof NewlyLagging.Type>
    }>
  }
>()("latchkey/jobs/events/LaggingConsumers") {
  static readonly layer = Layer.effect(
    LaggingConsumers,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      check: (now) =>
        Effect.map(
          readLaggingRows(
            sql`${markLaggingConsumersSql(sql, new Date(now.getTime() - FEED_LAG_MS), now, LAGGING_LOG_LINES)}`
          ),
          (rows) => ({
            laggingCount: rows[0]?.lagging ?? 0,
            newlyLagging: rows.flatMap(({ began }) => (began === null ? [] : [began]))
          })
        )
    }))
  )
}

export const warnOfLaggingConsumers = Effect.fnUntraced(function* (now: Date) {
  const { check } = yield* LaggingConsumers
  const { laggingCount, newlyLagging } = yield* check(now)
  yield* setGauge(consumersLagging.withLabels({}), laggingCount)
  for (const { operator_id, name, queued_at } of newlyLagging) {
    const age = Math.floor((now.getTime() - queued_at.getTime()) / 1000)
    yield* Effect.logWarning("a consumer of events lags").pipe(
      Effect.annotateLogs({ operator_id, consumer: name, age_seconds: age })
    )
  }
})

export const watchLaggingConsumers = repeatPeriodically(
  "looking for consumers that lag",
  LAGGING_POLL_MS,
  warnOfLaggingConsumers
)
