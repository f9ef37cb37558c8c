import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Valued } from "../../../platform/database/forms.ts"
import type { GrantKey } from "../../connection-grants.ts"
import type { OperatorRowId } from "../../operator-rows.ts"

/**
 * Who reads a property's days: the source of an imported calendar, or undefined: whoever has the property's own feed. Feeds belong to
 * the host, or to the OAuth connection that made them.
 */
export interface FeedRecipient extends GrantKey {
  readonly propertyId: number
  readonly calendarId: number | undefined
}

/** Which feed of its owner. */
export interface FeedKey extends OperatorRowId, GrantKey {}

/** A feed with its token as it is kept. */
export const FeedRow = Schema.Struct({
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  token: Schema.String,
  created_at: Schema.Date
})
export type FeedRow = typeof FeedRow.Type

export const feedColumnsSql = (sql: SqlClient): Fragment => sql`id, property_id, calendar_id, token, created_at`

/** Whether a row of feeds is the host's, or that of the OAuth connection. */
export const isFeedOwnerCondition = (sql: SqlClient, { grantId }: Pick<Valued<GrantKey>, "grantId">): Fragment =>
  grantId === undefined ? sql`grant_id IS NULL` : sql`grant_id = ${grantId}`
