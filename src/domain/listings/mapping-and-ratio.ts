import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { changedRecordsSql, lockedRowSql, prepareRecordedChange } from "../../changes/recorded-change.ts"
import { Id } from "../../contract/fields.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../platform/database/rows.ts"
import { LISTINGS_PER_MAPPING } from "../../platform/limits.ts"
import type { OperatorRowId } from "../operator-rows.ts"
import { propertyExistsCondition, roomTypeExistsCondition } from "../properties/properties/ownership.ts"
import type { ListingMapping } from "./rules.ts"

// What the host decides of a listing: its link and its ratio.

type Sql = SqlClient.SqlClient

/** A listing with what the host decides of it. */
export const ListingWithMapping = Schema.Struct({
  operator_id: Id,
  id: Id,
  channel_account_id: Id,
  channel_type: Schema.String,
  listing_id: Schema.String,
  title: Schema.String,
  shelf_status: Schema.String,
  property_id: Schema.NullOr(Id),
  room_type_id: Schema.NullOr(Id),
  /** Percent of the base price of the link. */
  ratio: Schema.Int,
  readonly: Schema.Boolean
})
export type ListingWithMapping = typeof ListingWithMapping.Type

const listingWithMappingColumnsSql = (sql: Sql) => sql`
  l.operator_id, l.id, l.account_id AS channel_account_id, l.channel_type, l.listing_id, l.title, l.shelf_status,
  l.property_id, l.room_type_id, l.ratio, l.ratio_readonly AS readonly`

/** Which listings; what is undefined does not narrow it. */
export interface ListingFilter {
  readonly operator_id: number | undefined
  readonly channel_type: string | undefined
  readonly listing_id: string | undefined
}

const readListings = makeRowsReader(ListingWithMapping)

/** The listings of any operator, in the order they came; `most` at most. */
export const makeListListings = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operator_id, channel_type, listing_id, most }: Givens<ListingFilter & { readonly most: number }>) => sql`
      SELECT ${listingWithMappingColumnsSql(sql)} FROM listings l
      WHERE ${operator_id === undefined ? sql`true` : sql`l.operator_id = ${operator_id}`}
        AND ${channel_type === undefined ? sql`true` : sql`l.channel_type = ${channel_type}`}
        AND ${listing_id === undefined ? sql`true` : sql`l.listing_id = ${listing_id}`}
      ORDER BY l.operator_id, l.id LIMIT ${most}`
  )
  return ({ operator_id, channel_type, listing_id }: ListingFilter, limit: number) =>
    readListings(statement({ operator_id, channel_type, listing_id, most: limit }))
}

const readMappedListing = makeOptionalRowReader(
  Schema.Struct({ ...ListingWithMapping.fields, known: Schema.Boolean, linked: Schema.Int })
)

interface SetMappingParameters extends OperatorRowId {
  readonly property_id: number | undefined
  readonly room_type_id: number | undefined
  readonly maxListings: number
}

/**
 * Links a listing, or takes its link away. Answers it as it is then, whether what it is linked to is `known`, and how many
 * others are `linked` to that: it stays as it was where it is not known, or as many are as may be. Undefined: there is no
 * such listing. To be run in turn.
 */
export const makeUpdateMapping = (sql: Sql) => {
  const statement = prepareRecordedChange(
    sql,
    ({ operatorId, id, property_id, room_type_id, maxListings }: Givens<SetMappingParameters>) => {
      const mappingConditions = [
        ...(property_id === undefined ? [] : [sql`property_id = ${property_id}`]),
        ...(room_type_id === undefined ? [] : [sql`room_type_id = ${room_type_id}`])
      ]
      const otherListingsCount =
        mappingConditions.length === 0
          ? sql`0::bigint`
          : sql`(SELECT count(*) FROM listings WHERE operator_id = ${operatorId} AND id <> ${id} AND ${sql.and(mappingConditions)})`
      return {
        change: sql`
        before AS (${lockedRowSql(sql, "listings", operatorId, id)}), target AS (
          SELECT ${propertyExistsCondition(sql, operatorId, property_id)} AND ${roomTypeExistsCondition(sql, operatorId, room_type_id)} AS known,
            ${otherListingsCount} AS linked
        ), after AS (
          UPDATE listings l SET property_id = ${property_id ?? null}::bigint, room_type_id = ${room_type_id ?? null}::bigint
          FROM before, target
          WHERE l.operator_id = before.operator_id AND l.id = before.id AND target.known AND target.linked < ${maxListings}::bigint
          RETURNING l.*
        )`,
        events: [],
        changedRecords: changedRecordsSql(sql, "listing"),
        outcome: sql`
        SELECT ${listingWithMappingColumnsSql(sql)}, target.known, target.linked
        FROM (SELECT * FROM after UNION ALL SELECT * FROM before WHERE NOT EXISTS (SELECT FROM after)) l, target`
      }
    }
  )
  return (operatorId: number, id: number, mapping: ListingMapping | undefined) => {
    const property_id = mapping?.type === "property" ? mapping.id : undefined
    const room_type_id = mapping?.type === "room_type" ? mapping.id : undefined
    return readMappedListing(
      statement({ operatorId, id, property_id, room_type_id, maxListings: LISTINGS_PER_MAPPING })
    )
  }
}

const readListingWithRatio = makeOptionalRowReader(ListingWithMapping)

interface SetRatioParameters extends OperatorRowId {
  readonly percent: number | undefined
  readonly readonly: boolean | undefined
}

/** Sets a ratio, or whether it can be, and leaves what is undefined; answers the listing as it is then. Undefined: there is no such listing. */
export const makeUpdateRatio = (sql: Sql) => {
  const statement = prepareRecordedChange(sql, ({ operatorId, id, percent, readonly }: Givens<SetRatioParameters>) => ({
    change: sql`
      before AS (${lockedRowSql(sql, "listings", operatorId, id)}), after AS (
        UPDATE listings l SET ratio = coalesce(${percent ?? null}::integer, l.ratio), ratio_readonly = coalesce(${readonly ?? null}::boolean, l.ratio_readonly)
        FROM before WHERE l.operator_id = before.operator_id AND l.id = before.id
        RETURNING l.*
      )`,
    events: [],
    changedRecords: changedRecordsSql(sql, "listing"),
    outcome: sql`SELECT ${listingWithMappingColumnsSql(sql)} FROM after l`
  }))
  return (operatorId: number, id: number, { percent, readonly }: Pick<SetRatioParameters, "percent" | "readonly">) =>
    readListingWithRatio(statement({ operatorId, id, percent, readonly }))
}
