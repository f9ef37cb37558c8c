import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import type { ClaimedDelivery, DeliveryAttempt, DeliverySuccess } from "./delivery.ts"
import { healSubscriptionsSql, selectHealthSql } from "./subscription-statements.ts"

// These statements force their plans as in claim-statements.ts.

const deliveryKeyCondition = (
  sql: SqlClient,
  { operator_id, event_id, subscription_id }: ClaimedDelivery
): Fragment => sql`
  operator_id = ${operator_id} AND event_id = ${event_id} AND subscription_id = ${subscription_id}`

const isClaimedCondition = (sql: SqlClient, delivery: ClaimedDelivery): Fragment => sql`
  ${deliveryKeyCondition(sql, delivery)} AND settled_at IS NULL AND run = ${delivery.run} AND attempts = ${delivery.attempts}`

const toSuccessRow = ({ delivery, startedAt, result }: DeliverySuccess) => ({
  operator_id: delivery.operator_id,
  event_id: delivery.event_id,
  subscription_id: delivery.subscription_id,
  run: delivery.run,
  attempt: delivery.attempts,
  started_at: startedAt.toISOString(),
  duration_ms: result.durationMs,
  ...(result.outcome === "answered" ? { status: result.status, first_bytes: result.firstBytes } : {})
})

/** A success also counts after the lease, when another worker may have claimed the delivery. */
export const completeDeliveriesSql = (
  sql: SqlClient,
  successes: ReadonlyArray<DeliverySuccess>,
  now: Date
): Fragment => sql`
  WITH given AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(successes.map(toSuccessRow))}::jsonb) AS row (
      operator_id bigint, event_id bigint, subscription_id bigint, run integer, attempt integer,
      started_at timestamptz, duration_ms integer, status integer, first_bytes text)
  ), found AS (
    SELECT given.*, d.place, d.run = given.run AS current FROM given CROSS JOIN LATERAL (
      SELECT ctid AS place, run FROM webhook_deliveries
      WHERE operator_id = given.operator_id AND event_id = given.event_id AND subscription_id = given.subscription_id
      OFFSET 0) d
  ), settled AS (
    UPDATE webhook_deliveries d SET state = 'delivered', settled_at = ${now}
    WHERE d.ctid = ANY (ARRAY(SELECT place FROM found WHERE current)) AND d.settled_at IS NULL
  ), tried AS (
    INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status,
      first_bytes)
    SELECT operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, first_bytes FROM found
    ON CONFLICT DO NOTHING
  )
  ${healSubscriptionsSql(
    sql,
    sql`
    SELECT receiving.place
    FROM (SELECT DISTINCT operator_id, subscription_id FROM given) one CROSS JOIN LATERAL (
      SELECT ctid AS place FROM webhook_subscriptions
      WHERE operator_id = one.operator_id AND id = one.subscription_id OFFSET 0) receiving`
  )}`

const recordAttemptSql = (
  sql: SqlClient,
  delivery: ClaimedDelivery,
  { startedAt, result }: DeliveryAttempt
): Fragment => sql`
  INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, reason,
    detail, first_bytes)
  SELECT operator_id, event_id, subscription_id, ${delivery.attempts}, ${startedAt}, ${result.durationMs}::integer,
    ${result.outcome === "answered" ? result.status : null}::integer,
    ${result.outcome === "failed" ? result.reason : null}::text,
    ${result.outcome === "failed" ? result.detail.replaceAll("\0", "\uFFFD") : null}::text,
    ${result.outcome === "answered" ? result.firstBytes : null}::text
  FROM webhook_deliveries WHERE ${deliveryKeyCondition(sql, delivery)}
  ON CONFLICT DO NOTHING`

/**
 * Returns the health before this failure. A repeated statement does not count the failure again, because the attempt
 * already has a row.
 */
export const failDeliverySql = (
  sql: SqlClient,
  delivery: ClaimedDelivery,
  attempt: DeliveryAttempt,
  nextAttempt: Date | undefined,
  now: Date
): Fragment => sql`
  WITH settled AS (
    UPDATE webhook_deliveries SET failures = failures + 1,
      state = ${nextAttempt === undefined ? "dead" : "waiting"}, due_at = ${nextAttempt ?? now},
      settled_at = ${nextAttempt === undefined ? now : null}::timestamptz
    WHERE ${isClaimedCondition(sql, delivery)} AND NOT EXISTS (
      SELECT FROM webhook_attempts WHERE ${deliveryKeyCondition(sql, delivery)} AND attempt = ${delivery.attempts})
  ), tried AS (${recordAttemptSql(sql, delivery, attempt)})
  ${selectHealthSql(sql, delivery)}`

export const releaseDeliverySql = (sql: SqlClient, delivery: ClaimedDelivery, now: Date): Fragment => sql`
  UPDATE webhook_deliveries SET attempts = attempts - 1, due_at = ${now} WHERE ${isClaimedCondition(sql, delivery)}`
