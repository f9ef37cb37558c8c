import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms, touchedIn } from "../../../changes/on-record.ts"
import { recordEvent } from "../../../jobs/events/events.ts"
import { type Givens, inForms, partOf, type Value } from "../../../platform/database/forms.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../../platform/database/rows.ts"
import { giveNights, heldAmong, heldElsewhere } from "../../calendars/availability/calendar-days.ts"
import { incomeMethodListed, type Received, recordReceived } from "../../money/received.ts"
import { splitOver } from "../../money/shares.ts"
import { propertyKnown } from "../../properties/properties/belonging.ts"
import { propertyLet } from "../../properties/properties/letting.ts"
import { type GivenOrder, type NewOrder, Status } from "../orders/order.ts"
import { givenOrder, insertOrder } from "../orders/table.ts"
import { type CodedStay, insertStays, stayFields, stayRecord } from "../stays/table.ts"
import { asJson, NightElsewhere } from "./held-elsewhere.ts"
import { refusable, unlessTaken } from "./nights-taken.ts"
import { stayCodeOf } from "./rules/codes.ts"
import { heldNights, type Night } from "./rules/nights.ts"

// The SQL of orders that come into the service: one statement each.

type Sql = SqlClient.SqlClient

export const KnownOrder = Schema.Struct({ reservation_code: Schema.String, status: Status })
/** An order's code and present status. */
export type KnownOrder = typeof KnownOrder.Type

/** What an order made by hand names that the operator must have; undefined is asked nothing of. */
export interface NamedByOrder {
  readonly propertyId: number | undefined
  readonly methodId: number | undefined
  /** Its nights in the property, which nobody may hold elsewhere. */
  readonly checkIn: string | undefined
  readonly checkOut: string | undefined
}

const readWhy = onlyRowOf(
  Schema.Struct({
    existing: Schema.NullOr(KnownOrder),
    property_known: Schema.Boolean,
    property_let: Schema.Boolean,
    method_known: Schema.Boolean,
    held_elsewhere: Schema.Array(NightElsewhere)
  })
)
const readKnown = rowOf(KnownOrder)
const readNights = rowsOf(Schema.Struct({ property_id: Schema.Int, day: Schema.String }))
/** Of an order that was created, null where it was not. */
const readCreated = unlessTaken(
  Schema.Struct({ reservation_code: Schema.NullOr(Schema.String), status: Schema.NullOr(Status) })
)

/** Why an order was not made by hand: it is known already under the code, or names what is not the operator's or not let. */
export const whyNotCreated = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, code, methodId, ...named }: Givens<Asked>) => sql`
      SELECT ${
        code === undefined
          ? sql`NULL::jsonb`
          : sql`(SELECT jsonb_build_object('reservation_code', reservation_code, 'status', status)
              FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${code})`
      } AS existing,
        ${propertyKnown(sql, operatorId, named.propertyId)} AS property_known,
        ${propertyLet(sql, operatorId, named.propertyId)} AS property_let,
        ${methodListed(sql, operatorId, methodId)} AS method_known,
        ${asJson(sql, nightsElsewhere(sql, operatorId, named))} AS held_elsewhere`
  )
  return ({ operatorId, code, propertyId, methodId, checkIn, checkOut }: Asked) =>
    readWhy(statement({ operatorId, code, propertyId, methodId, checkIn, checkOut }))
}

/** Those of its nights in the property that somebody holds elsewhere. */
const nightsElsewhere = (
  sql: Sql,
  operatorId: Value<number>,
  { propertyId, checkIn, checkOut }: Pick<Givens<NamedByOrder>, "propertyId" | "checkIn" | "checkOut">
): Fragment =>
  propertyId === undefined || checkIn === undefined || checkOut === undefined
    ? sql`SELECT NULL::date AS day, NULL::text AS host WHERE false`
    : heldElsewhere(sql, operatorId, propertyId, { from: checkIn, before: checkOut })

interface Asked extends NamedByOrder {
  readonly operatorId: number
  /** Undefined: the order was called by the service. */
  readonly code: string | undefined
}

const methodListed = (sql: Sql, operatorId: Value<number>, id: Value<number> | undefined): Fragment =>
  id === undefined ? sql`true` : incomeMethodListed(sql, operatorId, id)

/** The order a channel, or a caller by hand, knows under this id. */
export const known = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, channelType, channelId }: Givens<Sold>) => sql`
      SELECT reservation_code, status FROM orders
      WHERE operator_id = ${operatorId} AND channel_id = ${channelId} AND channel_type = ${channelType}`
  )
  return (operatorId: number, channelType: string, channelId: string) =>
    readKnown(statement({ operatorId, channelType, channelId }))
}

interface Sold {
  readonly operatorId: number
  readonly channelType: string
  readonly channelId: string
}

/** Those of the nights that somebody holds. */
export const taken = (sql: Sql) => {
  const statement = inForms(sql, ({ operatorId, nights }: Givens<Wanted>) => {
    const properties = idsParameter(partOf(nights, (all) => all.map(({ property_id }) => property_id)))
    const days = partOf(nights, (all) => all.map(({ day }) => day))
    return heldAmong(
      sql,
      operatorId,
      sql`unnest(${properties}::bigint[], ${days}::date[]) AS nights (property_id, day)`
    )
  })
  return (operatorId: number, nights: ReadonlyArray<Night>) => readNights(statement({ operatorId, nights }))
}

interface Wanted {
  readonly operatorId: number
  readonly nights: ReadonlyArray<Night>
}

/** What a new order fills its rows with. */
interface Entered extends NamedByOrder {
  readonly operatorId: number
  readonly order: GivenOrder
  readonly stays: ReadonlyArray<CodedStay>
  readonly received: Received | undefined
  readonly at: Date
}

/** The nights that the stays in the CTE `new_stay` hold. */
const nightsOfNew = (sql: Sql): Fragment => sql`
  SELECT operator_id, property_id, day::date AS day, id AS stay_id, NULL::bigint AS taken_from
  FROM new_stay CROSS JOIN LATERAL generate_series(check_in_date, check_out_date - 1, interval '1 day') day
  WHERE holds`

/** The records that come into being with the order in the CTE `created_order`. */
const touchedByCreation = (sql: Sql, withMoney: boolean): Fragment => {
  const created = sql`SELECT operator_id, ${stayRecord(sql)} AS record, '{}'::text[] AS fields FROM created_order`
  return withMoney ? sql`${created} UNION ALL ${touchedIn(sql, "transaction", "received_entry")}` : created
}

const creation = (sql: Sql) =>
  onRecordInForms(sql, ({ propertyId, checkIn, checkOut, methodId, stays, received, ...entered }: Givens<Entered>) => {
    const { operatorId, at } = entered
    const recorded = recordEvent(sql, "reservation_created", {
      from: sql`(SELECT new_stay.*, reservation_code FROM new_stay, created_order) created`,
      record: stayRecord(sql),
      fields: stayFields(sql),
      at
    })
    const named = sql`${propertyLet(sql, operatorId, propertyId)} AND ${methodListed(sql, operatorId, methodId)}
      AND NOT EXISTS (${nightsElsewhere(sql, operatorId, { propertyId, checkIn, checkOut })})`
    return {
      change: sql`
        ${insertOrder(sql, entered, named)}, ${insertStays(sql, stays, "created_order")}, ${giveNights(sql, nightsOfNew(sql), at)},
        order_recorded AS (${recorded})${received === undefined ? sql`` : sql`, ${recordReceived(sql, received, at)}`}`,
      events: [],
      touched: touchedByCreation(sql, received !== undefined),
      outcome: sql`
        SELECT created_order.reservation_code, created_order.status FROM (SELECT) one LEFT JOIN created_order ON true`
    }
  })

const stayed = (order: NewOrder): ReadonlyArray<CodedStay> =>
  order.stays.map((stay, room) => ({
    ...stay,
    stay_code: stayCodeOf(order.reservation_code, room),
    holds: heldNights(order.status, stay).length > 0
  }))

/** The money that came with the order, by room; undefined when none came. */
const receivedWith = ({ received, currency, ...order }: NewOrder): Received | undefined => {
  if (received === null) return undefined
  const rooms = order.stays.map((stay, id) => ({ ...stay, id }))
  const shares = splitOver(received.amount, currency, rooms).map(({ stay_id, amount }) => ({
    stay_code: stayCodeOf(order.reservation_code, stay_id),
    amount
  }))
  return { ...received, operator_name: order.creator, shares }
}

const NOTHING: NamedByOrder = {
  propertyId: undefined,
  methodId: undefined,
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
export const create = (sql: Sql) => {
  const statement = creation(sql)
  const orRefused = refusable(sql)
  return (operatorId: number, order: NewOrder, at: Date, named: NamedByOrder = NOTHING) =>
    readCreated(
      orRefused(
        statement({
          operatorId,
          ...named,
          order: givenOrder(order, at),
          stays: stayed(order),
          received: receivedWith(order),
          at
        })
      )
    )
}
