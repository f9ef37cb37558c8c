import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { applyRetention, nextRowsCondition, RETENTION_INTERVAL_MS } from "../../jobs/retention.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import { CONNECTOR_MESSAGE_RETENTION_MS } from "../../platform/limits.ts"
import { toConnectorName } from "./connector-names.ts"

type Sql = SqlClient.SqlClient

export const ConnectorMessageOutcome = Schema.Struct({ outcome: Schema.String, reason: Schema.NullOr(Schema.String) })
export type ConnectorMessageOutcome = typeof ConnectorMessageOutcome.Type

const MessageContext = Schema.Struct({
  /** Null if the account does not belong to the connector. */
  operator_id: Schema.NullOr(Schema.Int),
  channel_type: Schema.NullOr(Schema.String),
  /** The stored message with this id. `same`: its digest is equal. `anew`: the new message was signed later. */
  before: Schema.NullOr(
    Schema.Struct({ ...ConnectorMessageOutcome.fields, same: Schema.Boolean, anew: Schema.Boolean })
  )
})

const readMessageContext = makeSingleRowReader(MessageContext)
const readNothing = makeRowsReader(Schema.Struct({}))

interface ConnectorMessage {
  readonly connectorId: number
  readonly messageId: string
  readonly digest: Uint8Array
  /** Unix seconds. */
  readonly signedAt: number
}

export const makeLoadMessageContext =
  (sql: Sql) =>
  ({ connectorId, messageId, digest, signedAt }: ConnectorMessage, accountId: number) =>
    readMessageContext(sql`
      SELECT a.operator_id, a.channel_type, (
        SELECT jsonb_build_object('outcome', outcome, 'reason', reason, 'same', digest = ${digest}::bytea,
          'anew', signed_at < ${signedAt}::bigint)
        FROM connector_messages WHERE connector_id = ${connectorId} AND message_id = ${messageId}
      ) AS before
      FROM (VALUES (0)) one
      LEFT JOIN channel_accounts a ON a.connector = ${toConnectorName(connectorId)} AND a.id = ${accountId}`)

/** If a concurrent copy has stored its outcome first, that outcome stays. */
export const makeRecordMessageOutcome =
  (sql: Sql) =>
  (
    { connectorId, messageId, digest, signedAt }: ConnectorMessage,
    { outcome, reason }: ConnectorMessageOutcome,
    now: Date
  ) =>
    readNothing(sql`
      INSERT INTO connector_messages AS m (connector_id, message_id, digest, outcome, reason, signed_at, heard_at)
      SELECT id, ${messageId}, ${digest}::bytea, ${outcome}, ${reason}, ${signedAt}::bigint, ${now}::timestamptz
      FROM connectors WHERE id = ${connectorId}
      ON CONFLICT (connector_id, message_id) DO UPDATE SET signed_at = excluded.signed_at
        WHERE m.digest = excluded.digest AND m.signed_at < excluded.signed_at`)

export const layerConnectorMessageRetention = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    repeatPeriodically("retention of connectors' messages", RETENTION_INTERVAL_MS, (now) =>
      applyRetention(sql, [
        deleteOldConnectorMessagesSql(sql, new Date(now.getTime() - CONNECTOR_MESSAGE_RETENTION_MS))
      ])
    )
  )
)

const deleteOldConnectorMessagesSql = (sql: Sql, cutoff: Date): Fragment => sql`
  DELETE FROM connector_messages
  WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM connector_messages WHERE heard_at <= ${cutoff}`)}`
