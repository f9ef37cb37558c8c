import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import { RecordCode, textUpTo } from "../../../contract/fields.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { CHANNEL_ACCOUNTS_MAX, GUEST_NAME_LENGTH } from "../../../platform/limits.ts"
import type { ChannelAccountEvent } from "../port/channel-events.ts"
import { ChannelType } from "../port/channel-type.ts"
import type { ChannelAccountRef } from "../port/event-handling.ts"

type Sql = SqlClient.SqlClient

export const NewChannelAccount = Schema.Struct({
  channel_type: ChannelType,
  username: textUpTo(GUEST_NAME_LENGTH),
  origin_account_id: RecordCode,
  connector: RecordCode
})
export type NewChannelAccount = typeof NewChannelAccount.Type

const readIngestedUpdate = makeOptionalRowReader(
  Schema.Struct({ last_version: Schema.Int, is_reconnected: Schema.Boolean })
)
const readConnectedAccount = makeOptionalRowReader(
  Schema.Struct({ id: Schema.NullOr(Schema.Int), is_reconnected: Schema.Boolean })
)

const isReconnectedCondition = (sql: Sql) => sql`
  EXISTS (
    SELECT FROM before JOIN after ON after.id = before.id
    WHERE before.auth_status = 'disconnected' AND after.auth_status <> 'disconnected')`

/**
 * Returns the previous version and whether the update reconnects the account. Returns undefined if there is no such
 * account.
 */
export const makeIngestAccountUpdate =
  (sql: Sql) =>
  (
    { operatorId, accountId, channelType }: ChannelAccountRef,
    { version, username, auth_status }: ChannelAccountEvent
  ) =>
    readIngestedUpdate(
      recordChange(sql, {
        change: sql`
          before AS (
            SELECT * FROM channel_accounts
            WHERE operator_id = ${operatorId} AND id = ${accountId} AND channel_type = ${channelType}
            FOR NO KEY UPDATE
          ), after AS (
            UPDATE channel_accounts a
            SET username = ${username}, auth_status = ${auth_status}, version = ${version}::bigint
            FROM before
            WHERE a.operator_id = before.operator_id AND a.id = before.id AND before.version < ${version}::bigint
            RETURNING a.*
          )`,
        events: [],
        // The audit log does not record a new version without other changes.
        changedRecords: sql`
          SELECT * FROM (
            SELECT after.operator_id, 'channel_account:' || after.id AS record,
              changed_fields(to_jsonb(before), to_jsonb(after)) AS fields
            FROM before JOIN after ON after.operator_id = before.operator_id AND after.id = before.id
          ) compared WHERE fields <> '{}'`,
        outcome: sql`SELECT version AS last_version, ${isReconnectedCondition(sql)} AS is_reconnected FROM before`
      })
    )

/**
 * Returns a null id at the account limit, and undefined for an unknown operator. The caller must hold the operator
 * lock.
 */
export const makeConnectAccount = (sql: Sql) => (operatorId: number, account: NewChannelAccount, now: Date) =>
  readConnectedAccount(
    recordChange(sql, {
      change: sql`
        before AS (
          SELECT * FROM channel_accounts
          WHERE operator_id = ${operatorId} AND channel_type = ${account.channel_type}
            AND origin_account_id = ${account.origin_account_id}
        ), after AS (
          INSERT INTO channel_accounts AS a
            (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
          SELECT id, ${account.channel_type}, ${account.username}, ${account.origin_account_id}, 'active', ${account.connector},
            ${now}::timestamptz
          FROM operators
          WHERE id = ${operatorId} AND (EXISTS (SELECT FROM before)
            OR (SELECT count(*) FROM channel_accounts WHERE operator_id = ${operatorId}) < ${CHANNEL_ACCOUNTS_MAX}::bigint)
          ON CONFLICT (operator_id, channel_type, origin_account_id) DO UPDATE
            SET username = excluded.username, auth_status = excluded.auth_status, connector = excluded.connector
          RETURNING a.*
        )`,
      events: [],
      changedRecords: sql`
        SELECT after.operator_id, 'channel_account:' || after.id AS record,
          CASE WHEN before.id IS NULL THEN '{}'::text[] ELSE changed_fields(to_jsonb(before), to_jsonb(after)) END AS fields
        FROM after LEFT JOIN before ON before.operator_id = after.operator_id AND before.id = after.id`,
      outcome: sql`
        SELECT after.id, ${isReconnectedCondition(sql)} AS is_reconnected
        FROM operators LEFT JOIN after ON true WHERE operators.id = ${operatorId}`
    })
  )
