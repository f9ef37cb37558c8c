import { Context, Data, Effect, flow, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { minorUnits } from "../../contract/money.ts"
import { rowUnless } from "../../database/constraints.ts"
import { idsParameter, jsonParameter } from "../../database/parameters.ts"
import { patiently } from "../../database/patience.ts"
import { onlyRowOf, rowOf, rowsOf } from "../../database/rows.ts"
import { savepoint } from "../../database/savepoint.ts"
import { recordEvent } from "../../events/events.ts"
import { sharesOf } from "../transactions/rules.ts"
import { stayCodeOf } from "./codes.ts"
import type { NewOrder } from "./new-order.ts"
import { heldNights, type Night } from "./nights.ts"
import { fourDecimals } from "./order-state.ts"
import { Status } from "./record.ts"

/** A night the order should hold belongs to another stay; nothing was written. */
export class NightTaken extends Data.TaggedError("NightTaken") {}

const Outcome = Schema.Struct({ code: Schema.String, status: Status })
/** An order's code and present status. */
export type Outcome = typeof Outcome.Type

const Ground = Schema.Struct({
  existing: Schema.NullOr(Outcome),
  propertyKnown: Schema.Boolean,
  methodKnown: Schema.Boolean
})

const readOutcome = rowOf(Outcome)
const readGround = onlyRowOf(Ground)
const readNights = rowsOf(Schema.Struct({ propertyId: Schema.Int, day: Schema.String }))
const readEntered = rowUnless(Schema.Struct({ code: Schema.NullOr(Schema.String) }), ({ name }) =>
  name === "one_holder_a_night" ? new NightTaken() : undefined
)

/** The SQL of orders that enter the service. */
export class OrderEntryStore extends Context.Service<OrderEntryStore>()("latchkey/resources/OrderEntryStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const refusable = flow(savepoint(sql), patiently)

    /** What the rules need to know before an order is made by hand. */
    const ground = (
      operatorId: number,
      wanted: { readonly code: string | undefined; readonly propertyId: number; readonly methodId: number }
    ) =>
      readGround(sql`
        SELECT ${
          wanted.code === undefined
            ? sql`NULL::jsonb`
            : sql`(SELECT jsonb_build_object('code', reservation_code, 'status', status)
                FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${wanted.code})`
        } AS existing,
          EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${wanted.propertyId}) AS "propertyKnown",
          EXISTS (SELECT FROM dictionary_entries
            WHERE operator_id = ${operatorId} AND dictionary = 'income_methods' AND id = ${wanted.methodId}) AS "methodKnown"`)

    /** The order a channel, or a caller by hand, knows under this id. */
    const known = (operatorId: number, channelType: string, channelId: string) =>
      readOutcome(sql`
        SELECT reservation_code AS code, status FROM orders
        WHERE operator_id = ${operatorId} AND channel_id = ${channelId} AND channel_type = ${channelType}`)

    /** Those of the nights that somebody holds. */
    const taken = (operatorId: number, nights: ReadonlyArray<Night>) =>
      readNights(sql`
        SELECT d.property_id AS "propertyId", d.day
        FROM unnest(${idsParameter(nights.map((night) => night.propertyId))}::bigint[],
          ${nights.map((night) => night.day)}::date[]) AS wanted (property_id, day)
        JOIN calendar_days d
          ON d.operator_id = ${operatorId} AND d.property_id = wanted.property_id AND d.day = wanted.day
        WHERE d.stay_id IS NOT NULL`)

    /** The CTEs that record the money that came with the order; none when none came. */
    const receivedWith = (order: NewOrder, at: Date): Fragment => {
      if (order.received === null) return sql.literal("")
      const { amount, itemId, paymentMethodId } = order.received
      // An amount that fits the currency, which whoever made the order checked.
      const units = Option.getOrThrow(minorUnits(Number(amount), order.currency))
      const rooms = order.stays.map((stay, room) => ({ id: room, revenue: fourDecimals(stay.revenue) }))
      const shares = sharesOf(units, order.currency, rooms).map((share) => ({
        stay_code: stayCodeOf(order.reservationCode, share.stayId),
        amount: share.amount
      }))
      return sql`, entry AS (
          INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at,
            order_id, status, operator_name, created_at, updated_at)
          SELECT operator_id, 'income', ${amount}::numeric, currency, ${itemId}::bigint, ${paymentMethodId}::bigint,
            ${at}::timestamptz, id, 'paid', ${order.creator}, ${at}::timestamptz, ${at}::timestamptz
          FROM entered
          RETURNING operator_id, id
        ), share AS (
          INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
          SELECT entry.operator_id, entry.id, stay.id, part.amount
          FROM entry, stay JOIN jsonb_to_recordset(${jsonParameter(shares)}::jsonb) AS part (stay_code text, amount numeric)
            ON part.stay_code = stay.stay_code
        ), entry_recorded AS (${recordEvent(sql, "transaction_created", {
          from: sql`entry`,
          record: sql`'transaction:' || id`,
          fields: { transaction_id: sql`id` },
          at
        })})`
    }

    /**
     * Writes the order, its stays and guests, the nights they hold, the money that came with it, and the events, all
     * or nothing. Answers its code, or null when the order is known already, under this code or the channel's id;
     * fails when a night is taken.
     *
     * Safe against everything at once: whoever enters the same order waits for the first and then finds it, whoever
     * wants the same night waits and then finds it held. Nights are taken in one order, so nobody waits in a circle.
     */
    const enter = (operatorId: number, order: NewOrder, at: Date) => {
      const stays = order.stays.map((stay, room) => ({
        ...stay,
        stayCode: stayCodeOf(order.reservationCode, room),
        nights: heldNights(order.status, stay).length > 0
      }))
      return readEntered(
        refusable(sql`
          WITH entered AS (
            INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, cancelled_at, currency,
              booked_at, created_at, creator, custom_channel_id, conversation_id, cancellation_policy_category)
            VALUES (${operatorId}, ${order.reservationCode}, ${order.channelType}, ${order.channelId}, ${order.status},
              ${order.status === "cancelled" ? at : null}::timestamptz, ${order.currency}, ${order.bookedAt}, ${at},
              ${order.creator}, ${order.customChannelId}, ${order.conversationId}, ${order.cancellationPolicyCategory})
            ON CONFLICT DO NOTHING
            RETURNING operator_id, id, reservation_code, currency
          ), given AS (
            SELECT * FROM jsonb_to_recordset(${jsonParameter(stays)}::jsonb) AS stay ("stayCode" text, nights boolean,
              "propertyId" bigint, "listingId" text, "checkIn" date, "checkOut" date, "numberOfGuests" integer,
              adults integer, children integer, infants integer, pets integer, "guestName" text, "guestPhone" text,
              "guestEmail" text, rate numeric, commission numeric, revenue numeric, "rateDetails" jsonb,
              "additionalFees" jsonb, remarks text, "channelRemarks" text, guests jsonb)
          ), stay AS (
            INSERT INTO stays (operator_id, order_id, stay_code, property_id, listing_id, check_in_date, check_out_date,
              number_of_guests, number_of_adults, number_of_children, number_of_infants, number_of_pets, guest_name,
              guest_phone, guest_email, rate, commission, accommodation_revenue, rate_details, additional_fees, remarks,
              channel_remarks)
            SELECT entered.operator_id, entered.id, "stayCode", "propertyId", "listingId", "checkIn", "checkOut",
              "numberOfGuests", adults, children, infants, pets, "guestName", "guestPhone", "guestEmail", rate,
              commission, revenue, nullif("rateDetails", 'null'), "additionalFees", remarks, "channelRemarks"
            FROM entered, given
            ORDER BY length("stayCode"), "stayCode"
            RETURNING operator_id, id, stay_code, property_id
          ), guest AS (
            INSERT INTO guests (operator_id, stay_id, name, phone, email, id_type, id_number, gender, country, is_booker)
            SELECT stay.operator_id, stay.id, name, phone, email, "idType", "idNumber", gender, country, "isBooker"
            FROM stay JOIN given ON given."stayCode" = stay.stay_code
            CROSS JOIN LATERAL jsonb_to_recordset(given.guests) AS person (name text, phone text, email text,
              "idType" text, "idNumber" text, gender text, country text, "isBooker" boolean)
          ), night AS (
            INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
            SELECT stay.operator_id, stay.property_id, day::date, stay.id
            FROM stay JOIN given ON given."stayCode" = stay.stay_code AND given.nights
            CROSS JOIN LATERAL generate_series(given."checkIn", given."checkOut" - 1, interval '1 day') day
            ORDER BY stay.property_id, day
            ON CONFLICT (operator_id, property_id, day) DO UPDATE SET stay_id = excluded.stay_id, taken_from = NULL
            RETURNING operator_id, property_id, day, closed
          ), gone AS (
            SELECT operator_id, property_id,
              jsonb_agg(jsonb_build_object('date', day, 'available', false) ORDER BY day) AS availabilities
            FROM night WHERE NOT closed GROUP BY operator_id, property_id
          ), created AS (
            SELECT stay.operator_id, reservation_code, stay_code, coalesce(property_id, 0) AS property_id FROM stay, entered
          ), order_recorded AS (${recordEvent(sql, "reservation_created", {
            from: sql`created`,
            record: sql`'reservation:' || reservation_code`,
            fields: {
              reservation_code: sql`reservation_code`,
              stay_code: sql`stay_code`,
              property_id: sql`property_id`
            },
            at
          })}), nights_recorded AS (${recordEvent(sql, "property_availability_updated", {
            from: sql`gone`,
            record: sql`'property:' || property_id`,
            fields: { property_id: sql`property_id`, availabilities: sql`availabilities` },
            at
          })})${receivedWith(order, at)}
          SELECT (SELECT reservation_code FROM entered) AS code`)
      )
    }

    return { ground, known, taken, enter }
  })
}) {
  static readonly layer = Layer.effect(OrderEntryStore, OrderEntryStore.make)
}
