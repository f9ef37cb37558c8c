import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { changedRecordsSql, createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CALENDAR_FEEDS_MAX } from "../../../platform/limits.ts"
import type { SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { grantActiveCondition, lockGrantSql } from "../../connection-grants.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { hashToken } from "../../secret-urls.ts"
import { type FeedKey, type FeedRecipient, FeedRow, feedColumnsSql, isFeedRenewableCondition } from "./feed-rows.ts"

/** `token` is encrypted for this `id`, so it cannot be decrypted in another row. */
interface SealedToken {
  readonly id: number
  readonly token: string
  readonly digest: Uint8Array
}

export const sealToken = ({ seal }: SecretSealer, operatorId: number, id: number, token: string): SealedToken => ({
  id,
  token: seal(feedTokenBinding(operatorId, id), token),
  digest: hashToken(token)
})

interface CreateFeedParameters extends FeedRecipient, SealedToken {
  readonly now: Date
  readonly most: number
}

const sourceFeedConditions = (sql: SqlClient, { operatorId, propertyId, calendarId, most }: CreateFeedParameters) => {
  if (calendarId === undefined) return { hasCalendar: sql`true`, isFull: sql`false` }
  return {
    hasCalendar: sql`EXISTS (
      SELECT FROM imported_calendars
      WHERE operator_id = ${operatorId} AND id = ${calendarId} AND property_id = ${propertyId})`,
    isFull: sql`(
      SELECT count(*) >= ${most}::bigint AND count(*) FILTER (WHERE calendar_id = ${calendarId}) = 0 FROM property_feeds
      WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND calendar_id IS NOT NULL)`
  }
}

/** `id` is null if the feed does not exist and could not be created. */
export const CreatedFeedRow = Schema.Struct({
  has_property: Schema.Boolean,
  has_calendar: Schema.Boolean,
  is_granted: Schema.Boolean,
  id: Schema.NullOr(Schema.Int),
  property_id: Schema.NullOr(Schema.Int),
  calendar_id: Schema.NullOr(Schema.Int),
  token: Schema.NullOr(Schema.String),
  created_at: Schema.NullOr(Schema.Date)
})
export type CreatedFeedRow = typeof CreatedFeedRow.Type

const readCreatedFeed = makeSingleRowReader(CreatedFeedRow)

/**
 * Returns the existing feed of a recipient, or creates it under `id`. At the limit, first deletes the oldest feed of a
 * removed calendar. Holds the operator's lock, so that concurrent calls cannot exceed the limit.
 */
export const createFeed = (sql: SqlClient, seals: SecretSealer) => {
  const statement = (parameters: CreateFeedParameters) => {
    const { operatorId, propertyId, calendarId, grantId, id, token, digest, now } = parameters
    const { hasCalendar, isFull } = sourceFeedConditions(sql, parameters)
    return recordChange(sql, {
      change: sql`
        ${lockGrantSql(sql, { operatorId, grantId })} preconditions AS (
          SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS has_property, ${hasCalendar} AS has_calendar, ${isFull} AS is_full,
            ${grantActiveCondition(sql, { grantId })} AS is_granted
        ), orphaned_feed AS (
          DELETE FROM property_feeds WHERE operator_id = ${operatorId}
            AND EXISTS (SELECT FROM preconditions WHERE has_property AND has_calendar AND is_granted AND is_full)
            AND id = (
              SELECT f.id FROM property_feeds f
              WHERE f.operator_id = ${operatorId} AND f.property_id = ${propertyId} AND f.calendar_id IS NOT NULL
                AND NOT EXISTS (
                  SELECT FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.id = f.calendar_id)
              ORDER BY f.id LIMIT 1)
          RETURNING operator_id, id
        ), feed AS (
          INSERT INTO property_feeds (operator_id, id, property_id, calendar_id, grant_id, token, token_digest, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, ${id}::bigint, ${propertyId}::bigint, ${calendarId ?? null}::bigint,
            ${grantId ?? null}::bigint, ${token}::text, ${digest}::bytea, ${now}::timestamptz
          FROM preconditions WHERE has_property AND has_calendar AND is_granted AND (NOT is_full OR EXISTS (SELECT FROM orphaned_feed))
          ON CONFLICT ON CONSTRAINT property_feeds_reader DO UPDATE SET token = property_feeds.token
          RETURNING operator_id, ${feedColumnsSql(sql)}
        )`,
      events: [],
      changedRecords: sql`
        ${createdOrDeletedRecordsSql(sql, "property_feed", "feed")} WHERE token = ${token}
        UNION ALL ${createdOrDeletedRecordsSql(sql, "property_feed", "orphaned_feed")}`,
      outcome: sql`
        SELECT preconditions.has_property, preconditions.has_calendar, preconditions.is_granted, ${feedColumnsSql(sql)}
        FROM preconditions LEFT JOIN feed ON true`
    })
  }
  const runWithLock = withOperatorLock(sql)
  return ({ operatorId, propertyId, calendarId, grantId }: FeedRecipient, id: number, token: string, now: Date) => {
    const sealedToken = sealToken(seals, operatorId, id, token)
    const values = { operatorId, propertyId, calendarId, grantId, ...sealedToken, now, most: CALENDAR_FEEDS_MAX }
    const change = readCreatedFeed(statement(values))
    return calendarId === undefined ? change : runWithLock(operatorId, change)
  }
}

const readFeed = makeOptionalRowReader(FeedRow)

export const renewToken =
  (sql: SqlClient, seals: SecretSealer) =>
  ({ operatorId, id, grantId, isMainAccount }: FeedKey, plainToken: string) => {
    const { token, digest } = sealToken(seals, operatorId, id, plainToken)
    return readFeed(
      recordChange(sql, {
        change: sql`
          before AS (
            SELECT * FROM property_feeds
            WHERE operator_id = ${operatorId} AND id = ${id}
              AND ${isFeedRenewableCondition(sql, { grantId, isMainAccount })}
            FOR NO KEY UPDATE
          ), after AS (
            UPDATE property_feeds f SET token = ${token}, token_digest = ${digest}
            FROM before WHERE f.operator_id = before.operator_id AND f.id = before.id
            RETURNING f.*
          )`,
        events: [],
        changedRecords: changedRecordsSql(sql, "property_feed"),
        outcome: sql`SELECT ${feedColumnsSql(sql)} FROM after`
      })
    )
  }
