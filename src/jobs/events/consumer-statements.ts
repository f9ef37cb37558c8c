import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { FEED_LAG_COUNTED } from "../../platform/limits.ts"
import { deletedUpToSql } from "./event-statements.ts"

const oldestUnacknowledgedSql = (sql: SqlClient): Fragment => sql`
  SELECT queued_at
  FROM feed_events(c.operator_id, greatest(c.position, ${deletedUpToSql(sql, sql`c.operator_id`)}), 1, NULL, NULL, 1)`

/**
 * A consumer reads the event feed and acknowledges events up to its position. `oldest_queued_at` is null if every event
 * is acknowledged.
 */
export const consumerStatusSql = (sql: SqlClient, operatorId: number, consumers: Fragment): Fragment => sql`
  WITH standing AS MATERIALIZED (
    SELECT places, greatest(places[1], ${deletedUpToSql(sql, sql`${operatorId}`)}) AS least
    FROM (SELECT ARRAY(SELECT DISTINCT position FROM ${consumers} c ORDER BY position) AS places) all_places
  ), counted AS MATERIALIZED (
    -- The event at a position is acknowledged, so only later events count.
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
 * The CTE `put` writes nothing if retention has deleted events after the position, or if the stored position is later.
 * `is_new` is true if the consumer was created. Fails with `event_consumer_limit` above the limit of consumers.
 */
export const acknowledgeEventsSql = (
  sql: SqlClient,
  operatorId: number,
  { name, position }: { readonly name: string; readonly position: number },
  now: Date
): Fragment => sql`
  forgotten AS (SELECT ${deletedUpToSql(sql, sql`${operatorId}`)} AS position),
  put AS (
    INSERT INTO event_consumers AS c (operator_id, name, position, created_at)
    SELECT ${operatorId}, ${name}, ${position}, ${now}::timestamptz FROM forgotten
    WHERE forgotten.position <= ${position}
    ON CONFLICT (operator_id, name) DO UPDATE SET position = excluded.position WHERE c.position <= excluded.position
    RETURNING operator_id, name, position, xmax = 0 AS is_new
  )`

export const deleteConsumerSql = (sql: SqlClient, operatorId: number, name: string): Fragment => sql`
  removed AS (
    DELETE FROM event_consumers WHERE operator_id = ${operatorId} AND name = ${name} RETURNING operator_id, name
  )`

/**
 * Marks consumers whose oldest unacknowledged event was queued at `lagCutoff` or before, and clears other marks.
 * Returns the number of lagging consumers and up to `limit` newly marked ones.
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
