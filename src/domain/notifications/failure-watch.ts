import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { readNextDue } from "../../jobs/next-due.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import { failingCalendarsSql } from "../calendars/imported-calendars/failing-calendars.ts"
import { failingWebhooksSql } from "../webhooks/deliveries/failing-webhooks.ts"
import { makeNotificationWriters, newNotificationsSql } from "./queue-statements.ts"

// Finds webhooks and calendars that began to fail. The event key names the failing period, so an account gets one
// notification per period.

/** The watch finds most failures within this time. */
export const FAILURE_POLL_MS = 30_000

/** Reads only the operators of accounts that chose these kinds, so an installation without them reads nothing. */
export const failuresSql = (sql: SqlClient.SqlClient): Fragment => {
  const operators = sql`SELECT DISTINCT operator_id FROM notification_recipients WHERE kinds && '{failing_webhook,failing_calendar}'`
  return sql`
    SELECT operator_id, 'failing_webhook' AS kind, event_key, record, 'infinity'::timestamptz AS chosen_before
    FROM (${failingWebhooksSql(sql, operators)}) webhook
    UNION ALL
    SELECT operator_id, 'failing_calendar', event_key, record, 'infinity'::timestamptz
    FROM (${failingCalendarsSql(sql, operators)}) calendar`
}

const writers = makeNotificationWriters((sql) => failuresSql(sql))

const readCount = makeOptionalRowReader(Schema.Struct({ notifications: Schema.Int }))

export const notifyOfFailures = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* readCount(sql`
    WITH added AS (${writers.insert(sql, sql``, now)}), enqueued AS (${writers.enqueue(sql, sql``, now)})
    SELECT count(*) AS notifications FROM added`)
  if (row !== undefined && row.notifications > 0) yield* (yield* WakeUp).wake
})

/** A failure without its notifications is due at once. */
const findNextFailure = Effect.gen(function* () {
  const [sql, now] = [yield* SqlClient.SqlClient, yield* DateTime.nowAsDate]
  return yield* readNextDue(sql`
    SELECT count(*) AS due, CASE WHEN count(*) > 0 THEN ${now}::timestamptz END AS oldest_at
    FROM (${newNotificationsSql(sql, failuresSql(sql))}) new_notification`)
})

export const watchFailures = repeatPeriodically(
  "watching for failures",
  FAILURE_POLL_MS,
  notifyOfFailures,
  () => findNextFailure
)
