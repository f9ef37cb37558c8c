import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import type { Acting } from "../../../contract/acting.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type Givens, inForms, type Valued } from "../../../platform/database/forms.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { CONNECTIONS_SHOWN } from "../../../platform/limits.ts"
import { ended, ending } from "./ending.ts"

/** An application that a host connected. */
export const Connection = Schema.Struct({
  id: Schema.Int,
  clientId: Schema.String,
  name: Schema.String,
  scope: Schema.Literals(["read-only", "writable"]),
  accountId: Schema.Int,
  accountName: Schema.String,
  connectedAt: Schema.Date,
  /** Right to the minute; null: never. */
  lastUsedAt: Schema.NullOr(Schema.Date)
})
export type Connection = typeof Connection.Type

/** Whose connections: a main account sees those of all accounts of its operator, another one its own. */
export type Viewer = Pick<Caller, "operatorId" | "accountId" | "role">

const readConnections = rowsOf(Connection)

type Seeing = Valued<Viewer>

/** Of grants g, those that the viewer sees. */
const seenBy = (sql: SqlClient.SqlClient, { operatorId, accountId, role }: Seeing) => sql`
  g.operator_id = ${operatorId} AND (${role}::text = 'main' OR g.account_id = ${accountId})`

/** Uses of tokens that are forgotten already stand with the grant (retention.ts). */
const list = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    (viewer: Givens<Viewer>) => sql`
      SELECT g.id, g.client_id AS "clientId", g.name, g.scope, g.account_id AS "accountId", a.name AS "accountName",
        g.created_at AS "connectedAt",
        greatest(g.last_used_at, (
          SELECT max(t.last_used_at) FROM access_tokens t WHERE t.operator_id = g.operator_id AND t.grant_id = g.id
        )) AS "lastUsedAt"
      FROM oauth_grants g JOIN accounts a ON a.operator_id = g.operator_id AND a.id = g.account_id
      WHERE ${seenBy(sql, viewer)} AND g.ended_at IS NULL
      ORDER BY g.id DESC LIMIT ${sql.literal(String(CONNECTIONS_SHOWN))}`
  )
  return ({ operatorId, accountId, role }: Viewer) => readConnections(statement({ operatorId, accountId, role }))
}

interface Disconnected extends Viewer {
  readonly id: number
  readonly now: Date
}

const disconnect = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ id, now, ...viewer }: Givens<Disconnected>) =>
    ending(sql, sql`${seenBy(sql, viewer)} AND g.id = ${id}`, "host", now)
  )
  return ({ operatorId, accountId, role }: Viewer, id: number) =>
    Effect.flatMap(DateTime.nowAsDate, (now) =>
      Effect.map(ended(statement({ operatorId, accountId, role, id, now })), (grants) => grants > 0)
    )
}

/** What hosts have given to applications. */
export class Grants extends Context.Service<
  Grants,
  {
    /** The newest first; at most so many as accounts may have together on one page (CONNECTIONS_SHOWN). */
    readonly list: (viewer: Viewer) => Effect.Effect<ReadonlyArray<Connection>>
    /** Ends it, its tokens and its webhook subscriptions. False: the viewer has no such connection. */
    readonly disconnect: (viewer: Viewer, id: number) => Effect.Effect<boolean, never, Acting>
  }
>()("latchkey/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.map(SqlClient.SqlClient, (sql) => Grants.of({ list: list(sql), disconnect: disconnect(sql) }))
  )
}
