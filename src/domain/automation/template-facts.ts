import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Id } from "../../contract/fields.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import { guestPortalStaysSql } from "../bookings/check-in/guest-portal-query.ts"
import { GuestPortalStay } from "../bookings/check-in/guest-portal-stay.ts"
import { CustomFields } from "../bookings/stays/stay.ts"

const NullableText = Schema.NullOr(Schema.String)

export const StayFacts = Schema.Struct({
  ...GuestPortalStay.fields,
  reservation_code: Schema.String,
  channel_type: Schema.String,
  booked_at: Schema.Date,
  property_id: Schema.NullOr(Id),
  is_last: Schema.Boolean,
  custom_fields: Schema.NullOr(CustomFields),
  /** Last part of the guest portal's URL. Null until the stay has one. */
  guide_token: NullableText
})
export type StayFacts = typeof StayFacts.Type

export const InquiryFacts = Schema.Struct({
  guest_name: NullableText,
  host_name: Schema.String,
  channel_type: Schema.String,
  /** Null if the listing is unknown or not mapped to a property. */
  property_id: Schema.NullOr(Id),
  title: NullableText,
  address: NullableText,
  check_in_date: NullableText,
  check_out_date: NullableText
})
export type InquiryFacts = typeof InquiryFacts.Type

const readInquiryFacts = makeOptionalRowReader(InquiryFacts)

/** Of two stays that end on the same day, the one with the higher id is last. */
export const isLastStayCondition = (sql: SqlClient): Fragment => sql`
  s.id = (SELECT other.id FROM stays other WHERE other.operator_id = s.operator_id AND other.order_id = s.order_id
    ORDER BY other.check_out_date DESC, other.id DESC LIMIT 1)`

export const stayFactsSql = (sql: SqlClient, where: Fragment): Fragment =>
  guestPortalStaysSql(
    sql,
    where,
    sql`, o.reservation_code, o.channel_type, o.booked_at, s.property_id, ${isLastStayCondition(sql)} AS is_last, s.custom_fields,
      s.guide_token`
  )

export const findInquiryFacts = (sql: SqlClient) => (operatorId: number, conversationId: number) =>
  readInquiryFacts(sql`
      SELECT c.guest_name, host.name AS host_name, c.channel_type, p.id AS property_id, p.title, p.address,
        c.inquiry_check_in_date AS check_in_date, c.inquiry_check_out_date AS check_out_date
      FROM conversations c
      JOIN operators host ON host.id = c.operator_id
      LEFT JOIN listings l ON l.operator_id = c.operator_id AND l.channel_type = c.channel_type
        AND l.listing_id = c.inquiry_listing_id
      LEFT JOIN properties p ON p.operator_id = l.operator_id AND p.id = l.property_id
      WHERE c.operator_id = ${operatorId} AND c.id = ${conversationId}`)
