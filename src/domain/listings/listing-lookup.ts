import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { NotFound } from "../../contract/errors.ts"
import { Id } from "../../contract/fields.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"

export interface ListingKey {
  readonly channel_type: string
  readonly listing_id: string
}

export const operatorListingSql = (
  sql: SqlClient,
  operatorId: number,
  channelType: string,
  listingId: string
): Fragment => sql`
  SELECT * FROM listings
  WHERE operator_id = ${operatorId} AND channel_type = ${channelType} AND listing_id = ${listingId}`

/** Selects the properties to which the listing in row `l` is mapped, directly or by room type. */
export const soldPropertiesSql = (sql: SqlClient, l: Fragment): Fragment => sql`
  SELECT ${l}.property_id WHERE ${l}.property_id IS NOT NULL
  UNION ALL
  SELECT r.property_id FROM room_type_properties r
  WHERE r.operator_id = ${l}.operator_id AND r.room_type_id = ${l}.room_type_id`

export const ListingReference = Schema.Struct({
  id: Id,
  account_id: Id,
  channel_type: Schema.String,
  listing_id: Schema.String,
  currency: Schema.String
})
export type ListingReference = typeof ListingReference.Type

const readListingReference = makeOptionalRowReader(ListingReference)

export const makeFindListing =
  (sql: SqlClient) =>
  (operatorId: number, { channel_type, listing_id }: ListingKey) =>
    readListingReference(sql`
      SELECT id, account_id, channel_type, listing_id, currency
      FROM (${operatorListingSql(sql, operatorId, channel_type, listing_id)}) own`)

/** Also used for listings of other operators, to hide that they exist. */
export const listingNotFoundError = new NotFound({ message: "listing_id: no such listing." })
