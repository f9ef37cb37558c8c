import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { digestOf } from "../../../admission/gate/credentials.ts"
import type { Acting } from "../../../contract/acting.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import { actingAs } from "./acting-client.ts"
import type { Client } from "./Clients.ts"
import { endOne } from "./ending.ts"

const LiveGrant = Schema.Struct({
  operatorId: Schema.Int,
  grantId: Schema.Int,
  accountId: Schema.Int,
  name: Schema.String
})

const readGrant = rowOf(LiveGrant)

/** The live grant of a token of either kind, also of one that is used or over, if this client has it. */
const find = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ clientId, digest }: Givens<{ readonly clientId: string; readonly digest: Uint8Array }>) => sql`
      SELECT g.operator_id AS "operatorId", g.id AS "grantId", g.account_id AS "accountId", g.name
      FROM (
        SELECT operator_id, grant_id FROM access_tokens WHERE digest = ${digest}
        UNION ALL SELECT operator_id, grant_id FROM oauth_refresh_tokens WHERE digest = ${digest}
      ) token JOIN oauth_grants g ON g.operator_id = token.operator_id AND g.id = token.grant_id
      WHERE g.client_id = ${clientId} AND g.ended_at IS NULL`
  )
  return (clientId: string, digest: Uint8Array) => readGrant(statement({ clientId, digest }))
}

/** Ends the grant of a token (RFC 7009 2). What is no token of the client's changes nothing, and nobody is told which (2.2). */
export const revocation = (sql: SqlClient.SqlClient) => {
  const grantOf = find(sql)
  const end = endOne(sql)
  return Effect.fnUntraced(function* (client: Client, token: string): Effect.fn.Return<void, never, Acting> {
    const grant = yield* grantOf(client.id, digestOf(token))
    if (grant === undefined) return
    const { operatorId, grantId } = grant
    const now = yield* DateTime.nowAsDate
    yield* actingAs(grant)(end({ operatorId, grantId, by: "application", now }))
  })
}
