import { Data, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { definitionsOf, pairsOf } from "../../../platform/database/columns.ts"
import { rowUnless } from "../../../platform/database/constraints.ts"
import { type Givens, inForms, partOf, type Value } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { giveNights, heldElsewhere, holdersOf, othersHoldNightsOf } from "../../calendars/availability/calendar-days.ts"
import { entriesAsRead, entriesOf, writeShares } from "../../money/shares.ts"
import { inTurn } from "../../own-row.ts"
import { propertyKnown } from "../../properties/properties/belonging.ts"
import { propertyLet } from "../../properties/properties/letting.ts"
import { OrderHead, OrderState } from "../orders/order.ts"
import { updateOrders } from "../orders/table.ts"
import { lastRoomOf, recordStayUpdates, stayStatesOf, updateStays } from "../stays/table.ts"
import { asJson, NightElsewhere } from "./held-elsewhere.ts"
import { NightTaken, refusable } from "./nights-taken.ts"
import { type OtherStays, ofNewStays, otherStays } from "./other-stays.ts"
import type { OrderChange } from "./rules/order-change.ts"

// The SQL of orders that change: two statements, one that reads what the rules need, one that changes all of it.

type Sql = SqlClient.SqlClient

/** Which order is meant, by its own code or by that of one of its stays. */
export type OrderKey = { readonly reservation_code: string } | { readonly stay_code: string }

const Found = Schema.Struct({
  order: Schema.NullOr(OrderState),
  /** Orders whose stays hold nights that the asked-for stay would take in another property. */
  in_the_way: Schema.Array(OrderState),
  property_known: Schema.Boolean,
  property_let: Schema.Boolean,
  /** Ids of stays of the order whose nights others hold. */
  kept: Schema.Array(Schema.Int),
  /** Nights that the asked-for stay would have in the other property, or by the other dates, and somebody holds elsewhere. */
  held_elsewhere: Schema.Array(NightElsewhere)
})
export type Found = typeof Found.Type

const readFound = onlyRowOf(Schema.toCodecJson(Found))

/** A stay that goes got a tag between reading and writing; nothing was written. */
class TaggedMeanwhile extends Data.TaggedError("TaggedMeanwhile") {}

const readApplied = rowUnless(Schema.Struct({ applied: Schema.Boolean }), ({ name }) => {
  if (name === "one_holder_a_night") return new NightTaken()
  return name === "stay_tags_operator_id_stay_id_fkey" ? new TaggedMeanwhile() : undefined
})

/** The order that is meant, as a condition on `orders o`. */
const isMeant = (sql: Sql, { operatorId, reservation_code, stay_code }: Givens<Sought>): Fragment => {
  const ofOperator = sql`o.operator_id = ${operatorId}`
  if (stay_code === undefined) return sql`${ofOperator} AND o.reservation_code = ${reservation_code ?? null}`
  return sql`${ofOperator}
    AND o.id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stay_code})`
}

interface Sought {
  readonly operatorId: number
  readonly reservation_code: string | undefined
  readonly stay_code: string | undefined
  readonly toProperty: number | undefined
  readonly toCheckIn: string | undefined
  readonly toCheckOut: string | undefined
}

/** Where a stay is to go; undefined leaves it as it is. */
export type Destination = Partial<Pick<Sought, "toProperty" | "toCheckIn" | "toCheckOut">>

/** The nights the stay would have there that somebody holds elsewhere. */
const nightsElsewhere = (
  sql: Sql,
  { operatorId, stay_code, toProperty, toCheckIn, toCheckOut }: Givens<Sought>
): Fragment => {
  const goesNowhere = toProperty === undefined && toCheckIn === undefined && toCheckOut === undefined
  if (goesNowhere || stay_code === undefined) return sql`SELECT NULL::date AS day, NULL::text AS host WHERE false`
  const nights = heldElsewhere(sql, operatorId, sql`${toProperty ?? sql`s.property_id`}`, {
    from: sql`${toCheckIn ?? sql`s.check_in_date`}`,
    before: sql`${toCheckOut ?? sql`s.check_out_date`}`
  })
  return sql`SELECT held.* FROM (SELECT * FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stay_code} OFFSET 0) s
    CROSS JOIN LATERAL (${nights} OFFSET 0) held`
}

/** An {@link OrderState} as JSON. */
const stateOf = (sql: Sql, order: string): Fragment => sql`jsonb_build_object(
  ${sql.literal(pairsOf(OrderHead, order))},
  'stays', ${stayStatesOf(sql, sql.literal(order))},
  'last_room', ${lastRoomOf(sql, sql.literal(order))}, 'entries', ${entriesOf(sql, sql.literal(order))})`

/**
 * Orders whose stays hold nights of a property that the stay would take there: from the stay over its nights to who holds
 * them. OFFSET 0 keeps this way; in tables it knows nothing of, PostgreSQL began with all stays, for each order.
 */
const ordersInTheWay = (
  sql: Sql,
  operatorId: Value<number>,
  propertyId: Value<number>,
  stayCode: Value<string>
): Fragment => sql`
  SELECT holder.order_id
  FROM (SELECT check_in_date, check_out_date FROM stays
    WHERE operator_id = ${operatorId} AND stay_code = ${stayCode} OFFSET 0) moving
  CROSS JOIN LATERAL (${holdersOf(sql, operatorId, propertyId, {
    from: sql`moving.check_in_date`,
    before: sql`moving.check_out_date`
  })} OFFSET 0) held
  CROSS JOIN LATERAL (SELECT s.order_id FROM stays s
    WHERE s.operator_id = ${operatorId} AND s.id = held.stay_id OFFSET 0) holder`

/**
 * The order, and, when one of its stays is to go to `toProperty`, the orders that are in the way there. `kept` names the
 * stays whose nights are with others, which matters for an order that is to be accepted.
 */
export const find = (sql: Sql) => {
  const statement = inForms(sql, (sought: Givens<Sought>) => {
    const { operatorId, stay_code, toProperty } = sought
    return sql`
      WITH wanted AS (
        SELECT o.* FROM orders o WHERE ${isMeant(sql, sought)}
      ), blocking AS (
        SELECT o.* FROM orders o WHERE o.operator_id = ${operatorId} AND ${
          toProperty === undefined || stay_code === undefined
            ? sql`false`
            : sql`o.id <> (SELECT id FROM wanted)
                AND o.id = ANY (ARRAY(${ordersInTheWay(sql, operatorId, toProperty, stay_code)}))`
        }
      )
      SELECT
        (SELECT ${stateOf(sql, "wanted")} FROM wanted) AS "order",
        (SELECT coalesce(jsonb_agg(${stateOf(sql, "blocking")} ORDER BY blocking.id), '[]') FROM blocking) AS in_the_way,
        ${propertyKnown(sql, operatorId, toProperty)} AS property_known,
        ${propertyLet(sql, operatorId, toProperty)} AS property_let,
        (SELECT coalesce(jsonb_agg(s.id ORDER BY s.id), '[]')
          FROM wanted JOIN stays s ON s.operator_id = wanted.operator_id AND s.order_id = wanted.id
          WHERE ${othersHoldNightsOf(sql, sql`s`)}) AS kept,
        ${asJson(sql, nightsElsewhere(sql, sought))} AS held_elsewhere`
  })
  return (operatorId: number, key: OrderKey, to: Destination = {}) =>
    readFound(
      statement({
        operatorId,
        reservation_code: "reservation_code" in key ? key.reservation_code : undefined,
        stay_code: "stay_code" in key ? key.stay_code : undefined,
        toProperty: to.toProperty,
        toCheckIn: to.toCheckIn,
        toCheckOut: to.toCheckOut
      })
    )
}

/** An order as it was read, and what is to become of it, by its rows. */
interface Applied extends OtherStays, Pick<OrderChange, "stays" | "nights" | "shares" | "updates" | "touched"> {
  readonly orders: ReadonlyArray<OrderHead>
  /** The entries that are split anew, as they were read. */
  readonly entries: OrderState["entries"]
}

/**
 * CTEs that lock the orders, and the entries that are split anew, in one order; `unchanged` has its row when all of them
 * are as they were read. A row that another change made newer while this one waited for it no longer has the version
 * asked for.
 */
const lockedAsRead = (sql: Sql, { operatorId, orders, entries }: Givens<Applied>): Fragment => sql`
  wanted_order AS (
    SELECT * FROM jsonb_to_recordset(${jsonParameter(orders)}::jsonb)
      AS wanted (${sql.literal(definitionsOf(OrderHead))})
  ), locked_order AS (
    SELECT o.id FROM orders o JOIN wanted_order ON wanted_order.id = o.id AND wanted_order.version = o.version
    WHERE o.operator_id = ${operatorId} ORDER BY o.id FOR NO KEY UPDATE OF o
  ), locked_entry AS (${entriesAsRead(sql, operatorId, entries)}),
  unchanged AS (
    SELECT FROM (SELECT) one WHERE (SELECT count(*) FROM locked_order) = ${partOf(orders, ({ length }) => length)}
      AND (SELECT count(*) FROM locked_entry) = ${partOf(entries, ({ length }) => length)}
  )`

/** What of a change has its rows in a parameter, while nothing changed meanwhile. */
const wantedRows = (
  sql: Sql,
  operatorId: Value<number>,
  rows: Value<ReadonlyArray<object>>,
  columns: string
): Fragment =>
  sql`SELECT ${operatorId}::bigint AS operator_id, wanted.*
    FROM unchanged, jsonb_to_recordset(${jsonParameter(rows)}::jsonb) AS wanted (${sql.literal(columns)})`

const application = (sql: Sql) =>
  onRecordInForms(sql, (applied: Givens<Applied>) => {
    const { operatorId, stays, at } = applied
    const wanted = (rows: Value<ReadonlyArray<object>>, columns: string) => wantedRows(sql, operatorId, rows, columns)
    const ofStays = (rows: Value<ReadonlyArray<object>>, columns: string, names: ReadonlyArray<string>) =>
      applied.added === undefined ? wanted(rows, columns) : ofNewStays(sql, wanted(rows, columns), names)
    const nights = ofStays(applied.nights, "property_id bigint, day date, stay_id bigint, taken_from bigint", [
      "property_id",
      "day",
      "taken_from"
    ])
    const shares = ofStays(applied.shares, "transaction_id bigint, stay_id bigint, amount numeric", [
      "transaction_id",
      "amount"
    ])
    const updated = "reservation_code text, stay_code text, property_id bigint, sub_event text"
    return {
      change: sql`
        ${lockedAsRead(sql, applied)}, ${updateOrders(sql, operatorId)},
        ${updateStays(sql, operatorId, stays)}, ${otherStays(sql, applied)} ${giveNights(sql, nights, at)},
        share AS (${writeShares(sql, shares)}), updated AS (${wanted(applied.updates, updated)})`,
      events: [
        recordStayUpdates(sql, { from: sql`updated WHERE sub_event IS NULL`, at }),
        recordStayUpdates(sql, { from: sql`updated WHERE sub_event IS NOT NULL`, subEvent: sql`sub_event`, at })
      ],
      touched: wanted(applied.touched, "record text, fields text[]"),
      outcome: sql`SELECT EXISTS (SELECT FROM unchanged) AS applied`
    }
  })

/**
 * Makes a change that was worked out from orders as they were read: all of it, or nothing and false when one of the
 * orders or entries is not as it was any more. Fails when a night it takes has another holder than the change says.
 * Orders are locked before nights, so that two changes never wait in a circle.
 */
export const apply = (sql: Sql) => {
  const statement = application(sql)
  const orRefused = refusable(sql)
  return (
    operatorId: number,
    { orders, stays, added, removed, nights, shares, updates, touched }: OrderChange,
    at: Date
  ) =>
    readApplied(
      orRefused(
        statement({
          operatorId,
          stays,
          added: added.length === 0 ? undefined : added,
          removed: removed.length === 0 ? undefined : removed,
          nights,
          shares,
          updates,
          touched,
          orders: orders.map(({ stays: _stays, last_room: _room, entries: _entries, ...head }) => head),
          entries: shares.length === 0 ? [] : orders.flatMap((order) => order.entries),
          at
        })
      )
    ).pipe(Effect.catchTag("TaggedMeanwhile", () => Effect.succeed({ applied: false })))
}

/**
 * Runs a change of orders while no other that queues runs, one at a time for each operator. The lock is not on the order,
 * because `apply` locks several in one order: whoever held one of them already could wait in a circle with another such
 * change, and giving way does not end that.
 */
export const queued = inTurn
