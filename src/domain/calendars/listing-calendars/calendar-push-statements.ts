import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { unavailableCountsSql } from "../availability/calendar-days.ts"
import { dayRangesSql, daySetSql } from "./due-days.ts"
import { claimedPartitionSql, type PartitionClaim } from "./push-statements.ts"

// A calendar push sends changed availability. One statement moves the due days to the push, and a later one reads the
// inventory. So the inventory has all changes of these days.

/** Adds the due days to a pending calendar push, or creates one. Selects no row if another worker has the claim. */
export const createCalendarPushSql = (sql: SqlClient, claim: PartitionClaim): Fragment => sql`
  WITH lane AS MATERIALIZED (
    ${claimedPartitionSql(sql, claim, sql`operator_id, listing_row, due_days, due_since, calendar_waits`)}
  ), joined AS (
    UPDATE listing_pushes p
    SET ranges = ${dayRangesSql(sql, sql`${daySetSql(sql, sql`p.ranges`)} + lane.due_days`)}
    FROM lane
    WHERE p.operator_id = lane.operator_id AND p.listing_row = lane.listing_row AND p.settled_at IS NULL
      AND p.kind = 'availability'
    RETURNING p.operator_id, p.id, p.ranges
  ), made AS (
    INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, created_at)
    SELECT operator_id, listing_row, 'availability', ${dayRangesSql(sql, sql`due_days`)},
      coalesce(due_since, ${claim.now}::timestamptz)
    FROM lane WHERE NOT calendar_waits AND NOT isempty(due_days)
    RETURNING operator_id, id, ranges
  ), drawn AS (
    UPDATE listing_lanes l
    SET due_days = '{}', due_since = NULL, calendar_waits = true,
      waiting = l.waiting - (lane.calendar_waits AND NOT isempty(lane.due_days))::integer
    FROM lane WHERE l.operator_id = lane.operator_id AND l.listing_row = lane.listing_row
  )
  SELECT push.id AS push_id, push.ranges AS days, o.time_zone
  FROM (SELECT * FROM joined UNION ALL SELECT * FROM made) push JOIN operators o ON o.id = push.operator_id`

interface ReadInventoryParameters {
  readonly operator_id: number
  readonly listing_row: number
  readonly start_date: string
  readonly end_date: string
}

/** Days in `unsellable` are offsets from `start_date`. */
export const readInventorySql = (sql: SqlClient, parameters: ReadInventoryParameters): Fragment => {
  const { operator_id, listing_row, start_date, end_date } = parameters
  // Pushes of the host are left out, because they may be many. Their days are in `said_days`.
  const pushedDays = sql`(
    SELECT range_agg(${daySetSql(sql, sql`p.ranges`)}) FROM listing_pushes p
    WHERE p.operator_id = listing.operator_id AND p.listing_row = listing.id AND p.settled_at IS NULL
      AND p.kind = 'availability')`
  return sql`
    WITH listing AS MATERIALIZED (
      SELECT operator_id, id, property_id, room_type_id FROM listings
      WHERE operator_id = ${operator_id} AND id = ${listing_row} AND shelf_status <> 'deleted'
    ), room AS MATERIALIZED (
      SELECT p.operator_id, p.id AS property_id FROM (
        SELECT operator_id, property_id FROM listing WHERE property_id IS NOT NULL
        UNION ALL
        SELECT r.operator_id, r.property_id FROM listing
        JOIN room_type_properties r ON r.operator_id = listing.operator_id AND r.room_type_id = listing.room_type_id
      ) sold
      JOIN properties p ON p.operator_id = sold.operator_id AND p.id = sold.property_id
      WHERE p.deactivated_at IS NULL
    ), unsellable AS (${unavailableCountsSql(sql, sql`room`, sql`${start_date}::date`, sql`${end_date}::date`)})
    SELECT listing.property_id IS NOT NULL OR listing.room_type_id IS NOT NULL AS linked,
      (SELECT count(*) FROM room) AS rooms,
      coalesce((SELECT jsonb_agg(jsonb_build_array(at, rooms)) FROM unsellable), '[]') AS unsellable,
      ${dayRangesSql(sql, sql`coalesce(lane.said_days, '{}')`)} AS said,
      ${dayRangesSql(sql, sql`coalesce(lane.due_days, '{}') + coalesce(${pushedDays}, '{}')`)} AS untold
    FROM listing LEFT JOIN listing_lanes lane ON lane.operator_id = listing.operator_id AND lane.listing_row = listing.id`
}
