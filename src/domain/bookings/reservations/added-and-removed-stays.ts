import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import { removeShares } from "../../money/transaction-shares.ts"
import { insertStays, removeStays, stayEventFields, stayRecordSql } from "../stays/stay-sql.ts"
import type { OrderChange } from "./rules/order-diff.ts"

type Sql = SqlClient.SqlClient

export interface AddedAndRemovedStays {
  readonly operatorId: number
  readonly addedStays: OrderChange["addedStays"] | undefined
  readonly removedStays: OrderChange["removedStays"] | undefined
  readonly at: Date
}

export const addAndRemoveStays = (
  sql: Sql,
  { operatorId, addedStays, removedStays, at }: AddedAndRemovedStays
): Fragment => {
  const addStays =
    addedStays === undefined
      ? sql``
      : sql`unchanged_order AS (SELECT ${operatorId}::bigint AS operator_id, id FROM wanted_order, unchanged),
          ${insertStays(sql, addedStays, "unchanged_order")}, stay_recorded AS (${recordEventSql(
            sql,
            "reservation_created",
            {
              from: sql`(SELECT new_stay.*, wanted_order.reservation_code
              FROM new_stay JOIN wanted_order ON wanted_order.id = new_stay.order_id) created`,
              record: stayRecordSql(sql),
              fields: stayEventFields(sql),
              at
            }
          )}),`
  return removedStays === undefined
    ? addStays
    : sql`${addStays} ${removeStays(sql, operatorId, removedStays)}, ${removeShares(
        sql,
        operatorId,
        removedStays.map(({ id }) => id)
      )},`
}

/** Replaces temporary stay ids by the ids in the CTE `new_stay`. */
export const resolveNewStayIds = (sql: Sql, rows: Fragment, columns: ReadonlyArray<string>): Fragment => sql`
  SELECT rows.operator_id, ${sql.literal(columns.map((name) => `rows.${name}`).join(", "))}, coalesce(new_stay.id, rows.stay_id) AS stay_id
  FROM (${rows}) rows LEFT JOIN new_stay ON new_stay.place = rows.stay_id`
