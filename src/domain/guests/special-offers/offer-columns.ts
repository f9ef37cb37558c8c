import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { column } from "../../../platform/database/columns.ts"
import { OfferStatus, OfferType } from "../../channels/port/channel-events.ts"

const NullableText = Schema.NullOr(Schema.String)

/** Excludes the status, which changes by rules (rules/offer-status.ts). */
export const OfferTerms = Schema.Struct({
  offer_type: column("text", OfferType),
  listing_id: column("text", NullableText),
  rate_plan_id: column("text", NullableText),
  check_in_date: column("date", Schema.String),
  check_out_date: column("date", Schema.String),
  number_of_adults: column("integer", Schema.Int),
  number_of_children: column("integer", Schema.Int),
  number_of_infants: column("integer", Schema.Int),
  number_of_pets: column("integer", Schema.Int),
  price: column("numeric", Schema.String),
  currency: column("text", NullableText),
  create_time: column("text", NullableText),
  expire_time: column("text", NullableText),
  created_at: column("timestamptz", Schema.Date),
  expires_at: column("timestamptz", Schema.Date)
})

export const NewOfferColumns = Schema.Struct({
  offer_id: column("text", Schema.String),
  status: column("text", OfferStatus),
  ...OfferTerms.fields
})
export type NewOffer = typeof NewOfferColumns.Type

export const changedOffersSql = (sql: SqlClient, cte: Fragment, fields: Fragment): Fragment => sql`
  SELECT operator_id, 'special_offer:' || offer_id AS record, ${fields} AS fields FROM ${cte}`
