import { Context, Effect, flow, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { rowUnless } from "../../database/constraints.ts"
import { jsonParameter } from "../../database/parameters.ts"
import { patiently } from "../../database/patience.ts"
import { onlyRowOf } from "../../database/rows.ts"
import { savepoint } from "../../database/savepoint.ts"
import { recordEvent } from "../../events/events.ts"
import { NightTaken } from "./entry-store.ts"
import type { OrderChange } from "./order-change.ts"
import { Status } from "./record.ts"

const Text = Schema.NullOr(Schema.String)

const Stay = Schema.Struct({
  id: Schema.Int,
  stayCode: Schema.String,
  propertyId: Schema.NullOr(Schema.Int),
  checkIn: Schema.String,
  checkOut: Schema.String,
  numberOfGuests: Schema.Int,
  guestName: Text,
  guestPhone: Text,
  guestEmail: Text,
  rate: Schema.String,
  commission: Text,
  revenue: Schema.String,
  remarks: Schema.String
})

const Order = Schema.Struct({
  id: Schema.Int,
  version: Schema.Int,
  reservationCode: Schema.String,
  channelType: Schema.String,
  channelId: Schema.String,
  status: Status,
  cancelledAt: Schema.NullOr(Schema.DateFromString),
  currency: Schema.String,
  creator: Schema.String,
  customChannelId: Schema.NullOr(Schema.Int),
  stays: Schema.Array(Stay),
  entries: Schema.Array(Schema.Struct({ id: Schema.Int, amount: Schema.String }))
})

const Found = Schema.Struct({
  order: Schema.NullOr(Order),
  /** Orders whose stays hold nights that the asked-for stay would take in another property. */
  inTheWay: Schema.Array(Order),
  propertyKnown: Schema.Boolean,
  /** Ids of stays of the order whose nights others hold. */
  kept: Schema.Array(Schema.Int)
})
export type Found = typeof Found.Type

const readFound = onlyRowOf(Found)
const readApplied = rowUnless(Schema.Struct({ applied: Schema.Boolean }), ({ name }) =>
  name === "one_holder_a_night" ? new NightTaken() : undefined
)

/** Which order is meant, by its own code or by that of one of its stays. */
export type OrderKey = { readonly reservationCode: string } | { readonly stayCode: string }

/** The SQL of orders that change: one statement that reads what the rules need, one that changes all of it. */
export class OrderChangeStore extends Context.Service<OrderChangeStore>()("latchkey/resources/OrderChangeStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const refusable = flow(savepoint(sql), patiently)

    /** The order of a key, as a condition on `orders o`. */
    const isMeant = (operatorId: number, key: OrderKey): Fragment =>
      sql`o.operator_id = ${operatorId} AND ${
        "stayCode" in key
          ? sql`o.id = (SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${key.stayCode})`
          : sql`o.reservation_code = ${key.reservationCode}`
      }`

    const stateOf = (order: Fragment): Fragment => sql`jsonb_build_object(
      'id', ${order}.id, 'version', ${order}.version, 'reservationCode', ${order}.reservation_code,
      'channelType', ${order}.channel_type, 'channelId', ${order}.channel_id, 'status', ${order}.status,
      'cancelledAt', ${order}.cancelled_at, 'currency', ${order}.currency, 'creator', ${order}.creator,
      'customChannelId', ${order}.custom_channel_id,
      'stays', (SELECT jsonb_agg(jsonb_build_object('id', s.id, 'stayCode', s.stay_code, 'propertyId', s.property_id,
          'checkIn', s.check_in_date, 'checkOut', s.check_out_date, 'numberOfGuests', s.number_of_guests,
          'guestName', s.guest_name, 'guestPhone', s.guest_phone, 'guestEmail', s.guest_email, 'rate', s.rate::text,
          'commission', s.commission::text, 'revenue', s.accommodation_revenue::text, 'remarks', s.remarks) ORDER BY s.id)
        FROM stays s WHERE s.operator_id = ${order}.operator_id AND s.order_id = ${order}.id),
      'entries', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'amount', t.amount::text) ORDER BY t.id), '[]')
        FROM transactions t WHERE t.operator_id = ${order}.operator_id AND t.order_id = ${order}.id))`

    /**
     * Orders whose stays hold nights of a property that the stay would take there: from the stay over its nights to who
     * holds them. OFFSET 0 keeps this way; in tables it knows nothing of, PostgreSQL began with all stays, for each order.
     */
    const holdersIn = (operatorId: number, property: number, stayCode: string): Fragment => sql`
      SELECT holder.order_id
      FROM (SELECT check_in_date, check_out_date FROM stays
        WHERE operator_id = ${operatorId} AND stay_code = ${stayCode} OFFSET 0) moving
      CROSS JOIN LATERAL (SELECT DISTINCT d.stay_id FROM calendar_days d
        WHERE d.operator_id = ${operatorId} AND d.property_id = ${property}
          AND d.day >= moving.check_in_date AND d.day < moving.check_out_date AND d.stay_id IS NOT NULL OFFSET 0) held
      CROSS JOIN LATERAL (SELECT s.order_id FROM stays s
        WHERE s.operator_id = ${operatorId} AND s.id = held.stay_id OFFSET 0) holder`

    /**
     * The order, and, when one of its stays is to go to `toProperty`, the orders that are in the way there. `kept` names
     * the stays whose nights are with others, which matters for an order that is to be accepted.
     */
    const find = (operatorId: number, key: OrderKey, toProperty?: number) =>
      readFound(sql`
        WITH wanted AS (
          SELECT o.* FROM orders o WHERE ${isMeant(operatorId, key)}
        ), blocking AS (
          SELECT o.* FROM orders o WHERE o.operator_id = ${operatorId} AND ${
            toProperty === undefined || !("stayCode" in key)
              ? sql`false`
              : sql`o.id <> (SELECT id FROM wanted)
                  AND o.id = ANY (ARRAY(${holdersIn(operatorId, toProperty, key.stayCode)}))`
          }
        )
        SELECT
          (SELECT ${stateOf(sql`wanted`)} FROM wanted) AS "order",
          (SELECT coalesce(jsonb_agg(${stateOf(sql`blocking`)} ORDER BY blocking.id), '[]') FROM blocking) AS "inTheWay",
          ${
            toProperty === undefined
              ? sql`true`
              : sql`EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${toProperty})`
          } AS "propertyKnown",
          (SELECT coalesce(jsonb_agg(DISTINCT s.id), '[]')
            FROM wanted JOIN stays s ON s.operator_id = wanted.operator_id AND s.order_id = wanted.id
            JOIN calendar_days d ON d.operator_id = s.operator_id AND d.property_id = s.property_id
              AND d.day >= s.check_in_date AND d.day < s.check_out_date AND d.stay_id <> s.id) AS kept`)

    const record = sql`'reservation:' || reservation_code`
    const stayFields = {
      reservation_code: sql`reservation_code`,
      stay_code: sql`stay_code`,
      property_id: sql`property_id`
    }

    /**
     * Makes a change that was worked out from orders as they were read: all of it, or nothing and false when one of the
     * orders or entries is not as it was any more. Fails when a night it takes has another holder than the change says.
     *
     * The orders are locked in one order and then the nights in one order, so that two changes never wait in a circle.
     * A row that another change made newer while this one waited for it no longer has the version asked for.
     */
    const apply = (operatorId: number, change: OrderChange, at: Date) => {
      const orders = change.orders.map((order) => ({ ...order, stays: undefined, entries: undefined }))
      const entries = change.shares.length === 0 ? [] : change.orders.flatMap((order) => order.entries)
      return readApplied(
        refusable(sql`
          WITH wanted_order AS (
            SELECT * FROM jsonb_to_recordset(${jsonParameter(orders)}::jsonb) AS wanted (id bigint, version bigint,
              status text, "cancelledAt" timestamptz, currency text, creator text, "customChannelId" bigint)
          ), locked_order AS (
            SELECT o.id FROM orders o JOIN wanted_order ON wanted_order.id = o.id AND wanted_order.version = o.version
            WHERE o.operator_id = ${operatorId} ORDER BY o.id FOR NO KEY UPDATE OF o
          ), locked_entry AS (
            SELECT t.id FROM transactions t
            JOIN jsonb_to_recordset(${jsonParameter(entries)}::jsonb) AS known (id bigint, amount numeric)
              ON known.id = t.id AND known.amount = t.amount
            WHERE t.operator_id = ${operatorId} ORDER BY t.id FOR NO KEY UPDATE OF t
          ), unchanged AS (
            SELECT FROM (SELECT) one WHERE (SELECT count(*) FROM locked_order) = ${orders.length}
              AND (SELECT count(*) FROM locked_entry) = ${entries.length}
          ), changed_order AS (
            UPDATE orders o SET version = o.version + 1, status = wanted_order.status,
              cancelled_at = wanted_order."cancelledAt", currency = wanted_order.currency, creator = wanted_order.creator,
              custom_channel_id = wanted_order."customChannelId"
            FROM wanted_order, unchanged WHERE o.operator_id = ${operatorId} AND o.id = wanted_order.id
          ), changed_stay AS (
            UPDATE stays s SET property_id = wanted."propertyId", check_in_date = wanted."checkIn",
              check_out_date = wanted."checkOut", number_of_guests = wanted."numberOfGuests",
              number_of_adults = CASE WHEN s.number_of_guests = wanted."numberOfGuests" THEN s.number_of_adults
                ELSE greatest(wanted."numberOfGuests" - s.number_of_children - s.number_of_infants, 0) END,
              guest_name = wanted."guestName", guest_phone = wanted."guestPhone", guest_email = wanted."guestEmail",
              rate = wanted.rate, commission = wanted.commission, accommodation_revenue = wanted.revenue,
              remarks = wanted.remarks
            FROM unchanged, jsonb_to_recordset(${jsonParameter(change.stays)}::jsonb) AS wanted (id bigint,
              "propertyId" bigint, "checkIn" date, "checkOut" date, "numberOfGuests" integer, "guestName" text,
              "guestPhone" text, "guestEmail" text, rate numeric, commission numeric, revenue numeric, remarks text)
            WHERE s.operator_id = ${operatorId} AND s.id = wanted.id
          ), night AS (
            INSERT INTO calendar_days (operator_id, property_id, day, stay_id, taken_from)
            SELECT ${operatorId}, wanted."propertyId", wanted.day, wanted."stayId", wanted."takenFrom"
            FROM unchanged, jsonb_to_recordset(${jsonParameter(change.nights)}::jsonb) AS wanted ("propertyId" bigint,
              day date, "stayId" bigint, "takenFrom" bigint)
            ORDER BY wanted."propertyId", wanted.day
            ON CONFLICT (operator_id, property_id, day)
              DO UPDATE SET stay_id = excluded.stay_id, taken_from = excluded.taken_from
            RETURNING operator_id, property_id, day, closed, stay_id, taken_from
          ), turned AS (
            SELECT operator_id, property_id,
              jsonb_agg(jsonb_build_object('date', day, 'available', stay_id IS NULL) ORDER BY day) AS availabilities
            FROM night WHERE NOT closed AND taken_from IS NULL GROUP BY operator_id, property_id
          ), share AS (
            INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
            SELECT ${operatorId}, wanted."transactionId", wanted."stayId", wanted.amount
            FROM unchanged, jsonb_to_recordset(${jsonParameter(change.shares)}::jsonb) AS wanted ("transactionId" bigint,
              "stayId" bigint, amount numeric)
            ON CONFLICT (operator_id, transaction_id, stay_id) DO UPDATE SET amount = excluded.amount
          ), updated AS (
            SELECT ${operatorId}::bigint AS operator_id, wanted."reservationCode" AS reservation_code,
              wanted."stayCode" AS stay_code, coalesce(wanted."propertyId", 0) AS property_id,
              wanted."subEvent" AS sub_event
            FROM unchanged, jsonb_to_recordset(${jsonParameter(change.updates)}::jsonb) AS wanted (
              "reservationCode" text, "stayCode" text, "propertyId" bigint, "subEvent" text)
          ), updates_recorded AS (${recordEvent(sql, "reservation_updated", {
            from: sql`updated WHERE sub_event IS NULL`,
            record,
            fields: stayFields,
            at
          })}), sub_events_recorded AS (${recordEvent(sql, "reservation_updated", {
            from: sql`updated WHERE sub_event IS NOT NULL`,
            record,
            fields: { ...stayFields, sub_event: sql`sub_event` },
            at
          })}), nights_recorded AS (${recordEvent(sql, "property_availability_updated", {
            from: sql`turned`,
            record: sql`'property:' || property_id`,
            fields: { property_id: sql`property_id`, availabilities: sql`availabilities` },
            at
          })})
          SELECT EXISTS (SELECT FROM unchanged) AS applied`)
      )
    }

    /**
     * Runs a change of orders while no other that queues runs, one at a time for each operator: in a transaction that
     * begins by locking the operator. The lock is not on the order, because `apply` locks several in one order: whoever
     * held one of them already could wait in a circle with another such change, and giving way does not end that.
     */
    const queued = <A, E>(operatorId: number, change: Effect.Effect<A, E>): Effect.Effect<A, E> => {
      const lock = sql`SELECT FROM operators WHERE id = ${operatorId} FOR NO KEY UPDATE`
      return sql
        .withTransaction(Effect.andThen(lock, Effect.result(change)))
        .pipe(Effect.orDie, Effect.flatMap(Effect.fromResult))
    }

    return { find, apply, queued }
  })
}) {
  static readonly layer = Layer.effect(OrderChangeStore, OrderChangeStore.make)
}
