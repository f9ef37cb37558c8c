import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Code, textUpTo } from "../../../contract/fields.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { CHANNEL_ACCOUNTS, GUEST_NAME } from "../../../platform/limits.ts"
import type { OfOperator } from "../../own-row.ts"
import { ChannelType } from "../port/channel-type.ts"
import type { Speaking } from "../port/heard.ts"
import type { AccountSaid } from "../port/said.ts"

// How accounts come into the service and change in it.

type Sql = SqlClient.SqlClient

/** An account that somebody lets the service into. */
export const NewChannelAccount = Schema.Struct({
  channel_type: ChannelType,
  username: textUpTo(GUEST_NAME),
  /** The channel's own id of the account. */
  origin_account_id: Code,
  /** The name of the connector it is reached by. */
  connector: Code
})
export type NewChannelAccount = typeof NewChannelAccount.Type

const readHeard = rowOf(Schema.Struct({ last_version: Schema.Int }))
const readConnected = rowOf(Schema.Struct({ id: Schema.NullOr(Schema.Int) }))

interface Said extends Speaking {
  readonly version: number
  readonly username: string
  readonly auth_status: string
}

/** Writes down how an account stands if that is news, and answers the version before; undefined: there is no such account. */
export const hear = (sql: Sql) => {
  const statement = onRecordInForms(sql, (said: Givens<Said>) => ({
    change: sql`
      before AS (
        SELECT * FROM channel_accounts
        WHERE operator_id = ${said.operatorId} AND id = ${said.accountId} AND channel_type = ${said.channelType}
        FOR NO KEY UPDATE
      ), after AS (
        UPDATE channel_accounts a
        SET username = ${said.username}, auth_status = ${said.auth_status}, version = ${said.version}::bigint
        FROM before
        WHERE a.operator_id = before.operator_id AND a.id = before.id AND before.version < ${said.version}::bigint
        RETURNING a.*
      )`,
    events: [],
    // One more version of the same is no change.
    touched: sql`
      SELECT * FROM (
        SELECT after.operator_id, 'channel_account:' || after.id AS record,
          changed_fields(to_jsonb(before), to_jsonb(after)) AS fields
        FROM before JOIN after ON after.operator_id = before.operator_id AND after.id = before.id
      ) compared WHERE fields <> '{}'`,
    outcome: sql`SELECT version AS last_version FROM before`
  }))
  return ({ operatorId, accountId, channelType }: Speaking, { version, username, auth_status }: AccountSaid) =>
    readHeard(statement({ operatorId, accountId, channelType, version, username, auth_status }))
}

interface Connected extends OfOperator, NewChannelAccount {
  readonly now: Date
  readonly most: number
}

/**
 * Makes an account, or makes the one there is active again. Answers its id, null where there is no room for one more, and
 * undefined where there is no such operator. To be run in turn.
 */
export const connect = (sql: Sql) => {
  const statement = onRecordInForms(sql, ({ operatorId, now, most, ...given }: Givens<Connected>) => ({
    change: sql`
      before AS (
        SELECT * FROM channel_accounts
        WHERE operator_id = ${operatorId} AND channel_type = ${given.channel_type}
          AND origin_account_id = ${given.origin_account_id}
      ), after AS (
        INSERT INTO channel_accounts AS a
          (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
        SELECT id, ${given.channel_type}, ${given.username}, ${given.origin_account_id}, 'active', ${given.connector},
          ${now}::timestamptz
        FROM operators
        WHERE id = ${operatorId} AND (EXISTS (SELECT FROM before)
          OR (SELECT count(*) FROM channel_accounts WHERE operator_id = ${operatorId}) < ${most}::bigint)
        ON CONFLICT (operator_id, channel_type, origin_account_id) DO UPDATE
          SET username = excluded.username, auth_status = excluded.auth_status, connector = excluded.connector
        RETURNING a.*
      )`,
    events: [],
    touched: sql`
      SELECT after.operator_id, 'channel_account:' || after.id AS record,
        CASE WHEN before.id IS NULL THEN '{}'::text[] ELSE changed_fields(to_jsonb(before), to_jsonb(after)) END AS fields
      FROM after LEFT JOIN before ON before.operator_id = after.operator_id AND before.id = after.id`,
    outcome: sql`SELECT after.id FROM operators LEFT JOIN after ON true WHERE operators.id = ${operatorId}`
  }))
  return (operatorId: number, account: NewChannelAccount, now: Date) => {
    const { channel_type, username, origin_account_id, connector } = account
    const most = CHANNEL_ACCOUNTS
    return readConnected(statement({ operatorId, channel_type, username, origin_account_id, connector, now, most }))
  }
}
