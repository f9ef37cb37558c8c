import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type Givens, inForms, type Valued } from "../../../platform/database/forms.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { CONNECTIONS_SHOWN } from "../../../platform/limits.ts"
import { countEndedGrants, endGrantsChange } from "./grant-ending.ts"

/** An application that a host connected. */
export const ConnectedApplication = Schema.Struct({
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
export type ConnectedApplication = typeof ConnectedApplication.Type

/** Whose connections: a main account sees those of all accounts of its operator, another one its own. */
export type GrantViewer = Pick<Caller, "operatorId" | "accountId" | "role">

const readApplications = makeRowsReader(ConnectedApplication)

type ViewerValues = Valued<GrantViewer>

/** Of grants g, those that the viewer sees. */
const visibleGrantsCondition = (sql: SqlClient.SqlClient, { operatorId, accountId, role }: ViewerValues) => sql`
  g.operator_id = ${operatorId} AND (${role}::text = 'main' OR g.account_id = ${accountId})`

/** Uses of tokens that are forgotten already stand with the grant (retention.ts). */
const list = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    (viewer: Givens<GrantViewer>) => sql`
      SELECT g.id, g.client_id AS "clientId", g.name, g.scope, g.account_id AS "accountId", a.name AS "accountName",
        g.created_at AS "connectedAt",
        greatest(g.last_used_at, (
          SELECT max(t.last_used_at) FROM access_tokens t WHERE t.operator_id = g.operator_id AND t.grant_id = g.id
        )) AS "lastUsedAt"
      FROM oauth_grants g JOIN accounts a ON a.operator_id = g.operator_id AND a.id = g.account_id
      WHERE ${visibleGrantsCondition(sql, viewer)} AND g.ended_at IS NULL
      ORDER BY g.id DESC LIMIT ${sql.literal(String(CONNECTIONS_SHOWN))}`
  )
  return ({ operatorId, accountId, role }: GrantViewer) => readApplications(statement({ operatorId, accountId, role }))
}

interface DisconnectInput extends GrantViewer {
  readonly id: number
  readonly now: Date
}

const disconnect = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(sql, ({ id, now, ...viewer }: Givens<DisconnectInput>) =>
    endGrantsChange(sql, sql`${visibleGrantsCondition(sql, viewer)} AND g.id = ${id}`, "host", now)
  )
  return ({ operatorId, accountId, role }: GrantViewer, id: number) =>
    Effect.flatMap(DateTime.nowAsDate, (now) =>
      Effect.map(countEndedGrants(statement({ operatorId, accountId, role, id, now })), (grants) => grants > 0)
    )
}

/** What hosts have given to applications. */
export class Grants extends Context.Service<
  Grants,
  {
    /** The newest first; at most so many as accounts may have together on one page (CONNECTIONS_SHOWN). */
    readonly list: (viewer: GrantViewer) => Effect.Effect<ReadonlyArray<ConnectedApplication>>
    /** Ends it, its tokens and its webhook subscriptions. False: the viewer has no such connection. */
    readonly disconnect: (viewer: GrantViewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/access/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.map(SqlClient.SqlClient, (sql) => Grants.of({ list: list(sql), disconnect: disconnect(sql) }))
  )
}
