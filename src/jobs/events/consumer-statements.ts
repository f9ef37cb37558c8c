import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Value, Valued } from "../../platform/database/forms.ts"
import { FEED_LAG_COUNTED } from "../../platform/limits.ts"
import { deletedUpToSql } from "./event-statements.ts"

// What is written of those who read the feed (event_consumers): how far each has come, and since when it lags.

/** The oldest kept event that consumer `c` has not acknowledged. */
const oldestUnacknowledgedSql = (sql: SqlClient): Fragment => sql`
  SELECT queued_at
  FROM feed_events(c.operator_id, greatest(c.position, ${deletedUpToSql(sql, sql`c.operator_id`)}), 1, NULL, NULL, 1)`

/**
 * Consumers of one operator as they are shown, of a table or CTE. `oldest_queued_at` is null for one that is behind in
 * nothing. The events are counted in one pass for all of them, between the places where they stand.
 */
export const consumerStatusSql = (sql: SqlClient, operatorId: Value<number>, consumers: Fragment): Fragment => sql`
  WITH standing AS MATERIALIZED (
    SELECT places, greatest(places[1], ${deletedUpToSql(sql, sql`${operatorId}`)}) AS least
    FROM (SELECT ARRAY(SELECT DISTINCT position FROM ${consumers} c ORDER BY position) AS places) all_places
  ), counted AS MATERIALIZED (
    -- A place itself is acknowledged: an event is behind it only when it is beyond.
    SELECT width_bucket(latest.position - 1, standing.places) AS after, count(*) AS events
    FROM standing CROSS JOIN (
      SELECT position FROM latest_feed_positions(${operatorId}, (SELECT least FROM standing), ${FEED_LAG_COUNTED}) position
    ) latest
    GROUP BY after
  )
  SELECT c.name, c.position,
    (SELECT coalesce(sum(events), 0)::bigint FROM counted
      WHERE after >= array_position(standing.places, c.position)) AS lag,
    (${oldestUnacknowledgedSql(sql)}) AS oldest_queued_at
  FROM standing CROSS JOIN ${consumers} c`

/**
 * The CTEs `forgotten` and `put`: acknowledges up to a position, as a consumer that is made if it `is_new`. No row is put
 * where events after the position were removed, and none where the consumer has come further already. Refused by
 * `event_consumer_limit` when the operator has no room for another.
 */
export const acknowledgeEventsSql = (
  sql: SqlClient,
  operatorId: Value<number>,
  { name, position }: Valued<{ readonly name: string; readonly position: number }>,
  now: Value<Date>
): Fragment => sql`
  forgotten AS (SELECT ${deletedUpToSql(sql, sql`${operatorId}`)} AS position),
  put AS (
    INSERT INTO event_consumers AS c (operator_id, name, position, created_at)
    SELECT ${operatorId}, ${name}, ${position}, ${now}::timestamptz FROM forgotten
    WHERE forgotten.position <= ${position}
    ON CONFLICT (operator_id, name) DO UPDATE SET position = excluded.position WHERE c.position <= excluded.position
    RETURNING operator_id, name, position, xmax = 0 AS is_new
  )`

/** The CTE `removed`. */
export const deleteConsumerSql = (sql: SqlClient, operatorId: Value<number>, name: Value<string>): Fragment => sql`
  removed AS (
    DELETE FROM event_consumers WHERE operator_id = ${operatorId} AND name = ${name} RETURNING operator_id, name
  )`

/**
 * Looks at every consumer: lagging are those whose oldest unacknowledged event was queued by `lagCutoff`. Answers how many, and
 * up to `limit` of those that are written down as lagging now and were not before. One that keeps up again is one that was
 * not.
 */
export const markLaggingConsumersSql = (sql: SqlClient, lagCutoff: Date, now: Date, limit: number): Fragment => sql`
  WITH looked AS MATERIALIZED (
    SELECT c.operator_id, c.name, c.lagging_since, oldest.queued_at, coalesce(oldest.queued_at <= ${lagCutoff}, false) AS lags
    FROM event_consumers c
    LEFT JOIN LATERAL (${oldestUnacknowledgedSql(sql)}) oldest ON true
  ), began AS (
    UPDATE event_consumers c SET lagging_since = ${now}
    FROM (SELECT * FROM looked WHERE lags AND lagging_since IS NULL ORDER BY queued_at LIMIT ${limit}) l
    WHERE c.operator_id = l.operator_id AND c.name = l.name AND c.lagging_since IS NULL
    RETURNING c.operator_id, c.name, l.queued_at
  ), ended AS (
    UPDATE event_consumers c SET lagging_since = NULL FROM looked l
    WHERE c.operator_id = l.operator_id AND c.name = l.name AND NOT l.lags AND c.lagging_since IS NOT NULL
  )
  SELECT counted.lagging, to_jsonb(began) AS began
  FROM (SELECT count(*) FILTER (WHERE lags) AS lagging FROM looked) counted LEFT JOIN began ON true`
