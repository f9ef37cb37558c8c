import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import {
  columnAssignments,
  columnDefinitions,
  columnNames,
  jsonObjectPairs
} from "../../../platform/database/columns.ts"
import { genericPlanParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import { ExistingStay, GuestDetails, type NewStay, NewStayColumns, OrderStayFields, StayIdentity } from "./stay.ts"

export interface CodedStay extends NewStay {
  readonly stay_code: string
  readonly holds: boolean
}

/** `place` identifies the stay within the statement, because it has no id yet. */
export interface AddedStay extends CodedStay {
  readonly place: number
  readonly order_id: number
}

/**
 * Returns CTEs that insert stays and guests if the CTE named by `into` has a row for the order. The CTE `new_stay` has
 * the inserted stays.
 */
export const insertStays = (
  sql: SqlClient,
  stays: ReadonlyArray<CodedStay | AddedStay>,
  into: "created_order" | "unchanged_order"
): Fragment => sql`
  given_stay AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(stays)}::jsonb)
      AS given (place bigint, order_id bigint, stay_code text, holds boolean, guests jsonb,
        ${sql.literal(columnDefinitions(NewStayColumns))})
  ), inserted_stay AS (
    INSERT INTO stays (operator_id, order_id, stay_code, ${sql.literal(columnNames(NewStayColumns))})
    SELECT into_order.operator_id, into_order.id, stay_code, ${sql.literal(columnNames(NewStayColumns, "given_stay"))}
    FROM ${sql.literal(into)} into_order JOIN given_stay ON coalesce(given_stay.order_id, into_order.id) = into_order.id
    ORDER BY length(stay_code), stay_code
    RETURNING operator_id, id, stay_code
  ), new_stay AS (
    SELECT inserted_stay.operator_id, inserted_stay.id, given_stay.*
    FROM inserted_stay JOIN given_stay USING (stay_code)
  ), inserted_guest AS (
    INSERT INTO guests (operator_id, stay_id, ${sql.literal(columnNames(GuestDetails))})
    SELECT new_stay.operator_id, new_stay.id, ${sql.literal(columnNames(GuestDetails, "person"))}
    FROM new_stay
    CROSS JOIN LATERAL jsonb_to_recordset(new_stay.guests) AS person (${sql.literal(columnDefinitions(GuestDetails))})
  )`

export interface RemovedStay {
  readonly id: number
  readonly order_id: number
  readonly room: number
}

/**
 * Returns CTEs that delete stays if the CTE `unchanged` has a row. Identity images stay with the order. The highest
 * room number is stored, so that no stay code is used again.
 */
export const removeStays = (sql: SqlClient, operatorId: number, stays: ReadonlyArray<RemovedStay>): Fragment => sql`
  going AS (
    SELECT going.* FROM unchanged, jsonb_to_recordset(${jsonParameter(stays)}::jsonb)
      AS going (id bigint, order_id bigint, room integer)
  ), left_guest AS (
    SELECT g.id FROM guests g JOIN going ON g.stay_id = going.id WHERE g.operator_id = ${operatorId}
  ), freed_image AS (
    UPDATE identity_images i SET guest_id = NULL FROM left_guest
    WHERE i.operator_id = ${operatorId} AND i.guest_id = left_guest.id
  ), removed_guest AS (
    DELETE FROM guests g USING left_guest WHERE g.operator_id = ${operatorId} AND g.id = left_guest.id
  ), removed_tag AS (
    DELETE FROM stay_tags t USING going WHERE t.operator_id = ${operatorId} AND t.stay_id = going.id
  ), removed_stay AS (
    DELETE FROM stays s USING going WHERE s.operator_id = ${operatorId} AND s.id = going.id
  ), remembered_room AS (
    INSERT INTO removed_stays AS known (operator_id, order_id, last_room)
    SELECT ${operatorId}::bigint, order_id, max(room) FROM going GROUP BY order_id
    ON CONFLICT (operator_id, order_id) DO UPDATE SET last_room = greatest(known.last_room, excluded.last_room)
  )`

export const updateStays = (sql: SqlClient, operatorId: number, stays: ReadonlyArray<ExistingStay>): Fragment => sql`
  updated_stay AS (
    UPDATE stays s SET ${sql.literal(columnAssignments(OrderStayFields, "wanted"))}
    FROM unchanged, jsonb_to_recordset(${jsonParameter(stays)}::jsonb)
      AS wanted (${sql.literal(columnDefinitions(ExistingStay))})
    WHERE s.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND s.id = wanted.id
  )`

export const stayStatesJson = (sql: SqlClient, order: Fragment): Fragment => sql`(
  SELECT jsonb_agg(jsonb_build_object(
    ${sql.literal(jsonObjectPairs(StayIdentity, "s"))}, ${sql.literal(jsonObjectPairs(OrderStayFields, "s"))}) ORDER BY s.id)
  FROM stays s WHERE s.operator_id = ${order}.operator_id AND s.order_id = ${order}.id)`

export const lastRoomSql = (sql: SqlClient, order: Fragment): Fragment => sql`coalesce((
  SELECT r.last_room FROM removed_stays r
  WHERE r.operator_id = ${order}.operator_id AND r.order_id = ${order}.id), 0)`

export const stayRecordSql = (sql: SqlClient): Fragment => sql`'reservation:' || reservation_code`

/** An unassigned stay has `property_id` 0 in events. */
export const stayEventFields = (sql: SqlClient) => ({
  reservation_code: sql`reservation_code`,
  stay_code: sql`stay_code`,
  property_id: sql`coalesce(property_id, 0)`
})

export const recordStayUpdates = (
  sql: SqlClient,
  updates: { readonly from: Fragment; readonly subEvent?: Fragment; readonly at: Date }
): Fragment =>
  recordEventSql(sql, "reservation_updated", {
    from: updates.from,
    record: stayRecordSql(sql),
    fields: { ...stayEventFields(sql), ...(updates.subEvent === undefined ? {} : { sub_event: updates.subEvent }) },
    at: updates.at
  })
