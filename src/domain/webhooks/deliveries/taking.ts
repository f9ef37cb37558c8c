import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { WEBHOOK_CONCURRENT_DELIVERIES_MAX } from "../../../platform/limits.ts"
import { makeProbingHealth } from "./circuit-breaker.ts"
import type { SubscriptionKey, SubscriptionToProbe } from "./delivery.ts"
import { dueSubscriptionsSql } from "./due-subscriptions.ts"
import { replaceHealthOfDueSubscriptionSql, subscriptionActiveCondition } from "./subscription-statements.ts"

// The statements by which deliveries are taken.
//
// PostgreSQL plans these statements once, when nothing waits, and uses the plan when a hundred thousand do. Left to
// itself it then reads the whole table, or all that waits, to change four rows. So the way is said: rows that were
// found are changed by where they lie (ctid), under conditions no index of waiting rows fits (settled_at IS NULL is as
// much as waiting), OFFSET 0 looks up one row for each row before it, and a limit that is the text of the statement tells
// how few rows to expect.

/** When a statement takes, and for how long. */
export interface Taking {
  readonly now: Date
  readonly leaseMs: number
}

/** What a try needs to know of its subscription `s`. */
export const signingColumnsSql = (sql: SqlClient, now: Date): Fragment => sql`
  s.operator_id, s.id, s.url, s.secret, s.secret_token,
  CASE WHEN s.former_secret_until > ${now} THEN s.former_secret END AS former_secret`

/**
 * The deliveries of subscription `o` that may go now, oldest first: the heads of its lanes that are due. One that
 * somebody else has in hand is passed by: who writes down how it ended asks for the subscription next.
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

/** Takes the rows of `chosen`; one that somebody else has changed since lies elsewhere and is left to them. */
const takingChosen = (sql: SqlClient, { now, leaseMs }: Taking): Fragment => sql`
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

/** How many deliveries each subscription has under way. */
const countBySubscription = (inProgress: Iterable<SubscriptionKey>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const { subscription_id: id } of inProgress) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/**
 * Takes up to `most` due deliveries, beside those this process has under way. The row of a subscription is locked while
 * its deliveries are taken; other workers pass it by and take another one's.
 */
export const takingDue = (
  sql: SqlClient,
  taking: Taking,
  most: number,
  inProgress: Iterable<SubscriptionKey>
): Fragment => {
  const counts = countBySubscription(inProgress)
  const [ids, deliveries] = [Array.from(counts.keys()), Array.from(counts.values())]
  return sql`
    WITH RECURSIVE ${dueSubscriptionsSql(sql)}, o AS MATERIALIZED (
      SELECT ${signingColumnsSql(sql, taking.now)},
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
      SELECT due.place FROM o CROSS JOIN LATERAL (${dueDeliveriesSql(sql, taking.now, sql`greatest(o.room, 0)`)}) due
      ORDER BY o.of_operator + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at), due.due_at
      LIMIT ${most}
    ), ${takingChosen(sql, taking)}`
}

/**
 * Up to `most` subscriptions whose rest is over and that something is due for. One whose share is under way, since
 * before its rest began, waits for the first of these to end.
 */
export const subscriptionsToProbeSql = (
  sql: SqlClient,
  now: Date,
  most: number,
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
    ORDER BY s.health->>'until' LIMIT ${most}`
}

/** Takes the one delivery that ends a rest, if the health is still the one it was judged by and something is due. */
export const takingProbe = (
  sql: SqlClient,
  taking: Taking,
  { operator_id, subscription_id, health }: SubscriptionToProbe
): Fragment => sql`
  WITH o AS (
    SELECT ${signingColumnsSql(sql, taking.now)} FROM webhook_subscriptions s
    WHERE s.operator_id = ${operator_id} AND s.id = ${subscription_id}
  ), due AS (
    SELECT o.operator_id, o.id, due.place FROM o CROSS JOIN LATERAL (${dueDeliveriesSql(sql, taking.now, sql`1`)}) due
  ), chosen AS (
    ${replaceHealthOfDueSubscriptionSql(sql, health, makeProbingHealth(health, taking.now.getTime()))} RETURNING due.place
  ), ${takingChosen(sql, taking)}`
