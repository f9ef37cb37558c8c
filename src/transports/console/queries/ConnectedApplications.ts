import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { visibleGrantsCondition } from "../../../domain/access/oauth/Grants.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { CONNECTIONS_SHOWN } from "../../../platform/limits.ts"

export const ConnectedApplication = Schema.Struct({
  id: Schema.Int,
  clientId: Schema.String,
  name: Schema.String,
  scope: Schema.Literals(["read-only", "writable"]),
  accountId: Schema.Int,
  accountName: Schema.String,
  connectedAt: Schema.Date,
  /** Accurate to the minute. */
  lastUsedAt: Schema.NullOr(Schema.Date)
})
export type ConnectedApplication = typeof ConnectedApplication.Type

const readApplications = makeRowsReader(ConnectedApplication)

/** The grant keeps the last use of its deleted tokens (src/domain/access/oauth/retention.ts). */
const list = (sql: SqlClient.SqlClient) =>
  CurrentCaller.use(({ operatorId, accountId, role }) =>
    readApplications(sql`
      SELECT g.id, g.client_id AS "clientId", g.name, g.scope, g.account_id AS "accountId", a.name AS "accountName",
        g.created_at AS "connectedAt",
        greatest(g.last_used_at, (
          SELECT max(t.last_used_at) FROM access_tokens t WHERE t.operator_id = g.operator_id AND t.grant_id = g.id
        )) AS "lastUsedAt"
      FROM oauth_grants g JOIN accounts a ON a.operator_id = g.operator_id AND a.id = g.account_id
      WHERE ${visibleGrantsCondition(sql, { operatorId, accountId, role })} AND g.ended_at IS NULL
      ORDER BY g.id DESC LIMIT ${sql.literal(String(CONNECTIONS_SHOWN))}`)
  )

/** A main account sees the applications of all accounts, a sub-account its own. */
export class ConnectedApplications extends Context.Service<ConnectedApplications>()(
  "latchkey/transports/console/queries/ConnectedApplications",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      list: list(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(ConnectedApplications, ConnectedApplications.make)
}
