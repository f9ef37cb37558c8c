import { Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { onRecord, touchedIn } from "../../changes/on-record.ts"
import { definitionsOf, pairsOf } from "../../database/columns.ts"
import { rowUnless } from "../../database/constraints.ts"
import { idsParameter, jsonParameter } from "../../database/parameters.ts"
import { patiently } from "../../database/patience.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../database/rows.ts"
import { savepoint } from "../../database/savepoint.ts"
import { recordEvent } from "../../events/events.ts"
import { giveNights, heldAmong, holdersOf, othersHoldNightsOf } from "../availability/calendar-days.ts"
import { type NewOrder, OrderHead, OrderState, Status } from "../orders/order.ts"
import { insertOrder, updateOrders } from "../orders/table.ts"
import { propertyKnown } from "../properties/belonging.ts"
import { insertStays, recordStayUpdates, stayFields, stayRecord, stayStatesOf, updateStays } from "../stays/table.ts"
import { ownIncomeMethod, recordReceived } from "../transactions/received.ts"
import { entriesAsRead, entriesOf, splitOver, writeShares } from "../transactions/shares.ts"
import { stayCodeOf } from "./rules/codes.ts"
import { heldNights, type Night } from "./rules/nights.ts"
import type { OrderChange } from "./rules/order-change.ts"

// The SQL of orders that come into the service and change in it. A new order is one statement; a change is two: one that
// reads what the rules need, one that changes all of it.

/** A night the order should hold belongs to another stay; nothing was written. */
export class NightTaken extends Data.TaggedError("NightTaken") {}

/** Which order is meant, by its own code or by that of one of its stays. */
export type OrderKey = { readonly reservation_code: string } | { readonly stay_code: string }

export const KnownOrder = Schema.Struct({ reservation_code: Schema.String, status: Status })
/** An order's code and present status. */
export type KnownOrder = typeof KnownOrder.Type

const Preconditions = Schema.Struct({
  existing: Schema.NullOr(KnownOrder),
  property_known: Schema.Boolean,
  method_known: Schema.Boolean
})

const Found = Schema.Struct({
  order: Schema.NullOr(OrderState),
  /** Orders whose stays hold nights that the asked-for stay would take in another property. */
  in_the_way: Schema.Array(OrderState),
  property_known: Schema.Boolean,
  /** Ids of stays of the order whose nights others hold. */
  kept: Schema.Array(Schema.Int)
})
export type Found = typeof Found.Type

const unlessTaken = <A>(row: Schema.ConstraintDecoder<A>) =>
  rowUnless(row, ({ name }) => (name === "one_holder_a_night" ? new NightTaken() : undefined))

const readKnown = rowOf(KnownOrder)
const readPreconditions = onlyRowOf(Preconditions)
const readNights = rowsOf(Schema.Struct({ property_id: Schema.Int, day: Schema.String }))
/** Of an order that was created, null where it was known already. */
const readCreated = unlessTaken(
  Schema.Struct({ reservation_code: Schema.NullOr(Schema.String), status: Schema.NullOr(Status) })
)
const readFound = onlyRowOf(Schema.toCodecJson(Found))
const readApplied = unlessTaken(Schema.Struct({ applied: Schema.Boolean }))

/** A statement that a night's holder may refuse, run again when the database gave it up for another one's sake. */
const refusable =
  (sql: SqlClient.SqlClient) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
    patiently(savepoint(sql)(statement))

/** What the rules need to know before an order is made by hand. */
const preconditions =
  (sql: SqlClient.SqlClient) =>
  (
    operatorId: number,
    wanted: { readonly code: string | undefined; readonly propertyId: number; readonly methodId: number }
  ) =>
    readPreconditions(sql`
      SELECT ${
        wanted.code === undefined
          ? sql`NULL::jsonb`
          : sql`(SELECT jsonb_build_object('reservation_code', reservation_code, 'status', status)
              FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${wanted.code})`
      } AS existing,
        ${propertyKnown(sql, operatorId, wanted.propertyId)} AS property_known,
        ${ownIncomeMethod(sql, operatorId, wanted.methodId)} AS method_known`)

/** The order a channel, or a caller by hand, knows under this id. */
const known = (sql: SqlClient.SqlClient) => (operatorId: number, channelType: string, channelId: string) =>
  readKnown(sql`
    SELECT reservation_code, status FROM orders
    WHERE operator_id = ${operatorId} AND channel_id = ${channelId} AND channel_type = ${channelType}`)

/** Those of the nights that somebody holds. */
const taken = (sql: SqlClient.SqlClient) => (operatorId: number, nights: ReadonlyArray<Night>) => {
  const wanted = sql`unnest(${idsParameter(nights.map((night) => night.property_id))}::bigint[],
    ${nights.map((night) => night.day)}::date[]) AS nights (property_id, day)`
  return readNights(sql`${heldAmong(sql, operatorId, wanted)}`)
}

/** The CTEs that record the money that came with an order; none when none came. */
const receivedWith = (sql: SqlClient.SqlClient, order: NewOrder, at: Date): Fragment => {
  if (order.received === null) return sql.literal("")
  const { received, currency } = order
  const rooms = order.stays.map((stay, id) => ({ ...stay, id }))
  const shares = splitOver(received.amount, currency, rooms).map(({ stay_id, amount }) => ({
    stay_code: stayCodeOf(order.reservation_code, stay_id),
    amount
  }))
  return sql`, ${recordReceived(sql, { ...received, operator_name: order.creator, shares }, at)}`
}

/** The records that come into being with the order in the CTE `created_order`. */
const touchedByCreation = (sql: SqlClient.SqlClient, order: NewOrder): Fragment => {
  const created = sql`SELECT operator_id, ${stayRecord(sql)} AS record, '{}'::text[] AS fields FROM created_order`
  return order.received === null
    ? created
    : sql`${created} UNION ALL ${touchedIn(sql, "transaction", "received_entry")}`
}

/**
 * Writes the order, its stays and guests, the nights they hold, the money that came with it, and the events, all or
 * nothing. Answers its code and status, or nulls when the order is known already, under this code or the channel's id;
 * fails when a night is taken.
 *
 * Safe against everything at once: whoever creates the same order waits for the first and then finds it, whoever wants
 * the same night waits and then finds it held.
 */
const create = (sql: SqlClient.SqlClient) => (operatorId: number, order: NewOrder, at: Date) => {
  const stays = order.stays.map((stay, room) => ({
    ...stay,
    stay_code: stayCodeOf(order.reservation_code, room),
    holds: heldNights(order.status, stay).length > 0
  }))
  const nights = sql`
    SELECT operator_id, property_id, day::date AS day, id AS stay_id, NULL::bigint AS taken_from
    FROM new_stay CROSS JOIN LATERAL generate_series(check_in_date, check_out_date - 1, interval '1 day') day
    WHERE holds`
  const recorded = recordEvent(sql, "reservation_created", {
    from: sql`(SELECT new_stay.*, reservation_code FROM new_stay, created_order) created`,
    record: stayRecord(sql),
    fields: stayFields(sql),
    at
  })
  return readCreated(
    refusable(sql)(
      onRecord(sql, {
        change: sql`
          ${insertOrder(sql, operatorId, order, at)}, ${insertStays(sql, stays)}, ${giveNights(sql, nights, at)},
          order_recorded AS (${recorded})${receivedWith(sql, order, at)}`,
        events: [],
        touched: touchedByCreation(sql, order),
        outcome: sql`
          SELECT created_order.reservation_code, created_order.status FROM (SELECT) one LEFT JOIN created_order ON true`
      })
    )
  )
}

/** The order of a key, as a condition on `orders o`. */
const isMeant = (sql: SqlClient.SqlClient, operatorId: number, key: OrderKey): Fragment =>
  sql`o.operator_id = ${operatorId} AND ${
    "stay_code" in key
      ? sql`o.id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${key.stay_code})`
      : sql`o.reservation_code = ${key.reservation_code}`
  }`

/** An {@link OrderState} as JSON. */
const stateOf = (sql: SqlClient.SqlClient, order: string): Fragment => sql`jsonb_build_object(
  ${sql.literal(pairsOf(OrderHead, order))},
  'stays', ${stayStatesOf(sql, sql.literal(order))}, 'entries', ${entriesOf(sql, sql.literal(order))})`

/**
 * Orders whose stays hold nights of a property that the stay would take there: from the stay over its nights to who holds
 * them. OFFSET 0 keeps this way; in tables it knows nothing of, PostgreSQL began with all stays, for each order.
 */
const ordersInTheWay = (
  sql: SqlClient.SqlClient,
  operatorId: number,
  propertyId: number,
  stayCode: string
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
const find = (sql: SqlClient.SqlClient) => (operatorId: number, key: OrderKey, toProperty?: number) =>
  readFound(sql`
    WITH wanted AS (
      SELECT o.* FROM orders o WHERE ${isMeant(sql, operatorId, key)}
    ), blocking AS (
      SELECT o.* FROM orders o WHERE o.operator_id = ${operatorId} AND ${
        toProperty === undefined || !("stay_code" in key)
          ? sql`false`
          : sql`o.id <> (SELECT id FROM wanted)
              AND o.id = ANY (ARRAY(${ordersInTheWay(sql, operatorId, toProperty, key.stay_code)}))`
      }
    )
    SELECT
      (SELECT ${stateOf(sql, "wanted")} FROM wanted) AS "order",
      (SELECT coalesce(jsonb_agg(${stateOf(sql, "blocking")} ORDER BY blocking.id), '[]') FROM blocking) AS in_the_way,
      ${propertyKnown(sql, operatorId, toProperty)} AS property_known,
      (SELECT coalesce(jsonb_agg(s.id ORDER BY s.id), '[]')
        FROM wanted JOIN stays s ON s.operator_id = wanted.operator_id AND s.order_id = wanted.id
        WHERE ${othersHoldNightsOf(sql, sql`s`)}) AS kept`)

/**
 * CTEs that lock the orders, and the entries that are split anew, in one order; `unchanged` has its row when all of them
 * are as they were read. A row that another change made newer while this one waited for it no longer has the version
 * asked for.
 */
const lockedAsRead = (sql: SqlClient.SqlClient, operatorId: number, change: OrderChange): Fragment => {
  const orders = change.orders.map(({ stays: _stays, entries: _entries, ...head }) => head)
  const entries = change.shares.length === 0 ? [] : change.orders.flatMap((order) => order.entries)
  return sql`
    wanted_order AS (
      SELECT * FROM jsonb_to_recordset(${jsonParameter(orders)}::jsonb)
        AS wanted (${sql.literal(definitionsOf(OrderHead))})
    ), locked_order AS (
      SELECT o.id FROM orders o JOIN wanted_order ON wanted_order.id = o.id AND wanted_order.version = o.version
      WHERE o.operator_id = ${operatorId} ORDER BY o.id FOR NO KEY UPDATE OF o
    ), locked_entry AS (${entriesAsRead(sql, operatorId, entries)}),
    unchanged AS (
      SELECT FROM (SELECT) one WHERE (SELECT count(*) FROM locked_order) = ${orders.length}
        AND (SELECT count(*) FROM locked_entry) = ${entries.length}
    )`
}

/** What of a change has its rows in a parameter, while nothing changed meanwhile. */
const wantedRows = (sql: SqlClient.SqlClient, operatorId: number, rows: ReadonlyArray<object>, columns: string) =>
  sql`SELECT ${operatorId}::bigint AS operator_id, wanted.*
    FROM unchanged, jsonb_to_recordset(${jsonParameter(rows)}::jsonb) AS wanted (${sql.literal(columns)})`

/**
 * Makes a change that was worked out from orders as they were read: all of it, or nothing and false when one of the
 * orders or entries is not as it was any more. Fails when a night it takes has another holder than the change says.
 * Orders are locked before nights, so that two changes never wait in a circle.
 */
const apply = (sql: SqlClient.SqlClient) => (operatorId: number, change: OrderChange, at: Date) => {
  const wanted = (rows: ReadonlyArray<object>, columns: string) => wantedRows(sql, operatorId, rows, columns)
  const nights = wanted(change.nights, "property_id bigint, day date, stay_id bigint, taken_from bigint")
  const shares = wanted(change.shares, "transaction_id bigint, stay_id bigint, amount numeric")
  const updated = "reservation_code text, stay_code text, property_id bigint, sub_event text"
  return readApplied(
    refusable(sql)(
      onRecord(sql, {
        change: sql`
          ${lockedAsRead(sql, operatorId, change)}, ${updateOrders(sql, operatorId)},
          ${updateStays(sql, operatorId, change.stays)}, ${giveNights(sql, nights, at)},
          share AS (${writeShares(sql, shares)}), updated AS (${wanted(change.updates, updated)})`,
        events: [
          recordStayUpdates(sql, { from: sql`updated WHERE sub_event IS NULL`, at }),
          recordStayUpdates(sql, {
            from: sql`updated WHERE sub_event IS NOT NULL`,
            subEvent: sql`sub_event`,
            at
          })
        ],
        touched: wanted(change.touched, "record text, fields text[]"),
        outcome: sql`SELECT EXISTS (SELECT FROM unchanged) AS applied`
      })
    )
  )
}

/**
 * Runs a change of orders while no other that queues runs, one at a time for each operator: in a transaction that begins
 * by locking the operator. The lock is not on the order, because `apply` locks several in one order: whoever held one of
 * them already could wait in a circle with another such change, and giving way does not end that.
 */
const queued =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(operatorId: number, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const lock = sql`SELECT FROM operators WHERE id = ${operatorId} FOR NO KEY UPDATE`
    return sql
      .withTransaction(Effect.andThen(lock, Effect.result(change)))
      .pipe(Effect.orDie, Effect.flatMap(Effect.fromResult))
  }

export class OrderStore extends Context.Service<OrderStore>()("latchkey/resources/OrderStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    preconditions: preconditions(sql),
    known: known(sql),
    taken: taken(sql),
    create: create(sql),
    find: find(sql),
    apply: apply(sql),
    queued: queued(sql)
  }))
}) {
  static readonly layer = Layer.effect(OrderStore, OrderStore.make)
}
