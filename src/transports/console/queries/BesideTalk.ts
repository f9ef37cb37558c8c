import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { CurrentCaller } from "../../../contract/caller.ts"
import { OrderStatus } from "../../../domain/bookings/orders/order.ts"
import type { SpecialOffer } from "../../../domain/guests/special-offers/contract.ts"
import {
  hasNoFreePropertyCondition,
  offersJson,
  SpecialOfferRow
} from "../../../domain/guests/special-offers/offer-sql.ts"
import { resolveOfferStatus } from "../../../domain/guests/special-offers/rules/offer-status.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { ACTIVITIES_SHOWN, OFFERED_LISTINGS_MAX } from "../../../platform/limits.ts"

type Sql = SqlClient.SqlClient

const ConversationStay = Schema.Struct({
  stay_code: Schema.String,
  status: OrderStatus,
  guest_name: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  property_title: Schema.NullOr(Schema.String)
})
export type ConversationStay = typeof ConversationStay.Type

const ConversationInquiry = Schema.Struct({
  listing_id: Schema.NullOr(Schema.String),
  check_in_date: Schema.String,
  check_out_date: Schema.String,
  number_of_adults: Schema.NullOr(Schema.Int),
  number_of_children: Schema.NullOr(Schema.Int),
  number_of_infants: Schema.NullOr(Schema.Int),
  number_of_pets: Schema.NullOr(Schema.Int),
  taken: Schema.Boolean
})
export type ConversationInquiry = typeof ConversationInquiry.Type

const OfferableListing = Schema.Struct({
  listing_id: Schema.String,
  title: Schema.String,
  currency: Schema.String
})

const ConversationSidebarRow = Schema.Struct({
  /** Stays of the latest order first, at most {@link ACTIVITIES_SHOWN}. */
  stays: Schema.Array(ConversationStay),
  asking: Schema.NullOr(ConversationInquiry),
  /**
   * The inquired listing comes first, the others by title. A row beyond {@link OFFERED_LISTINGS_MAX} means that further
   * listings exist.
   */
  listings: Schema.Array(OfferableListing),
  offers: Schema.Array(SpecialOfferRow)
})

export interface ConversationSidebar extends Omit<typeof ConversationSidebarRow.Type, "offers"> {
  /** Newest first. */
  readonly offers: ReadonlyArray<SpecialOffer>
  readonly hasMoreListings: boolean
}

const readSidebarRow = makeOptionalRowReader(Schema.toCodecJson(ConversationSidebarRow))

interface ConversationSidebarInput {
  readonly operatorId: number
  readonly code: string
}

const staysJsonSql = (sql: Sql): Fragment => sql`(
  SELECT coalesce(jsonb_agg(to_jsonb(each) - 'order_id' - 'id' ORDER BY each.order_id DESC, each.id), '[]') FROM (
    SELECT s.order_id, s.id, s.stay_code, o.status, s.guest_name, s.check_in_date, s.check_out_date, p.title AS property_title
    FROM orders o
    JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE o.operator_id = own.operator_id AND o.conversation_id = own.code
    ORDER BY s.order_id DESC, s.id LIMIT ${sql.literal(String(ACTIVITIES_SHOWN))}) each)`

const inquiryJsonSql = (sql: Sql, { operatorId }: ConversationSidebarInput): Fragment => {
  const nights = { from: sql`own.inquiry_check_in_date`, before: sql`own.inquiry_check_out_date` }
  return sql`CASE WHEN own.inquiry_check_in_date IS NOT NULL THEN (
    SELECT jsonb_build_object('listing_id', own.inquiry_listing_id, 'check_in_date', own.inquiry_check_in_date,
      'check_out_date', own.inquiry_check_out_date, 'number_of_adults', own.inquiry_adults,
      'number_of_children', own.inquiry_children, 'number_of_infants', own.inquiry_infants,
      'number_of_pets', own.inquiry_pets, 'taken', ${hasNoFreePropertyCondition(sql, operatorId, sql`l`, nights)})
    FROM (SELECT) one
    LEFT JOIN listings l ON l.operator_id = ${operatorId} AND l.account_id = own.account_id
      AND l.channel_type = own.channel_type AND l.listing_id = own.inquiry_listing_id) END`
}

const listingsJsonSql = (sql: Sql, { operatorId }: ConversationSidebarInput): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('listing_id', each.listing_id, 'title', each.title,
    'currency', each.currency) ORDER BY each.asked DESC, each.title, each.id), '[]') FROM (
    SELECT l.id, l.listing_id, l.title, l.currency, l.listing_id IS NOT DISTINCT FROM own.inquiry_listing_id AS asked
    FROM listings l
    WHERE l.operator_id = ${operatorId} AND l.account_id = own.account_id AND l.channel_type = own.channel_type
    ORDER BY asked DESC, l.title, l.id LIMIT ${sql.literal(String(OFFERED_LISTINGS_MAX + 1))}) each)`

const selectSidebar = (sql: Sql, input: ConversationSidebarInput) => {
  const { operatorId, code } = input
  return sql`
      WITH own AS (SELECT * FROM conversations WHERE operator_id = ${operatorId} AND code = ${code})
      SELECT ${staysJsonSql(sql)} AS stays, ${inquiryJsonSql(sql, input)} AS asking, ${listingsJsonSql(sql, input)} AS listings,
        ${offersJson(sql, operatorId, sql`own`)} AS offers
      FROM own`
}

export class BesideTalk extends Context.Service<BesideTalk>()("latchkey/transports/console/queries/BesideTalk", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    of: Effect.fnUntraced(function* (code: string) {
      const { operatorId } = yield* CurrentCaller
      const row = yield* readSidebarRow(selectSidebar(sql, { operatorId, code }))
      return row === undefined ? undefined : toSidebar(row, yield* DateTime.nowAsDate)
    })
  }))
}) {
  static readonly layer = Layer.effect(BesideTalk, BesideTalk.make)
}

const toSidebar = (
  { offers, listings, ...row }: typeof ConversationSidebarRow.Type,
  now: Date
): ConversationSidebar => ({
  ...row,
  listings: listings.slice(0, OFFERED_LISTINGS_MAX),
  hasMoreListings: listings.length > OFFERED_LISTINGS_MAX,
  offers: offers.map(({ expires_at, ...offer }) => ({
    ...offer,
    status: resolveOfferStatus(offer.status, expires_at, now)
  }))
})
