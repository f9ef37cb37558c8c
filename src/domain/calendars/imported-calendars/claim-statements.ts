import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BacklogSource } from "../../../jobs/backlog-statements.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import type { OperatorRowId } from "../../operator-rows.ts"

// The statements update by ctid and have limits as literals. Otherwise PostgreSQL would plan for many rows.

/** Limits of concurrent fetches: per process, operator and URL host. */
export const CONCURRENT_FETCHES_MAX = 24
export const OPERATOR_FETCHES_MAX = 4
export const URL_HOST_FETCHES_MAX = 8

interface ClaimDueParameters {
  readonly now: Date
  readonly leaseEnd: Date
  readonly maxJobs: number
  /** Operator and URL host of each calendar that this process has already claimed, in the same order. */
  readonly busyOperators: ReadonlyArray<number>
  readonly busyHosts: ReadonlyArray<string>
}

/** A loose index scan: its time does not depend on the number of due calendars. */
const operatorsWithDueCalendarsSql = (sql: SqlClient, { now }: Pick<ClaimDueParameters, "now">): Fragment => sql`
  with_due AS (
    (SELECT operator_id FROM imported_calendars WHERE due_at <= ${now} ORDER BY operator_id, due_at LIMIT 1)
    UNION ALL
    SELECT following.operator_id FROM with_due CROSS JOIN LATERAL (
      SELECT c.operator_id FROM imported_calendars c
      WHERE c.operator_id > with_due.operator_id AND c.due_at <= ${now}
      ORDER BY c.operator_id, c.due_at LIMIT 1) following
  )`

const busyCtesSql = (sql: SqlClient, { busyOperators, busyHosts }: ClaimDueParameters): Fragment => sql`
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${idsParameter(busyOperators)}::bigint[], ${busyHosts}::text[]) AS busy (operator_id, host)
  ), full_host AS MATERIALIZED (
    SELECT host FROM busy GROUP BY host HAVING count(*) >= ${sql.literal(String(URL_HOST_FETCHES_MAX))}
  )`

/** Skips URL hosts at their limit, so that a slow host does not delay the others. */
const dueCalendarsSql = (sql: SqlClient, { now }: ClaimDueParameters): Fragment => sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at, host FROM imported_calendars
    WHERE operator_id = o.operator_id AND due_at <= ${now} AND host <> ALL (ARRAY(SELECT host FROM full_host))
    ORDER BY due_at, id LIMIT ${sql.literal(String(OPERATOR_FETCHES_MAX))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(o.room, 0)`

const claimedCalendarColumnsSql = (sql: SqlClient): Fragment => sql`
  c.operator_id, c.id, c.property_id, c.url, c.host, c.attempts, c.failures, c.etag, c.last_modified, c.digest,
  c.applied_to, c.unreadable, c.accepted_digest, c.skip_unavailable, c.unavailable_before, c.unavailable_moved,
  c.events, c.channel_type`

/** Claims in turn for each operator, first for the one with the fewest claims. Skips suspended operators. */
export const claimDueSql = (sql: SqlClient, parameters: ClaimDueParameters): Fragment => sql`
  WITH RECURSIVE ${operatorsWithDueCalendarsSql(sql, parameters)}, ${busyCtesSql(sql, parameters)}, o AS MATERIALIZED (
    SELECT operator_id, ${sql.literal(String(OPERATOR_FETCHES_MAX))} - in_hand.calendars AS room, in_hand.calendars AS in_hand
    FROM with_due JOIN operators ON operators.id = with_due.operator_id AND operators.status = 'active'
    CROSS JOIN LATERAL (
      SELECT count(*) AS calendars FROM busy WHERE busy.operator_id = with_due.operator_id) in_hand
  ), due AS (
    SELECT due.place, due.due_at, due.host,
      o.in_hand + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at) AS turn
    FROM o CROSS JOIN LATERAL (${dueCalendarsSql(sql, parameters)}) due
  ), of_host AS (
    SELECT place, due_at, turn, row_number() OVER (PARTITION BY host ORDER BY turn, due_at)
      + (SELECT count(*) FROM busy WHERE busy.host = due.host) AS nth FROM due
  ), chosen AS (
    SELECT place FROM of_host WHERE nth <= ${sql.literal(String(URL_HOST_FETCHES_MAX))}
    ORDER BY turn, due_at LIMIT ${parameters.maxJobs}
  ), taken AS (
    UPDATE imported_calendars c SET attempts = c.attempts + 1, due_at = ${parameters.leaseEnd}
    WHERE c.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND c.due_at <= ${parameters.now}
    RETURNING ${claimedCalendarColumnsSql(sql)}
  )
  SELECT taken.*, operators.time_zone FROM taken JOIN operators ON operators.id = taken.operator_id`

export const selectOneSql = (sql: SqlClient, { operatorId, id }: OperatorRowId, isLocked: boolean): Fragment => sql`
  SELECT ${claimedCalendarColumnsSql(sql)}, operators.time_zone
  FROM imported_calendars c JOIN operators ON operators.id = c.operator_id
  WHERE c.operator_id = ${operatorId} AND c.id = ${id} ${isLocked ? sql`FOR UPDATE OF c` : sql``}`

export const calendarBacklog = (sql: SqlClient, { now }: Pick<ClaimDueParameters, "now">): BacklogSource => ({
  candidates: sql`${operatorsWithDueCalendarsSql(sql, { now })}, with_work AS (SELECT operator_id FROM with_due)`,
  condition: sql`(SELECT o.status FROM operators o WHERE o.id = with_work.operator_id) = 'active'`,
  dueRows: sql`FROM imported_calendars WHERE operator_id = with_work.operator_id AND due_at <= ${now}`
})
