import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { OFFERS_SHOWN } from "../../../platform/limits.ts"
import { isUnavailableCondition } from "../../calendars/availability/calendar-days.ts"
import { soldPropertiesSql } from "../../listings/listing-lookup.ts"
import { SpecialOffer } from "./contract.ts"

/** The stored status may be outdated (rules/offer-status.ts). */
export const SpecialOfferRow = Schema.Struct({ ...SpecialOffer.fields, expires_at: Schema.Date })

export const offersJson = (sql: SqlClient, operatorId: number, conversation: Fragment): Fragment => sql`coalesce((
  SELECT jsonb_agg(jsonb_build_object(
    'id', o.offer_id, 'offer_type', o.offer_type, 'status', o.status, 'listing_id', o.listing_id,
    'check_in_date', o.check_in_date, 'check_out_date', o.check_out_date,
    'nights', o.check_out_date - o.check_in_date,
    'number_of_guests', greatest(o.number_of_adults + o.number_of_children, 1),
    'price', o.price, 'currency', o.currency, 'expire_time', o.expire_time, 'create_time', o.create_time,
    'expires_at', o.expires_at) ORDER BY o.created_at DESC, o.id DESC)
  FROM (
    SELECT * FROM special_offers WHERE operator_id = ${operatorId} AND conversation_id = ${conversation}.id
    ORDER BY created_at DESC, id DESC LIMIT ${sql.literal(String(OFFERS_SHOWN))}
  ) o), '[]')`

export interface NightRange {
  readonly from: string | Fragment
  readonly before: string | Fragment
}

/** False for an unmapped listing. */
export const hasNoFreePropertyCondition = (
  sql: SqlClient,
  operatorId: number,
  listing: Fragment,
  { from, before }: NightRange
): Fragment => sql`
  coalesce(${listing}.property_id, ${listing}.room_type_id) IS NOT NULL AND NOT EXISTS (
    SELECT FROM (${soldPropertiesSql(sql, listing)}) sold
    JOIN properties p ON p.operator_id = ${operatorId} AND p.id = sold.property_id
    WHERE p.deactivated_at IS NULL AND NOT EXISTS (
      SELECT FROM calendar_days d WHERE d.operator_id = ${operatorId} AND d.property_id = p.id
        AND d.day >= ${from}::date AND d.day < ${before}::date AND ${isUnavailableCondition(sql, sql`d`)})
  )`
