import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { GrantKey } from "../../connection-grants.ts"
import type { OperatorRowId } from "../../operator-rows.ts"
import { DoorCodeSource, HouseField } from "./house-calendar/house-calendar.ts"

/**
 * With `calendarId`, the feed is for the marketplace of that imported calendar, and also has the days of the property's
 * other imported calendars. Without it, the feed has no imported days. Without `grantId`, it belongs to the host,
 * otherwise to the OAuth connection that created it.
 */
export interface FeedRecipient extends GrantKey {
  readonly propertyId: number
  readonly calendarId: number | undefined
}

export interface FeedKey extends OperatorRowId, GrantKey {
  /** Whether the caller is the main account, which alone may change house calendars. */
  readonly isMainAccount: boolean
}

export const FeedRow = Schema.Struct({
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  token: Schema.String,
  created_at: Schema.Date,
  /** Null if the feed is not a house calendar. So is `door_code_source`. */
  house_fields: Schema.NullOr(Schema.Array(HouseField)),
  door_code_source: Schema.NullOr(DoorCodeSource)
})
export type FeedRow = typeof FeedRow.Type

/** The stored result of an idempotency key. Releases without house calendars stored fewer columns. */
export const StoredFeedRow = Schema.Struct({
  ...FeedRow.fields,
  house_fields: Schema.optionalKey(FeedRow.fields.house_fields),
  door_code_source: Schema.optionalKey(FeedRow.fields.door_code_source)
})
export type StoredFeedRow = typeof StoredFeedRow.Type

export const feedColumnsSql = (sql: SqlClient): Fragment =>
  sql`id, property_id, calendar_id, token, created_at, house_fields, door_code_source`

/** Matches no house calendar, because the `grant_id` of one is negative (migrations/0077_house_calendars.ts). */
export const isFeedOwnerCondition = (sql: SqlClient, { grantId }: Pick<GrantKey, "grantId">): Fragment =>
  grantId === undefined ? sql`grant_id IS NULL` : sql`grant_id = ${grantId}`

export const isFeedVisibleCondition = (sql: SqlClient, { grantId }: Pick<GrantKey, "grantId">): Fragment =>
  grantId === undefined ? sql`(grant_id IS NULL OR house_fields IS NOT NULL)` : isFeedOwnerCondition(sql, { grantId })

export const isFeedRenewableCondition = (
  sql: SqlClient,
  { grantId, isMainAccount }: Pick<FeedKey, "grantId" | "isMainAccount">
): Fragment => (isMainAccount ? isFeedVisibleCondition(sql, { grantId }) : isFeedOwnerCondition(sql, { grantId }))
