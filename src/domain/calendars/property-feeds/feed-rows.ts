import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { GrantKey } from "../../connection-grants.ts"
import type { OperatorRowId } from "../../operator-rows.ts"

/**
 * With `calendarId`, the feed is for the marketplace of that imported calendar, and also has the days of the property's
 * other imported calendars. Without it, the feed has no imported days. Without `grantId`, it belongs to the host,
 * otherwise to the OAuth connection that created it.
 */
export interface FeedRecipient extends GrantKey {
  readonly propertyId: number
  readonly calendarId: number | undefined
}

export interface FeedKey extends OperatorRowId, GrantKey {}

export const FeedRow = Schema.Struct({
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  token: Schema.String,
  created_at: Schema.Date
})
export type FeedRow = typeof FeedRow.Type

export const feedColumnsSql = (sql: SqlClient): Fragment => sql`id, property_id, calendar_id, token, created_at`

export const isFeedOwnerCondition = (sql: SqlClient, { grantId }: Pick<GrantKey, "grantId">): Fragment =>
  grantId === undefined ? sql`grant_id IS NULL` : sql`grant_id = ${grantId}`
