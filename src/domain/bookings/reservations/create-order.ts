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
import { type CodedStay, insertStays, stayEventFields, stayRecordSql } from "../stays/stay-sql.ts"
import { ImportedBusyNight, importedBusyNightsJson } from "./imported-busy-nights.ts"
import { retryInSavepoint, rowUnlessNightTaken } from "./nights-taken.ts"
import { listHeldNights, type PropertyNight } from "./rules/nights.ts"
import { toStayCode } from "./rules/reservation-codes.ts"

// The SQL of orders that come into the service: one statement each.

type Sql = SqlClient.SqlClient

export const OrderCodeAndStatus = Schema.Struct({ reservation_code: Schema.String, status: OrderStatus })
/** An order's code and present status. */
export type OrderCodeAndStatus = typeof OrderCodeAndStatus.Type

/** What an order made by hand names that the operator must have; undefined is asked nothing of. */
export interface OrderReferences {
  readonly propertyId: number | undefined
  readonly incomeMethodId: number | undefined
  /** Its nights in the property, which nobody may hold elsewhere. */
  readonly checkIn: string | undefined
  readonly checkOut: string | undefined
}

/** What may be in the way of an order made by hand. */
const CreateObstacles = Schema.Struct({
  existing: Schema.NullOr(OrderCodeAndStatus),
  property_known: Schema.Boolean,
  property_let: Schema.Boolean,
  method_known: Schema.Boolean,
  held_elsewhere: Schema.Array(ImportedBusyNight)
})
export type CreateObstacles = typeof CreateObstacles.Type

/** Of an order that was created; nulls where none was. */
const OrderCreation = Schema.Struct({
  reservation_code: Schema.NullOr(Schema.String),
  status: Schema.NullOr(OrderStatus)
})
export type OrderCreation = typeof OrderCreation.Type

const readCreateObstacles = makeSingleRowReader(CreateObstacles)
const readOrderCodeAndStatus = makeOptionalRowReader(OrderCodeAndStatus)
const readNights = makeRowsReader(Schema.Struct({ property_id: Schema.Int, day: Schema.String }))
const readCreated = rowUnlessNightTaken(OrderCreation)

/** Why an order was not made by hand: it is known already under the code, or names what is not the operator's or not let. */
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

/** Those of its nights in the property that somebody holds elsewhere. */
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
  /** Undefined: the order was called by the service. */
  readonly code: string | undefined
}

const incomeMethodIsListed = (sql: Sql, operatorId: number, id: number | undefined): Fragment =>
  id === undefined ? sql`true` : isListedIncomeMethodCondition(sql, operatorId, id)

/** The order a channel, or a caller by hand, knows under this id. */
export const findOrderByChannelId = (sql: Sql) => (operatorId: number, channelType: string, channelId: string) =>
  readOrderCodeAndStatus(sql`
      SELECT reservation_code, status FROM orders
      WHERE operator_id = ${operatorId} AND channel_id = ${channelId} AND channel_type = ${channelType}`)

/** Those of the nights that somebody holds. */
export const findTakenNights = (sql: Sql) => (operatorId: number, nights: ReadonlyArray<PropertyNight>) => {
  const properties = idsParameter(nights.map(({ property_id }) => property_id))
  const days = nights.map(({ day }) => day)
  const source = sql`unnest(${properties}::bigint[], ${days}::date[]) AS nights (property_id, day)`
  return readNights(sql`${nightsHeldByStaysSql(sql, operatorId, source)}`)
}

/** What a new order fills its rows with. */
interface CreateOrderParameters extends OrderReferences {
  readonly operatorId: number
  readonly order: NewOrderColumns
  readonly stays: ReadonlyArray<CodedStay>
  readonly received: ReceivedMoney | undefined
  readonly at: Date
}

/** The nights that the stays in the CTE `new_stay` hold. */
const selectNewNights = (sql: Sql): Fragment => sql`
  SELECT operator_id, property_id, day::date AS day, id AS stay_id, NULL::bigint AS taken_from
  FROM new_stay CROSS JOIN LATERAL generate_series(check_in_date, check_out_date - 1, interval '1 day') day
  WHERE holds`

/** The records that come into being with the order in the CTE `created_order`. */
const createdRecordsSql = (sql: Sql, withMoney: boolean): Fragment => {
  const createdOrder = sql`SELECT operator_id, ${stayRecordSql(sql)} AS record, '{}'::text[] AS fields FROM created_order`
  return withMoney
    ? sql`${createdOrder} UNION ALL ${createdOrDeletedRecordsSql(sql, "transaction", "received_entry")}`
    : createdOrder
}

const makeCreateStatement =
  (sql: Sql) =>
  ({ propertyId, checkIn, checkOut, incomeMethodId, stays, received, ...parameters }: CreateOrderParameters) => {
    const { operatorId, at } = parameters
    const recordCreatedEvents = recordEventSql(sql, "reservation_created", {
      from: sql`(SELECT new_stay.*, reservation_code FROM new_stay, created_order) created`,
      record: stayRecordSql(sql),
      fields: stayEventFields(sql),
      at
    })
    const preconditions = sql`${isPropertyActiveCondition(sql, operatorId, propertyId)} AND ${incomeMethodIsListed(sql, operatorId, incomeMethodId)}
      AND NOT EXISTS (${selectImportedBusyNights(sql, operatorId, { propertyId, checkIn, checkOut })})`
    return recordChange(sql, {
      change: sql`
        ${insertOrder(sql, parameters, preconditions)}, ${insertStays(sql, stays, "created_order")}, ${assignNightsSql(sql, selectNewNights(sql), at)},
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

/** The money that came with the order, by room; undefined when none came. */
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
 * Writes the order, its stays and guests, the nights they hold, the money that came with it, and the events, all or
 * nothing. Answers its code and status; nulls when it is known already, under this code or the channel's id, or names what
 * is not the operator's, not let, or a night that somebody holds elsewhere. Fails when a night is taken.
 *
 * Safe against everything at once: whoever creates the same order waits for the first and then finds it, whoever wants
 * the same night waits and then finds it held.
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
