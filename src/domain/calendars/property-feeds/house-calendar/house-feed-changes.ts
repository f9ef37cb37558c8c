import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { createdOrDeletedRecordsSql, recordChange } from "../../../../changes/recorded-change.ts"
import { makeSingleRowReader } from "../../../../platform/database/rows.ts"
import { HOUSE_FEEDS_MAX } from "../../../../platform/limits.ts"
import type { SecretSealer } from "../../../../platform/sealing/CurrentSealer.ts"
import { makeDeleteRecord, type OperatorScoped, withOperatorLock } from "../../../operator-rows.ts"
import { propertyExistsCondition } from "../../../properties/properties/ownership.ts"
import { sealToken } from "../feed-changes.ts"
import { FeedRow, feedColumnsSql } from "../feed-rows.ts"
import type { HouseCalendar } from "./house-calendar.ts"

export interface HouseFeedOwner extends OperatorScoped {
  readonly propertyId: number
}

/** Without a feed: the property does not exist, or it already has HOUSE_FEEDS_MAX house calendars. */
export const CreatedHouseFeedRow = Schema.Union([FeedRow, Schema.Struct({ has_property: Schema.Boolean })])
export type CreatedHouseFeedRow = typeof CreatedHouseFeedRow.Type

const readCreatedFeed = makeSingleRowReader(CreatedHouseFeedRow)

/** Holds the operator's lock, so that concurrent calls cannot exceed the limit. */
export const createHouseFeed = (sql: SqlClient, seals: SecretSealer) => {
  const runWithLock = withOperatorLock(sql)
  return (
    { operatorId, propertyId }: HouseFeedOwner,
    { fields, doorCodeSource }: HouseCalendar,
    id: number,
    plainToken: string,
    now: Date
  ) => {
    const { token, digest } = sealToken(seals, operatorId, id, plainToken)
    const change = recordChange(sql, {
      change: sql`
        preconditions AS (
          SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS has_property, (
            SELECT count(*) >= ${sql.literal(String(HOUSE_FEEDS_MAX))} FROM property_feeds
            WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND house_fields IS NOT NULL) AS is_full
        ), feed AS (
          INSERT INTO property_feeds (
            operator_id, id, property_id, grant_id, house_fields, door_code_source, token, token_digest, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${operatorId}::bigint, ${id}::bigint, ${propertyId}::bigint, ${-id}::bigint, ${fields}::text[],
            ${doorCodeSource}::text, ${token}::text, ${digest}::bytea, ${now}::timestamptz
          FROM preconditions WHERE has_property AND NOT is_full
          RETURNING operator_id, ${feedColumnsSql(sql)}
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "property_feed", "feed"),
      outcome: sql`SELECT has_property, ${feedColumnsSql(sql)} FROM preconditions LEFT JOIN feed ON true`
    })
    return runWithLock(operatorId, readCreatedFeed(change))
  }
}

/** Returns undefined for another kind of feed. */
export const deleteHouseFeed = (sql: SqlClient) =>
  makeDeleteRecord(
    sql,
    "property_feed",
    ({ operatorId, id }) => sql`
      DELETE FROM property_feeds WHERE operator_id = ${operatorId} AND id = ${id} AND house_fields IS NOT NULL
      RETURNING operator_id, id`
  )
