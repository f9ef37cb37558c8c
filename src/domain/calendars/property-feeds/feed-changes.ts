import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import {
  changedRecordsSql,
  createdOrDeletedRecordsSql,
  prepareRecordedChange
} from "../../../changes/recorded-change.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CALENDAR_FEEDS_MAX } from "../../../platform/limits.ts"
import type { SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { grantActiveCondition, lockGrantSql } from "../../connection-grants.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import { propertyExistsCondition } from "../../properties/properties/ownership.ts"
import { hashToken } from "../../secret-urls.ts"
import { type FeedKey, type FeedRecipient, FeedRow, feedColumnsSql, isFeedOwnerCondition } from "./feed-rows.ts"

/** A token as its column keeps it, sealed to the id of its row, and what it is found by. */
interface SealedToken {
  readonly id: number
  readonly token: string
  readonly digest: Uint8Array
}

const sealToken = ({ seal }: SecretSealer, operatorId: number, id: number, token: string): SealedToken => ({
  id,
  token: seal(feedTokenBinding(operatorId, id), token),
  digest: hashToken(token)
})

interface CreateFeedParameters extends FeedRecipient, SealedToken {
  readonly now: Date
  readonly most: number
}

/** What a feed for the source of a calendar needs: the calendar, and room. Its own feed a property can always have. */
const sourceFeedConditions = (
  sql: SqlClient,
  { operatorId, propertyId, calendarId, most }: Givens<CreateFeedParameters>
) => {
  if (calendarId === undefined) return { known: sql`true`, full: sql`false` }
  return {
    known: sql`EXISTS (
      SELECT FROM imported_calendars
      WHERE operator_id = ${operatorId} AND id = ${calendarId} AND property_id = ${propertyId})`,
    full: sql`(
      SELECT count(*) >= ${most}::bigint AND count(*) FILTER (WHERE calendar_id = ${calendarId}) = 0 FROM property_feeds
      WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND calendar_id IS NOT NULL)`
  }
}

/** A feed, or why there is none: `id` is null then. */
export const CreatedFeedRow = Schema.Struct({
  known: Schema.Boolean,
  calendar_known: Schema.Boolean,
  granted: Schema.Boolean,
  id: Schema.NullOr(Schema.Int),
  property_id: Schema.NullOr(Schema.Int),
  calendar_id: Schema.NullOr(Schema.Int),
  token: Schema.NullOr(Schema.String),
  created_at: Schema.NullOr(Schema.Date)
})
export type CreatedFeedRow = typeof CreatedFeedRow.Type

const readCreatedFeed = makeSingleRowReader(CreatedFeedRow)

/**
 * The feed of a reader, created under `id` unless it exists. It is null if property or calendar are not `known`, if the grant has
 * ended, or if the property has as many feeds for calendars as it may have. Where it is full, the oldest feed whose calendar is
 * imported no more makes room: so the operator is locked while a feed for a calendar is created.
 */
export const createFeed = (sql: SqlClient, seals: SecretSealer) => {
  const statement = prepareRecordedChange(sql, (parameters: Givens<CreateFeedParameters>) => {
    const { operatorId, propertyId, calendarId, grantId, id, token, digest, now } = parameters
    const { known, full } = sourceFeedConditions(sql, parameters)
    return {
      change: sql`
        ${lockGrantSql(sql, { operatorId, grantId })} target AS (
          SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS known, ${known} AS calendar_known, ${full} AS is_full,
            ${grantActiveCondition(sql, { grantId })} AS granted
        ), forgotten AS (
          DELETE FROM property_feeds WHERE operator_id = ${operatorId}
            AND EXISTS (SELECT FROM target WHERE known AND calendar_known AND granted AND is_full)
            AND id = (
              SELECT f.id FROM property_feeds f
              WHERE f.operator_id = ${operatorId} AND f.property_id = ${propertyId} AND f.calendar_id IS NOT NULL
                AND NOT EXISTS (
                  SELECT FROM imported_calendars c WHERE c.operator_id = f.operator_id AND c.id = f.calendar_id)
              ORDER BY f.id LIMIT 1)
          RETURNING operator_id, id
        ), made AS (
          INSERT INTO property_feeds (operator_id, id, property_id, calendar_id, grant_id, token, token_digest, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, ${id}::bigint, ${propertyId}::bigint, ${calendarId ?? null}::bigint,
            ${grantId ?? null}::bigint, ${token}::text, ${digest}::bytea, ${now}::timestamptz
          FROM target WHERE known AND calendar_known AND granted AND (NOT is_full OR EXISTS (SELECT FROM forgotten))
          ON CONFLICT ON CONSTRAINT property_feeds_reader DO UPDATE SET token = property_feeds.token
          RETURNING operator_id, ${feedColumnsSql(sql)}
        )`,
      events: [],
      changedRecords: sql`
        ${createdOrDeletedRecordsSql(sql, "property_feed", "made")} WHERE token = ${token}
        UNION ALL ${createdOrDeletedRecordsSql(sql, "property_feed", "forgotten")}`,
      outcome: sql`
        SELECT target.known, target.calendar_known, target.granted, ${feedColumnsSql(sql)}
        FROM target LEFT JOIN made ON true`
    }
  })
  const runWithLock = withOperatorLock(sql)
  return ({ operatorId, propertyId, calendarId, grantId }: FeedRecipient, id: number, token: string, now: Date) => {
    const sealedToken = sealToken(seals, operatorId, id, token)
    const values = { operatorId, propertyId, calendarId, grantId, ...sealedToken, now, most: CALENDAR_FEEDS_MAX }
    const change = readCreatedFeed(statement(values))
    return calendarId === undefined ? change : runWithLock(operatorId, change)
  }
}

const readFeed = makeOptionalRowReader(FeedRow)

/** Gives a feed another token; undefined if there is no such feed of that owner. */
export const renewToken = (sql: SqlClient, seals: SecretSealer) => {
  const statement = prepareRecordedChange(
    sql,
    ({ operatorId, id, grantId, token, digest }: Givens<FeedKey & SealedToken>) => ({
      change: sql`
      before AS (
        SELECT * FROM property_feeds
        WHERE operator_id = ${operatorId} AND id = ${id} AND ${isFeedOwnerCondition(sql, { grantId })} FOR NO KEY UPDATE
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
  return ({ operatorId, id, grantId }: FeedKey, token: string) =>
    readFeed(statement({ operatorId, grantId, ...sealToken(seals, operatorId, id, token) }))
}
