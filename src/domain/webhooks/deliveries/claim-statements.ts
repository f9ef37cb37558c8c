import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { WEBHOOK_CONCURRENT_DELIVERIES_MAX } from "../../../platform/limits.ts"
import { makeProbingHealth } from "./circuit-breaker.ts"
import type { SubscriptionKey, SubscriptionToProbe } from "./delivery.ts"
import { dueSubscriptionsSql } from "./due-subscriptions.ts"
import { replaceHealthOfDueSubscriptionSql, subscriptionActiveCondition } from "./subscription-statements.ts"

// PostgreSQL may keep a plan that it made while the queue was empty. Such a plan would later read all pending
// deliveries for each claim, by a table scan or by the partial index on `state = 'waiting'`.
//
// So the statements select pending rows by `settled_at IS NULL`, which that index does not match. They update rows by
// ctid, and `OFFSET 0` makes a join look up row by row. Limits are literals, so that PostgreSQL expects few rows.

interface ClaimTime {
  readonly now: Date
  readonly leaseMs: number
}

export const signingColumnsSql = (sql: SqlClient, now: Date): Fragment => sql`
  s.operator_id, s.id, s.url, s.secret, s.secret_token,
  CASE WHEN s.former_secret_until > ${now} THEN s.former_secret END AS former_secret`

/**
 * Selects the next delivery of each queue partition (row of `webhook_lanes`) of subscription `o`, if it is due. Skips a
 * delivery that another transaction has locked. When that delivery completes, its worker polls again.
 */
const dueDeliveriesSql = (sql: SqlClient, now: Date, most: Fragment): Fragment => sql`
  SELECT head.place, due.due_at
  FROM (
    SELECT * FROM (
      SELECT event_id, due_at FROM webhook_lanes
      WHERE operator_id = o.operator_id AND subscription_id = o.id AND due_at <= ${now} AND event_id > 0
      ORDER BY due_at, event_id LIMIT ${sql.literal(String(WEBHOOK_CONCURRENT_DELIVERIES_MAX))}
    ) share LIMIT ${most}
  ) due
  CROSS JOIN LATERAL (
    SELECT ctid AS place FROM webhook_deliveries
    WHERE operator_id = o.operator_id AND event_id = due.event_id AND subscription_id = o.id
      AND settled_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED) head`

/** A row that has changed since its selection has another ctid and waits for the next claim. */
const claimChosenSql = (sql: SqlClient, { now, leaseMs }: ClaimTime): Fragment => sql`
  taken AS (
    UPDATE webhook_deliveries d SET attempts = d.attempts + 1, due_at = ${computeLeaseEnd(now, leaseMs)}
    WHERE d.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND d.settled_at IS NULL AND d.due_at <= ${now}
    RETURNING d.operator_id, d.event_id, d.subscription_id, d.attempts, d.failures, d.run
  )
  SELECT taken.*, e.event, e.payload, e.queued_at, e.traceparent, o.url, o.secret, o.secret_token, o.former_secret
  FROM taken
  JOIN o ON o.operator_id = taken.operator_id AND o.id = taken.subscription_id
  JOIN events e ON e.operator_id = taken.operator_id AND e.id = taken.event_id
  ORDER BY taken.event_id`

const countBySubscription = (inProgress: Iterable<SubscriptionKey>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const { subscription_id: id } of inProgress) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/**
 * `inProgress` lists the deliveries that this process has claimed. The claim locks the subscriptions and skips those
 * that another claim has locked.
 */
export const claimDueSql = (
  sql: SqlClient,
  time: ClaimTime,
  maxJobs: number,
  inProgress: Iterable<SubscriptionKey>
): Fragment => {
  const counts = countBySubscription(inProgress)
  const [ids, deliveries] = [Array.from(counts.keys()), Array.from(counts.values())]
  return sql`
    WITH RECURSIVE ${dueSubscriptionsSql(sql)}, o AS MATERIALIZED (
      SELECT ${signingColumnsSql(sql, time.now)},
        CASE s.health->>'state' WHEN 'failing' THEN 1 ELSE ${WEBHOOK_CONCURRENT_DELIVERIES_MAX}::integer END
          - coalesce(busy.deliveries, 0) AS room,
        sum(coalesce(busy.deliveries, 0)) OVER (PARTITION BY s.operator_id) AS of_operator
      FROM with_work
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_subscriptions
        WHERE operator_id = with_work.operator_id AND id = with_work.subscription_id AND deleted_at IS NULL
          AND ${subscriptionActiveCondition(sql)}
        FOR NO KEY UPDATE SKIP LOCKED) s
      LEFT JOIN unnest(${idsParameter(ids)}::bigint[], ${idsParameter(deliveries)}::bigint[])
        AS busy (id, deliveries) ON busy.id = s.id
    ), chosen AS (
      SELECT due.place FROM o CROSS JOIN LATERAL (${dueDeliveriesSql(sql, time.now, sql`greatest(o.room, 0)`)}) due
      ORDER BY o.of_operator + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at), due.due_at
      LIMIT ${maxJobs}
    ), ${claimChosenSql(sql, time)}`
}

/** Skips subscriptions with the maximum of deliveries in progress, which began before the cooldown. */
export const subscriptionsToProbeSql = (
  sql: SqlClient,
  now: Date,
  maxJobs: number,
  inProgress: Iterable<SubscriptionKey>
): Fragment => {
  const fullSubscriptionIds = Array.from(countBySubscription(inProgress)).flatMap(([id, count]) =>
    count < WEBHOOK_CONCURRENT_DELIVERIES_MAX ? [] : [id]
  )
  return sql`
    WITH RECURSIVE ${dueSubscriptionsSql(sql)}
    SELECT with_work.operator_id, with_work.subscription_id, s.health
    FROM with_work
    JOIN webhook_subscriptions s ON s.operator_id = with_work.operator_id AND s.id = with_work.subscription_id
    WHERE s.deleted_at IS NULL AND s.health->>'state' IN ('resting', 'probing')
      AND (s.health->>'until')::bigint <= ${now.getTime()} AND s.id <> ALL (${idsParameter(fullSubscriptionIds)}::bigint[])
      AND EXISTS (
        SELECT FROM webhook_lanes l
        WHERE l.operator_id = s.operator_id AND l.subscription_id = s.id AND l.due_at <= ${now} AND l.event_id > 0)
    ORDER BY s.health->>'until' LIMIT ${maxJobs}`
}

/** Selects when the first subscription with a waiting delivery leaves its cooldown, if that is by `until`. */
export const cooldownEndsSql = (sql: SqlClient, until: Date): Fragment => sql`
  SELECT count(*) AS due, min(ends_at) AS oldest_at FROM (
    SELECT greatest(to_timestamp((s.health->>'until')::bigint / 1000.0), min(l.due_at)) AS ends_at
    FROM webhook_subscriptions s
    JOIN webhook_lanes l ON l.operator_id = s.operator_id AND l.subscription_id = s.id AND l.event_id > 0
    WHERE s.deleted_at IS NULL AND s.health->>'state' IN ('resting', 'probing')
    GROUP BY s.operator_id, s.id
  ) cooldown WHERE ends_at <= ${until}`

/** Claims nothing if the subscription's health has changed. */
export const claimProbeSql = (
  sql: SqlClient,
  time: ClaimTime,
  { operator_id, subscription_id, health }: SubscriptionToProbe
): Fragment => sql`
  WITH o AS (
    SELECT ${signingColumnsSql(sql, time.now)} FROM webhook_subscriptions s
    WHERE s.operator_id = ${operator_id} AND s.id = ${subscription_id}
  ), due AS (
    SELECT o.operator_id, o.id, due.place FROM o CROSS JOIN LATERAL (${dueDeliveriesSql(sql, time.now, sql`1`)}) due
  ), chosen AS (
    ${replaceHealthOfDueSubscriptionSql(sql, health, makeProbingHealth(health, time.now.getTime()))} RETURNING due.place
  ), ${claimChosenSql(sql, time)}`
