import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { changedRecordsSql, recordChange } from "../../changes/recorded-change.ts"
import { Id } from "../../contract/fields.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../platform/database/rows.ts"
import { LISTINGS_PER_MAPPING } from "../../platform/limits.ts"
import type { OperatorScoped } from "../operator-rows.ts"
import { propertyExistsCondition, roomTypeExistsCondition } from "../properties/properties/ownership.ts"
import { type ListingKey, operatorListingSql } from "./listing-lookup.ts"
import type { MappingPricePushes } from "./MappingPricePushes.ts"
import type { ListingMapping } from "./rules.ts"

type Sql = SqlClient.SqlClient

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
  /** Percent of the base price. */
  ratio: Schema.Int,
  readonly: Schema.Boolean
})
export type ListingWithMapping = typeof ListingWithMapping.Type

const listingWithMappingColumnsSql = (sql: Sql) => sql`
  l.operator_id, l.id, l.account_id AS channel_account_id, l.channel_type, l.listing_id, l.title, l.shelf_status,
  l.property_id, l.room_type_id, l.ratio, l.ratio_readonly AS readonly`

export interface ListingFilter {
  readonly operator_id: number | undefined
  readonly channel_type: string | undefined
  readonly listing_id: string | undefined
}

const readListings = makeRowsReader(ListingWithMapping)

export const makeListListings =
  (sql: Sql) =>
  ({ operator_id, channel_type, listing_id }: ListingFilter, limit: number) =>
    readListings(sql`
      SELECT ${listingWithMappingColumnsSql(sql)} FROM listings l
      WHERE ${operator_id === undefined ? sql`true` : sql`l.operator_id = ${operator_id}`}
        AND ${channel_type === undefined ? sql`true` : sql`l.channel_type = ${channel_type}`}
        AND ${listing_id === undefined ? sql`true` : sql`l.listing_id = ${listing_id}`}
      ORDER BY l.operator_id, l.id LIMIT ${limit}`)

export interface ListingMappingChange {
  /** Null removes the mapping. */
  readonly mapping?: ListingMapping | null | undefined
  /** Percent of the base price, at most RATIO_MAX. */
  readonly ratio?: number | undefined
  readonly readonly?: boolean | undefined
}

const readMappedListing = makeOptionalRowReader(
  Schema.Struct({
    ...ListingWithMapping.fields,
    known: Schema.Boolean,
    linked: Schema.Int,
    is_queue_full: Schema.Boolean
  })
)

interface MappingParameters extends OperatorScoped, ListingKey {
  readonly property_id: number | undefined
  readonly room_type_id: number | undefined
  readonly ratio: number | undefined
  readonly isReadonly: boolean | undefined
  readonly maxListings: number
}

const mappingAssignmentsSql = (
  sql: Sql,
  { property_id, room_type_id }: Pick<MappingParameters, "property_id" | "room_type_id">,
  isMappingChanged: boolean
): Fragment =>
  isMappingChanged
    ? sql`property_id = ${property_id ?? null}::bigint, room_type_id = ${room_type_id ?? null}::bigint`
    : sql`property_id = l.property_id, room_type_id = l.room_type_id`

/**
 * Nothing changes if the target is not `known`, or has too many other listings (`linked`). Queues the base prices of
 * the new mapping or ratio. If `is_queue_full` is true, the caller must roll back the change. The caller must hold the
 * operator's lock.
 */
export const makeUpdateMapping = (sql: Sql, pricePushes: MappingPricePushes["Service"]) => {
  const statement = (parameters: MappingParameters, isMappingChanged: boolean, now: Date) => {
    const { operatorId, channel_type, listing_id, property_id, room_type_id } = parameters
    const { ratio, isReadonly, maxListings } = parameters
    const mappingConditions = [
      ...(property_id === undefined ? [] : [sql`property_id = ${property_id}`]),
      ...(room_type_id === undefined ? [] : [sql`room_type_id = ${room_type_id}`])
    ]
    const otherListingsCount =
      mappingConditions.length === 0
        ? sql`0::bigint`
        : sql`(SELECT count(*) FROM listings WHERE operator_id = ${operatorId}
              AND id <> (SELECT id FROM before) AND ${sql.and(mappingConditions)})`
    return recordChange(sql, {
      change: sql`
        before AS (${operatorListingSql(sql, operatorId, channel_type, listing_id)} FOR NO KEY UPDATE), target AS (
          SELECT ${propertyExistsCondition(sql, operatorId, property_id)} AND ${roomTypeExistsCondition(sql, operatorId, room_type_id)} AS known,
            ${otherListingsCount} AS linked
        ), after AS (
          UPDATE listings l SET ${mappingAssignmentsSql(sql, parameters, isMappingChanged)},
            ratio = coalesce(${ratio ?? null}::integer, l.ratio),
            ratio_readonly = coalesce(${isReadonly ?? null}::boolean, l.ratio_readonly)
          FROM before, target
          WHERE l.operator_id = before.operator_id AND l.id = before.id AND target.known AND target.linked < ${maxListings}::bigint
          RETURNING l.*
        ), ${pricePushes.queuePushesSql(sql, now)}`,
      events: [],
      changedRecords: sql`
        SELECT changed.* FROM (${changedRecordsSql(sql, "listing")}) changed, queue_check WHERE NOT queue_check.is_full`,
      outcome: sql`
        SELECT ${listingWithMappingColumnsSql(sql)}, target.known, target.linked, queue_check.is_full AS is_queue_full
        FROM (SELECT * FROM after UNION ALL SELECT * FROM before WHERE NOT EXISTS (SELECT FROM after)) l, target,
          queue_check`
    })
  }
  return (operatorId: number, { channel_type, listing_id }: ListingKey, change: ListingMappingChange, now: Date) => {
    const { mapping, ratio, readonly: isReadonly } = change
    const property_id = mapping?.type === "property" ? mapping.id : undefined
    const room_type_id = mapping?.type === "room_type" ? mapping.id : undefined
    const maxListings = LISTINGS_PER_MAPPING
    return readMappedListing(
      statement(
        { operatorId, channel_type, listing_id, property_id, room_type_id, ratio, isReadonly, maxListings },
        mapping !== undefined,
        now
      )
    )
  }
}
