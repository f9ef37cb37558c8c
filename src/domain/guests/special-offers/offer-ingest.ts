import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import { columnAssignments, columnNames, rowParameterSql } from "../../../platform/database/columns.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import type { ChannelAccountRef } from "../../channels/port/event-handling.ts"
import { changedOffersSql, type NewOffer, NewOfferColumns, OfferTerms } from "./offer-columns.ts"
import { listPreviousStatuses } from "./rules/offer-status.ts"

const readIngestResult = makeSingleRowReader(
  Schema.Struct({
    thread_known: Schema.Boolean,
    applied: Schema.Boolean,
    last_version: Schema.NullOr(Schema.Int)
  })
)

/**
 * `before` locks the stored offer before the insert, because a locking SELECT skips rows that its own statement has
 * written. If `recordOffer` stores the same offer at the same time, the channel's version wins.
 */
export const makeIngestOffer =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, accountId, channelType }: ChannelAccountRef, threadId: string, version: number, offer: NewOffer) =>
    readIngestResult(
      recordChange(sql, {
        change: sql`
          thread AS (
            SELECT operator_id, id FROM conversations
            WHERE operator_id = ${operatorId} AND account_id = ${accountId}
              AND channel_type = ${channelType} AND thread_id = ${threadId}
          ), given AS (SELECT * FROM ${rowParameterSql(sql, NewOfferColumns, offer)}),
          before AS (
            SELECT o.* FROM thread, given, special_offers o
            WHERE o.operator_id = thread.operator_id AND o.conversation_id = thread.id AND o.offer_id = given.offer_id
            FOR NO KEY UPDATE OF o
          ), after AS (
            INSERT INTO special_offers AS o (operator_id, conversation_id, version, ${sql.literal(columnNames(NewOfferColumns))})
            SELECT thread.operator_id, thread.id, ${version}::bigint, ${sql.literal(columnNames(NewOfferColumns, "given"))}
            FROM thread CROSS JOIN given LEFT JOIN before ON true
            WHERE before.id IS NULL OR before.version < ${version}::bigint
            ON CONFLICT ON CONSTRAINT special_offers_of_channel DO UPDATE
              SET version = excluded.version, ${sql.literal(columnAssignments(OfferTerms, "excluded"))},
                status = CASE WHEN o.status = ANY(${listPreviousStatuses(offer.status)}::text[]) THEN excluded.status ELSE o.status END
              WHERE o.version < excluded.version
            RETURNING o.*
          ), news AS (
            SELECT after.operator_id, after.offer_id, before.id IS NULL AS is_new,
              changed_fields(to_jsonb(before), to_jsonb(after) - 'version') AS fields
            FROM after LEFT JOIN before ON before.operator_id = after.operator_id AND before.id = after.id
          )`,
        events: [],
        // A newer version with the same content is not recorded as a change.
        changedRecords: changedOffersSql(
          sql,
          sql`(SELECT * FROM news WHERE is_new OR fields <> '{}') told`,
          sql`CASE WHEN is_new THEN '{}'::text[] ELSE fields END`
        ),
        outcome: sql`
          SELECT EXISTS (SELECT FROM thread) AS thread_known, EXISTS (SELECT FROM after) AS applied,
            (SELECT version FROM before) AS last_version`
      })
    )
