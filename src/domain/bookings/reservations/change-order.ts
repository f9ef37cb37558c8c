import { Data, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { columnDefinitions, jsonObjectPairs } from "../../../platform/database/columns.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { genericPlanParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  assignNightsSql,
  hasConflictingStayCondition,
  importedBusyNightsSql,
  stayIdsHoldingNightsSql
} from "../../calendars/availability/calendar-days.ts"
import { lockUnchangedEntries, orderEntriesJson, writeShares } from "../../money/transaction-shares.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { isPropertyActiveCondition } from "../../properties/properties/activation.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { OrderHead, OrderState } from "../orders/order.ts"
import { updateOrders } from "../orders/order-sql.ts"
import { lastRoomSql, recordStayUpdates, stayStatesJson, updateStays } from "../stays/stay-sql.ts"
import { type AddedAndRemovedStays, addAndRemoveStays, resolveNewStayIds } from "./added-and-removed-stays.ts"
import { ImportedBusyNight, importedBusyNightsJson } from "./imported-busy-nights.ts"
import { NightTaken, retryInSavepoint } from "./nights-taken.ts"
import type { OrderChange } from "./rules/order-diff.ts"

type Sql = SqlClient.SqlClient

export type OrderKey = { readonly reservation_code: string } | { readonly stay_code: string }

const LoadedOrder = Schema.Struct({
  order: Schema.NullOr(OrderState),
  /** Orders that hold nights which the stay needs in its new property, or the orders of `otherCodes`. */
  other_orders: Schema.Array(OrderState),
  property_known: Schema.Boolean,
  property_let: Schema.Boolean,
  /** Ids of the order's stays whose nights other orders hold. */
  kept: Schema.Array(Schema.Int),
  /** Nights of the stay's new property or new dates that imported calendars block. */
  held_elsewhere: Schema.Array(ImportedBusyNight)
})
export type LoadedOrder = typeof LoadedOrder.Type

const readLoadedOrder = makeSingleRowReader(Schema.toCodecJson(LoadedOrder))

class StayTaggedConcurrently extends Data.TaggedError("StayTaggedConcurrently") {}

const OrderChangeResult = Schema.Struct({ applied: Schema.Boolean })
export type OrderChangeResult = typeof OrderChangeResult.Type

const readApplied = makeRowReaderOrFail(OrderChangeResult, ({ name }) => {
  if (name === "one_holder_a_night") return new NightTaken()
  return name === "stay_tags_operator_id_stay_id_fkey" ? new StayTaggedConcurrently() : undefined
})

const orderCondition = (sql: Sql, { operatorId, reservation_code, stay_code }: FindOrderParameters): Fragment => {
  const operatorCondition = sql`o.operator_id = ${operatorId}`
  if (stay_code === undefined) return sql`${operatorCondition} AND o.reservation_code = ${reservation_code ?? null}`
  return sql`${operatorCondition}
    AND o.id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stay_code})`
}

interface FindOrderParameters {
  readonly operatorId: number
  readonly reservation_code: string | undefined
  readonly stay_code: string | undefined
  readonly toProperty: number | undefined
  readonly toCheckIn: string | undefined
  readonly toCheckOut: string | undefined
  /** Codes of further orders to load. */
  readonly otherCodes: ReadonlyArray<string>
}

export type StayDestination = Partial<Pick<FindOrderParameters, "toProperty" | "toCheckIn" | "toCheckOut">>

const selectImportedBusyNights = (
  sql: Sql,
  { operatorId, stay_code, toProperty, toCheckIn, toCheckOut }: FindOrderParameters
): Fragment => {
  const hasNoDestination = toProperty === undefined && toCheckIn === undefined && toCheckOut === undefined
  if (hasNoDestination || stay_code === undefined) return sql`SELECT NULL::date AS day, NULL::text AS host WHERE false`
  const nights = importedBusyNightsSql(sql, operatorId, sql`${toProperty ?? sql`s.property_id`}`, {
    from: sql`${toCheckIn ?? sql`s.check_in_date`}`,
    before: sql`${toCheckOut ?? sql`s.check_out_date`}`
  })
  return sql`SELECT held.* FROM (SELECT * FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stay_code} OFFSET 0) s
    CROSS JOIN LATERAL (${nights} OFFSET 0) held`
}

const orderStateJson = (sql: Sql, order: string): Fragment => sql`jsonb_build_object(
  ${sql.literal(jsonObjectPairs(OrderHead, order))},
  'stays', ${stayStatesJson(sql, sql.literal(order))},
  'last_room', ${lastRoomSql(sql, sql.literal(order))}, 'entries', ${orderEntriesJson(sql, sql.literal(order))})`

/** OFFSET 0 keeps the join order. Without table statistics, PostgreSQL would begin with all stays for each order. */
const selectBlockingOrders = (sql: Sql, operatorId: number, propertyId: number, stayCode: string): Fragment => sql`
  SELECT holder.order_id
  FROM (SELECT check_in_date, check_out_date FROM stays
    WHERE operator_id = ${operatorId} AND stay_code = ${stayCode} OFFSET 0) moving
  CROSS JOIN LATERAL (${stayIdsHoldingNightsSql(sql, operatorId, propertyId, {
    from: sql`moving.check_in_date`,
    before: sql`moving.check_out_date`
  })} OFFSET 0) held
  CROSS JOIN LATERAL (SELECT s.order_id FROM stays s
    WHERE s.operator_id = ${operatorId} AND s.id = held.stay_id OFFSET 0) holder`

/** `o` is a row of `orders`. The CTE `wanted` has the order of the key. */
const otherOrderCondition = (
  sql: Sql,
  { operatorId, stay_code, toProperty, otherCodes }: FindOrderParameters
): Fragment => {
  if (otherCodes.length > 0) return sql`o.reservation_code = ANY (${otherCodes}::text[])`
  if (toProperty === undefined || stay_code === undefined) return sql`false`
  return sql`o.id <> (SELECT id FROM wanted)
    AND o.id = ANY (ARRAY(${selectBlockingOrders(sql, operatorId, toProperty, stay_code)}))`
}

export const loadOrderForChange = (sql: Sql) => {
  const statement = (parameters: FindOrderParameters) => {
    const { operatorId, toProperty } = parameters
    return sql`
      WITH wanted AS (
        SELECT o.* FROM orders o WHERE ${orderCondition(sql, parameters)}
      ), other AS (
        SELECT o.* FROM orders o WHERE o.operator_id = ${operatorId} AND ${otherOrderCondition(sql, parameters)}
      )
      SELECT
        (SELECT ${orderStateJson(sql, "wanted")} FROM wanted) AS "order",
        (SELECT coalesce(jsonb_agg(${orderStateJson(sql, "other")} ORDER BY other.id), '[]') FROM other) AS other_orders,
        ${propertyExistsCondition(sql, operatorId, toProperty)} AS property_known,
        ${isPropertyActiveCondition(sql, operatorId, toProperty)} AS property_let,
        (SELECT coalesce(jsonb_agg(s.id ORDER BY s.id), '[]')
          FROM wanted JOIN stays s ON s.operator_id = wanted.operator_id AND s.order_id = wanted.id
          WHERE ${hasConflictingStayCondition(sql, sql`s`)}) AS kept,
        ${importedBusyNightsJson(sql, selectImportedBusyNights(sql, parameters))} AS held_elsewhere`
  }
  return (
    operatorId: number,
    key: OrderKey,
    destination: StayDestination = {},
    otherCodes: ReadonlyArray<string> = []
  ) =>
    readLoadedOrder(
      statement({
        operatorId,
        reservation_code: "reservation_code" in key ? key.reservation_code : undefined,
        stay_code: "stay_code" in key ? key.stay_code : undefined,
        toProperty: destination.toProperty,
        toCheckIn: destination.toCheckIn,
        toCheckOut: destination.toCheckOut,
        otherCodes
      })
    )
}

interface ApplyChangeParameters
  extends AddedAndRemovedStays,
    Pick<OrderChange, "stays" | "nights" | "shares" | "updates" | "touched"> {
  readonly orders: ReadonlyArray<OrderHead>
  /** Incomes and expenses that are split over the stays again. */
  readonly entries: OrderState["entries"]
}

/**
 * Locks orders and entries in the order of their ids. The CTE `unchanged` has a row only if the versions of all orders
 * and the amounts of all entries are still the loaded ones.
 */
const lockUnchangedOrders = (sql: Sql, { operatorId, orders, entries }: ApplyChangeParameters): Fragment => sql`
  wanted_order AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(orders)}::jsonb)
      AS wanted (${sql.literal(columnDefinitions(OrderHead))})
  ), locked_order AS (
    SELECT o.id FROM orders o JOIN wanted_order ON wanted_order.id = o.id AND wanted_order.version = o.version
    WHERE o.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} ORDER BY o.id FOR NO KEY UPDATE OF o
  ), locked_entry AS (${lockUnchangedEntries(sql, operatorId, entries)}),
  unchanged AS (
    SELECT FROM (SELECT) one WHERE (SELECT count(*) FROM locked_order) = ${orders.length}
      AND (SELECT count(*) FROM locked_entry) = ${entries.length}
  )`

const selectRowsIfUnchanged = (sql: Sql, operatorId: number, rows: ReadonlyArray<object>, columns: string): Fragment =>
  sql`SELECT ${operatorId}::bigint AS operator_id, wanted.*
    FROM unchanged, jsonb_to_recordset(${jsonParameter(rows)}::jsonb) AS wanted (${sql.literal(columns)})`

const makeApplyStatement = (sql: Sql) => (parameters: ApplyChangeParameters) => {
  const { operatorId, stays, at } = parameters
  const selectRows = (rows: ReadonlyArray<object>, columns: string) =>
    selectRowsIfUnchanged(sql, operatorId, rows, columns)
  const selectStayRows = (rows: ReadonlyArray<object>, columns: string, names: ReadonlyArray<string>) =>
    parameters.addedStays === undefined
      ? selectRows(rows, columns)
      : resolveNewStayIds(sql, selectRows(rows, columns), names)
  const nights = selectStayRows(parameters.nights, "property_id bigint, day date, stay_id bigint, taken_from bigint", [
    "property_id",
    "day",
    "taken_from"
  ])
  const shares = selectStayRows(parameters.shares, "transaction_id bigint, stay_id bigint, amount numeric", [
    "transaction_id",
    "amount"
  ])
  const updateColumns = "reservation_code text, stay_code text, property_id bigint, sub_event text"
  return recordChange(sql, {
    change: sql`
        ${lockUnchangedOrders(sql, parameters)}, ${updateOrders(sql, operatorId)},
        ${updateStays(sql, operatorId, stays)}, ${addAndRemoveStays(sql, parameters)} ${assignNightsSql(sql, nights, at)},
        share AS (${writeShares(sql, shares)}), updated AS (${selectRows(parameters.updates, updateColumns)})`,
    events: [
      recordStayUpdates(sql, { from: sql`updated WHERE sub_event IS NULL`, at }),
      recordStayUpdates(sql, { from: sql`updated WHERE sub_event IS NOT NULL`, subEvent: sql`sub_event`, at })
    ],
    changedRecords: selectRows(parameters.touched, "record text, fields text[]"),
    outcome: sql`SELECT EXISTS (SELECT FROM unchanged) AS applied`
  })
}

/** Locks orders before nights to avoid deadlocks. */
export const applyOrderChange = (sql: Sql) => {
  const statement = makeApplyStatement(sql)
  const inSavepoint = retryInSavepoint(sql)
  return (
    operatorId: number,
    { orders, stays, addedStays, removedStays, nights, shares, updates, touched }: OrderChange,
    at: Date
  ) =>
    readApplied(
      inSavepoint(
        statement({
          operatorId,
          stays,
          addedStays: addedStays.length === 0 ? undefined : addedStays,
          removedStays: removedStays.length === 0 ? undefined : removedStays,
          nights,
          shares,
          updates,
          touched,
          orders: orders.map(({ stays: _stays, last_room: _room, entries: _entries, ...head }) => head),
          entries: shares.length === 0 ? [] : orders.flatMap((order) => order.entries),
          at
        })
      )
    ).pipe(Effect.catchTag("StayTaggedConcurrently", () => Effect.succeed({ applied: false })))
}

/** Locks the operator instead of the orders, because changes that wait for each other's orders could deadlock. */
export const withOperatorOrderLock = withOperatorLock
