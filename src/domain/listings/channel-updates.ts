import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { createdOrDeletedRecordsSql, recordChange } from "../../changes/recorded-change.ts"
import { column, columnAssignments, columnNames, rowParameterSql } from "../../platform/database/columns.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"
import { LISTINGS_MAX } from "../../platform/limits.ts"
import { channelAccountSql } from "../channels/channel-accounts/account-conditions.ts"
import type { ChannelListingEvent } from "../channels/port/channel-events.ts"
import type { ChannelAccountRef } from "../channels/port/event-handling.ts"
import { operatorListingSql } from "./listing-lookup.ts"

type Sql = SqlClient.SqlClient

const NullableJsonObject = Schema.NullOr(Schema.Record(Schema.String, Schema.Json))

/** Mapping and ratio are missing, because the host sets them. */
const ChannelColumns = Schema.Struct({
  title: column("text", Schema.String),
  cover: column("text", Schema.NullOr(Schema.String)),
  url: column("text", Schema.NullOr(Schema.String)),
  currency: column("text", Schema.String),
  inventory: column("integer", Schema.Int),
  shelf_status: column("text", Schema.String),
  metadata: column("jsonb", NullableJsonObject)
})
const ChannelColumnsWithRules = Schema.Struct({
  ...ChannelColumns.fields,
  price_and_rules: column("jsonb", NullableJsonObject)
})

const toChannelColumns = ({
  cover,
  url,
  metadata,
  price_and_rules,
  ...update
}: ChannelListingEvent): typeof ChannelColumnsWithRules.Type => ({
  title: update.title,
  cover: cover ?? null,
  url: url ?? null,
  currency: update.currency,
  inventory: update.inventory,
  shelf_status: update.shelf_status,
  metadata: metadata ?? null,
  price_and_rules: price_and_rules ?? null
})

const readUpdateCheck = makeSingleRowReader(
  Schema.Struct({
    speaker_known: Schema.Boolean,
    last_version: Schema.NullOr(Schema.Int),
    is_theirs: Schema.NullOr(Schema.Boolean)
  })
)

/**
 * Applies a newer event and returns the previous version. A listing of another account is updated only if that account
 * is disconnected: then the host has connected the channel anew. Omitted settings stay unchanged.
 */
export const makeUpdateListing = (sql: Sql) => (account: ChannelAccountRef, update: ChannelListingEvent, at: Date) => {
  const { operatorId, accountId, channelType } = account
  const { listing_id, version } = update
  const columns = update.price_and_rules === undefined ? ChannelColumns : ChannelColumnsWithRules
  return readUpdateCheck(
    recordChange(sql, {
      change: sql`
        speaker AS (${channelAccountSql(sql, account)}),
        before AS (${operatorListingSql(sql, operatorId, channelType, listing_id)} FOR NO KEY UPDATE),
        judged AS (
          SELECT before.operator_id, before.id, before.channel_version AS last_version,
            before.account_id = speaker.id OR EXISTS (
              SELECT FROM channel_accounts former
              WHERE former.operator_id = before.operator_id AND former.id = before.account_id
                AND former.auth_status = 'disconnected') AS is_theirs
          FROM before, speaker
        ), after AS (
          UPDATE listings l
          SET ${sql.literal(columnAssignments(columns, "given"))}, account_id = ${accountId},
            channel_version = ${version}::bigint, updated_at = ${at}::timestamptz
          FROM judged, ${rowParameterSql(sql, ChannelColumnsWithRules, toChannelColumns(update))}
          WHERE l.operator_id = judged.operator_id AND l.id = judged.id
            AND judged.is_theirs AND judged.last_version < ${version}::bigint
          RETURNING l.*
        )`,
      events: [],
      // A new version without other changes is not recorded in the audit log.
      changedRecords: sql`
        SELECT * FROM (
          SELECT after.operator_id, 'listing:' || after.id AS record,
            changed_fields(to_jsonb(before), to_jsonb(after) - 'channel_version') AS fields
          FROM before JOIN after ON after.operator_id = before.operator_id AND after.id = before.id
        ) compared WHERE fields <> '{}'`,
      outcome: sql`
        SELECT EXISTS (SELECT FROM speaker) AS speaker_known, judged.last_version, judged.is_theirs
        FROM (SELECT) one LEFT JOIN judged ON true`
    })
  )
}

const readInsertResult = makeSingleRowReader(Schema.Struct({ made: Schema.Boolean }))

/** Inserts a listing unless it exists or the limit is reached. The caller must hold the operator's lock. */
export const makeInsertListing = (sql: Sql) => (account: ChannelAccountRef, update: ChannelListingEvent, at: Date) =>
  readInsertResult(
    recordChange(sql, {
      change: sql`
        speaker AS (${channelAccountSql(sql, account)}), made AS (
          INSERT INTO listings (operator_id, account_id, channel_type, listing_id, channel_version, created_at, updated_at,
            ${sql.literal(columnNames(ChannelColumnsWithRules))})
          SELECT speaker.operator_id, speaker.id, speaker.channel_type, ${update.listing_id}, ${update.version}::bigint,
            ${at}::timestamptz, ${at}::timestamptz, ${sql.literal(columnNames(ChannelColumnsWithRules, "given"))}
          FROM speaker, ${rowParameterSql(sql, ChannelColumnsWithRules, toChannelColumns(update))}
          WHERE (SELECT count(*) FROM listings WHERE operator_id = ${account.operatorId}) < ${LISTINGS_MAX}::bigint
          ON CONFLICT (operator_id, channel_type, listing_id) DO NOTHING
          RETURNING operator_id, id
        )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "listing", "made"),
      outcome: sql`SELECT EXISTS (SELECT FROM made) AS made`
    })
  )
