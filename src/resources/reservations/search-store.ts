import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../contract/page.ts"
import { onlyRowOf, rowsOf } from "../../database/rows.ts"
import type { OrderBy } from "./contract.ts"
import type { Days } from "./filters.ts"
import {
  AdditionalFee,
  type ChannelType,
  CheckInGuideImage,
  CustomFields,
  Guest,
  IdRequired,
  RateDetail,
  Reservation,
  Status,
  StayStatus
} from "./record.ts"

/** Which stays a search means; what is undefined does not narrow it. */
export interface Search {
  readonly reservationCode: string | undefined
  readonly id: number | undefined
  readonly channelId: string | undefined
  readonly propertyId: number | undefined
  readonly status: Status | undefined
  readonly channelType: ChannelType | undefined
  readonly checkIn: Days | undefined
  readonly checkOut: Days | undefined
}

const Text = Schema.NullOr(Schema.String)

const StayRow = Schema.Struct({
  id: Schema.Int,
  reservation_code: Schema.String,
  stay_code: Schema.String,
  channel_id: Schema.String,
  channel_type: Schema.String,
  property_id: Schema.NullOr(Schema.Int),
  listing_id: Text,
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_guests: Schema.Int,
  number_of_adults: Schema.Int,
  number_of_children: Schema.Int,
  number_of_infants: Schema.Int,
  number_of_pets: Schema.Int,
  status: Status,
  stay_status: StayStatus,
  guest_name: Text,
  guest_phone: Text,
  guest_email: Text,
  cancelled_at: Schema.NullOr(Schema.Date),
  booked_at: Schema.Date,
  created_at: Schema.Date,
  creator: Schema.String,
  currency: Schema.String,
  custom_channel_id: Schema.NullOr(Schema.Int),
  cancellation_policy_category: Text,
  conversation_id: Text,
  /** Amounts in decimal text; the totals are the whole order's. */
  rate: Schema.String,
  commission: Text,
  revenue: Schema.String,
  total_rate: Schema.String,
  total_commission: Text,
  received: Schema.String,
  rate_details: Schema.NullOr(Schema.Array(RateDetail)),
  additional_fees: Schema.Array(AdditionalFee),
  arrival_at: Reservation.fields.check_in_details.fields.arrival_at,
  departure_at: Reservation.fields.check_in_details.fields.departure_at,
  lock_code: Text,
  lock_code_visible_after: Text,
  deposit: Text,
  id_required: IdRequired,
  check_in_guide_url: Schema.String,
  remarks: Schema.String,
  channel_remarks: Schema.String,
  custom_fields: Schema.NullOr(CustomFields),
  tags: Schema.Array(Schema.String),
  guests: Schema.Array(Guest),
  checkin_guide_images: Schema.Array(CheckInGuideImage)
})
export type StayRow = typeof StayRow.Type

const readStays = rowsOf(StayRow)
const readKnown = onlyRowOf(Schema.Struct({ known: Schema.Boolean }))

/** Finding reservations: one statement a page, whatever the number of stays, guests and images on it. */
export class ReservationSearch extends Context.Service<ReservationSearch>()("latchkey/resources/ReservationSearch", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const conditions = (operatorId: number, search: Search): ReadonlyArray<Fragment> => {
      const all: Array<Fragment> = [sql`s.operator_id = ${operatorId}`, sql`o.operator_id = ${operatorId}`]
      if (search.reservationCode !== undefined) {
        // The code of the order or of any of its stays, as everywhere an order is named. Found first and by itself: a
        // plan from when the tables were empty would else join all orders with all stays.
        all.push(sql`o.id = ANY (ARRAY(
          SELECT id FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${search.reservationCode}
          UNION SELECT order_id FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${search.reservationCode}))`)
      }
      if (search.id !== undefined) all.push(sql`s.id = ${search.id}`)
      if (search.channelId !== undefined) all.push(sql`o.channel_id = ${search.channelId}`)
      if (search.propertyId !== undefined) all.push(sql`s.property_id = ${search.propertyId}`)
      if (search.status !== undefined) all.push(sql`o.status = ${search.status}`)
      if (search.channelType !== undefined) all.push(sql`o.channel_type = ${search.channelType}`)
      if (search.checkIn !== undefined) {
        all.push(sql`s.check_in_date BETWEEN ${search.checkIn.start} AND ${search.checkIn.end}`)
      }
      if (search.checkOut !== undefined) {
        all.push(sql`s.check_out_date BETWEEN ${search.checkOut.start} AND ${search.checkOut.end}`)
      }
      return all
    }

    // Latest first; each is the order of an index, so that a page reads no more rows than it shows.
    const ORDERS: Readonly<Record<OrderBy, Fragment>> = {
      booked_at: sql`o.booked_at DESC, o.id DESC, s.id`,
      created_at: sql`o.created_at DESC, o.id DESC, s.id`,
      cancelled_at: sql`o.cancelled_at DESC NULLS LAST, o.id DESC, s.id`,
      check_in_date: sql`s.check_in_date DESC, s.id DESC`,
      check_out_date: sql`s.check_out_date DESC, s.id DESC`
    }

    const clock = (column: Fragment): Fragment => sql`CASE WHEN ${column} IS NOT NULL THEN jsonb_build_object(
      'hour', extract(hour FROM ${column})::int, 'minute', extract(minute FROM ${column})::int) END`

    const guests = sql`(
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'phone', g.phone, 'email', g.email,
        'id_type', g.id_type, 'id_number', g.id_number, 'gender', g.gender, 'country', g.country,
        'is_booker', g.is_booker, 'id_images', coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', i.id, 'url', i.large_url) ORDER BY i.id)
          FROM identity_images i WHERE i.operator_id = g.operator_id AND i.guest_id = g.id), '[]')) ORDER BY g.id), '[]')
      FROM guests g WHERE g.operator_id = p.operator_id AND g.stay_id = p.id)`

    const images = sql`(
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'client_id', i.guest_id, 'url', i.extra_large_url)
        ORDER BY i.id), '[]')
      FROM identity_images i WHERE i.operator_id = p.operator_id AND i.order_id = p.order_id)`

    const tags = sql`(
      SELECT coalesce(jsonb_agg(t.tag_name ORDER BY t.id), '[]')
      FROM stay_tags link JOIN usable_reservation_tags t
        ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.stays_version = link.stays_version
      WHERE link.operator_id = p.operator_id AND link.stay_id = p.id)`

    const page = (operatorId: number, wanted: Search, orderBy: OrderBy, { offset, limit }: Page) =>
      readStays(sql`
        WITH page AS (
          SELECT s.*, o.reservation_code, o.channel_id, o.channel_type, o.status, o.cancelled_at, o.booked_at,
            o.created_at, o.creator, o.currency, o.custom_channel_id, o.cancellation_policy_category, o.conversation_id,
            row_number() OVER (ORDER BY ${ORDERS[orderBy]}) AS position
          FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
          WHERE ${sql.and(conditions(operatorId, wanted))}
          ORDER BY ${ORDERS[orderBy]} LIMIT ${limit} OFFSET ${offset}
        )
        SELECT p.id, p.reservation_code, p.stay_code, p.channel_id, p.channel_type, p.property_id, p.listing_id,
          p.check_in_date, p.check_out_date, p.number_of_guests, p.number_of_adults, p.number_of_children,
          p.number_of_infants, p.number_of_pets, p.status, p.stay_status, p.guest_name, p.guest_phone, p.guest_email,
          p.cancelled_at, p.booked_at, p.created_at, p.creator, p.currency, p.custom_channel_id,
          p.cancellation_policy_category, p.conversation_id, p.rate, p.commission, p.accommodation_revenue AS revenue,
          whole.rate AS total_rate, whole.commission AS total_commission, come.received, p.rate_details, p.additional_fees,
          ${clock(sql`p.arrival_at`)} AS arrival_at, ${clock(sql`p.departure_at`)} AS departure_at, p.lock_code,
          p.lock_code_visible_after, p.deposit, p.id_required, p.check_in_guide_url, p.remarks, p.channel_remarks,
          p.custom_fields, ${tags} AS tags, ${guests} AS guests, ${images} AS checkin_guide_images
        FROM page p
        CROSS JOIN LATERAL (
          SELECT sum(each.rate) AS rate, sum(each.commission) AS commission
          FROM stays each WHERE each.operator_id = p.operator_id AND each.order_id = p.order_id) whole
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(t.amount), 0) AS received FROM transactions t
          WHERE t.operator_id = p.operator_id AND t.order_id = p.order_id AND t.direction = 'income' AND t.status = 'paid'
        ) come
        ORDER BY p.position`)

    /** Whether a property a search narrowed by exists; asked only when the search found nothing. */
    const propertyKnown = (operatorId: number, propertyId: number) =>
      Effect.map(
        readKnown(sql`
          SELECT EXISTS (SELECT FROM properties WHERE operator_id = ${operatorId} AND id = ${propertyId}) AS known`),
        ({ known }) => known
      )

    return { page, propertyKnown }
  })
}) {
  static readonly layer = Layer.effect(ReservationSearch, ReservationSearch.make)
}
