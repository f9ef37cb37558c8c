import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import { recordEventSql } from "../../../jobs/events/event-statements.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  assignNightsSql,
  importedBusyNightsSql,
  nightsHeldByStaysSql
} from "../../calendars/availability/calendar-days.ts"
import { isListedIncomeMethodCondition, type ReceivedMoney, recordReceivedMoney } from "../../money/received-money.ts"
import { splitAmountOverStays } from "../../money/transaction-shares.ts"
import { isPropertyActiveCondition } from "../../properties/properties/activation.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { type NewOrder, type NewOrderColumns, OrderStatus } from "../orders/order.ts"
import { insertOrder, toNewOrderColumns } from "../orders/order-sql.ts"
import { lockUsableQuoteSql, markQuoteUsedSql } from "../quotes/quote-use.ts"
import { type CodedStay, insertStays, stayEventFields, stayRecordSql } from "../stays/stay-sql.ts"
import { ImportedBusyNight, importedBusyNightsJson } from "./imported-busy-nights.ts"
import { retryInSavepoint, rowUnlessNightTaken } from "./nights-taken.ts"
import { listHeldNights, type PropertyNight } from "./rules/nights.ts"
import { toStayCode } from "./rules/reservation-codes.ts"

type Sql = SqlClient.SqlClient

export const OrderCodeAndStatus = Schema.Struct({ reservation_code: Schema.String, status: OrderStatus })
export type OrderCodeAndStatus = typeof OrderCodeAndStatus.Type

/** Records that must exist for a manual order. Undefined fields are not checked. */
export interface OrderReferences {
  readonly propertyId: number | undefined
  readonly incomeMethodId: number | undefined
  /** Imported calendars must not block a night of this range. */
  readonly checkIn: string | undefined
  readonly checkOut: string | undefined
  /** The order is created only if this quote can be used, and marks it as used. */
  readonly quoteId?: string | undefined
}

const CreateObstacles = Schema.Struct({
  existing: Schema.NullOr(OrderCodeAndStatus),
  property_known: Schema.Boolean,
  property_let: Schema.Boolean,
  method_known: Schema.Boolean,
  held_elsewhere: Schema.Array(ImportedBusyNight)
})
export type CreateObstacles = typeof CreateObstacles.Type

const OrderCreation = Schema.Struct({
  reservation_code: Schema.NullOr(Schema.String),
  status: Schema.NullOr(OrderStatus)
})
export type OrderCreation = typeof OrderCreation.Type

const readCreateObstacles = makeSingleRowReader(CreateObstacles)
const readOrderCodeAndStatus = makeOptionalRowReader(OrderCodeAndStatus)
const readNights = makeRowsReader(Schema.Struct({ property_id: Schema.Int, day: Schema.String }))
const readCreated = rowUnlessNightTaken(OrderCreation)

export const findCreateObstacles =
  (sql: Sql) =>
  ({ operatorId, code, propertyId, incomeMethodId, checkIn, checkOut }: CreateObstaclesParameters) =>
    readCreateObstacles(sql`
      SELECT ${
        code === undefined
          ? sql`NULL::jsonb`
          : sql`(SELECT jsonb_build_object('reservation_code', reservation_code, 'status', status)
              FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code})`
      } AS existing,
        ${propertyExistsCondition(sql, operatorId, propertyId)} AS property_known,
        ${isPropertyActiveCondition(sql, operatorId, propertyId)} AS property_let,
        ${incomeMethodIsListed(sql, operatorId, incomeMethodId)} AS method_known,
        ${importedBusyNightsJson(sql, selectImportedBusyNights(sql, operatorId, { propertyId, checkIn, checkOut }))} AS held_elsewhere`)

const selectImportedBusyNights = (
  sql: Sql,
  operatorId: number,
  { propertyId, checkIn, checkOut }: Pick<OrderReferences, "propertyId" | "checkIn" | "checkOut">
): Fragment =>
  propertyId === undefined || checkIn === undefined || checkOut === undefined
    ? sql`SELECT NULL::date AS day, NULL::text AS host WHERE false`
    : importedBusyNightsSql(sql, operatorId, propertyId, { from: checkIn, before: checkOut })

export interface CreateObstaclesParameters extends OrderReferences {
  readonly operatorId: number
  readonly code: string | undefined
}

const incomeMethodIsListed = (sql: Sql, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : isListedIncomeMethodCondition(sql, operatorId, id)

export const findOrderByChannelId = (sql: Sql) => (operatorId: number, channelType: string, channelId: string) =>
  readOrderCodeAndStatus(sql`
      SELECT reservation_code, status FROM orders
      WHERE operator_id = ${operatorId} AND channel_id = ${channelId} AND channel_type = ${channelType}`)

export const findTakenNights = (sql: Sql) => (operatorId: number, nights: ReadonlyArray<PropertyNight>) => {
  const properties = idsParameter(nights.map(({ property_id }) => property_id))
  const days = nights.map(({ day }) => day)
  const source = sql`unnest(${properties}::bigint[], ${days}::date[]) AS nights (property_id, day)`
  return readNights(sql`${nightsHeldByStaysSql(sql, operatorId, source)}`)
}

interface CreateOrderParameters extends OrderReferences {
  readonly operatorId: number
  readonly order: NewOrderColumns
  readonly stays: ReadonlyArray<CodedStay>
  readonly received: ReceivedMoney | undefined
  readonly at: Date
}

const selectNewNights = (sql: Sql): Fragment => sql`
  SELECT operator_id, property_id, day::date AS day, id AS stay_id, NULL::bigint AS taken_from
  FROM new_stay CROSS JOIN LATERAL generate_series(check_in_date, check_out_date - 1, interval '1 day') day
  WHERE holds`

const createdRecordsSql = (sql: Sql, withMoney: boolean): Fragment => {
  const createdOrder = sql`SELECT operator_id, ${stayRecordSql(sql)} AS record, '{}'::text[] AS fields FROM created_order`
  return withMoney
    ? sql`${createdOrder} UNION ALL ${createdOrDeletedRecordsSql(sql, "transaction", "received_entry")}`
    : createdOrder
}

const makeCreateStatement =
  (sql: Sql) =>
  ({
    propertyId,
    checkIn,
    checkOut,
    incomeMethodId,
    quoteId,
    stays,
    received,
    ...parameters
  }: CreateOrderParameters) => {
    const { operatorId, at } = parameters
    const recordCreatedEvents = recordEventSql(sql, "reservation_created", {
      from: sql`(SELECT new_stay.*, reservation_code FROM new_stay, created_order) created`,
      record: stayRecordSql(sql),
      fields: stayEventFields(sql),
      at
    })
    const preconditions = sql`${isPropertyActiveCondition(sql, operatorId, propertyId)} AND ${incomeMethodIsListed(sql, operatorId, incomeMethodId)}
      AND NOT EXISTS (${selectImportedBusyNights(sql, operatorId, { propertyId, checkIn, checkOut })})
      ${quoteId === undefined ? sql`` : sql`AND EXISTS (SELECT FROM usable_quote)`}`
    return recordChange(sql, {
      change: sql`
        ${quoteId === undefined ? sql`` : sql`usable_quote AS (${lockUsableQuoteSql(sql, { operatorId, quoteId, at })}), `}
        ${insertOrder(sql, parameters, preconditions)}, ${insertStays(sql, stays, "created_order")}, ${assignNightsSql(sql, selectNewNights(sql), at)},
        ${quoteId === undefined ? sql`` : sql`used_quote AS (${markQuoteUsedSql(sql, "usable_quote", "created_order", at)}), `}
        order_recorded AS (${recordCreatedEvents})${received === undefined ? sql`` : sql`, ${recordReceivedMoney(sql, received, at)}`}`,
      events: [],
      changedRecords: createdRecordsSql(sql, received !== undefined),
      outcome: sql`
        SELECT created_order.reservation_code, created_order.status FROM (SELECT) one LEFT JOIN created_order ON true`
    })
  }

const toCodedStays = (order: NewOrder): ReadonlyArray<CodedStay> =>
  order.stays.map((stay, room) => ({
    ...stay,
    stay_code: toStayCode(order.reservation_code, room),
    holds: listHeldNights(order.status, stay).length > 0
  }))

const toReceivedMoney = ({ received, currency, ...order }: NewOrder): ReceivedMoney | undefined => {
  if (received === null) return undefined
  const rooms = order.stays.map((stay, id) => ({ ...stay, id }))
  const shares = splitAmountOverStays(received.amount, currency, rooms).map(({ stay_id, amount }) => ({
    stay_code: toStayCode(order.reservation_code, stay_id),
    amount
  }))
  return { ...received, operator_name: order.creator, shares }
}

const NO_REFERENCES: OrderReferences = {
  propertyId: undefined,
  incomeMethodId: undefined,
  checkIn: undefined,
  checkOut: undefined
}

/**
 * Writes the order with all its rows and events in one statement. Returns nulls where `Orders.create` returns
 * undefined.
 *
 * A concurrent order with the same code or nights waits until the database transaction of this order ends.
 */
export const createOrder = (sql: Sql) => {
  const statement = makeCreateStatement(sql)
  const inSavepoint = retryInSavepoint(sql)
  return (operatorId: number, order: NewOrder, at: Date, references: OrderReferences = NO_REFERENCES) =>
    readCreated(
      inSavepoint(
        statement({
          operatorId,
          ...references,
          order: toNewOrderColumns(order, at),
          stays: toCodedStays(order),
          received: toReceivedMoney(order),
          at
        })
      )
    )
}
