import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nextRows } from "../background/retention.ts"
import { type Givens, inForms } from "../database/forms.ts"
import { onlyRowOf, rowsOf } from "../database/rows.ts"
import { connectorName } from "./names.ts"

// Which messages of connectors were heard, and what came of each.

type Sql = SqlClient.SqlClient

/** What came of a message. */
export const Outcome = Schema.Struct({ outcome: Schema.String, reason: Schema.NullOr(Schema.String) })
export type Outcome = typeof Outcome.Type

const Ground = Schema.Struct({
  /** Of the connector's account that the message is about; null: it has no such account. */
  operator_id: Schema.NullOr(Schema.Int),
  channel_type: Schema.NullOr(Schema.String),
  /** What came of the message of that id, if one was heard; `same`: it was this one. */
  before: Schema.NullOr(Schema.Struct({ ...Outcome.fields, same: Schema.Boolean }))
})

const readGround = onlyRowOf(Ground)
const readNothing = rowsOf(Schema.Struct({}))

interface Message {
  readonly connectorId: number
  readonly messageId: string
  readonly digest: Uint8Array
}

interface Looked extends Message {
  readonly connector: string
  readonly accountId: number
}

/** What there is to know before a message is heard. */
export const groundOf = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ connectorId, messageId, digest, connector, accountId }: Givens<Looked>) => sql`
      SELECT a.operator_id, a.channel_type, (
        SELECT jsonb_build_object('outcome', outcome, 'reason', reason, 'same', digest = ${digest}::bytea)
        FROM connector_messages WHERE connector_id = ${connectorId} AND message_id = ${messageId}
      ) AS before
      FROM (VALUES (0)) one LEFT JOIN channel_accounts a ON a.connector = ${connector} AND a.id = ${accountId}`
  )
  return (message: Message, accountId: number) =>
    readGround(statement({ ...message, connector: connectorName(message.connectorId), accountId }))
}

interface Heard extends Message, Outcome {
  readonly now: Date
}

/** Writes down what came of a message; of two that were heard at once the first stays. */
export const noting = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ connectorId, messageId, digest, outcome, reason, now }: Givens<Heard>) => sql`
      INSERT INTO connector_messages (connector_id, message_id, digest, outcome, reason, heard_at)
      SELECT id, ${messageId}, ${digest}::bytea, ${outcome}, ${reason}, ${now}::timestamptz
      FROM connectors WHERE id = ${connectorId}
      ON CONFLICT DO NOTHING`
  )
  return (message: Message, { outcome, reason }: Outcome, now: Date) =>
    readNothing(statement({ ...message, outcome, reason, now }))
}

export const forgettingMessages = (sql: Sql, then: Date): Fragment => sql`
  DELETE FROM connector_messages
  WHERE ${nextRows(sql, sql`SELECT ctid FROM connector_messages WHERE heard_at <= ${then}`)}`
