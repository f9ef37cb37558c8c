import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { computeDigest } from "../../../admission/gate/credentials.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { runAsApplication } from "./application-actor.ts"
import type { OAuthClient } from "./Clients.ts"
import { makeEndGrant } from "./grant-ending.ts"

const LiveGrant = Schema.Struct({
  operatorId: Schema.Int,
  grantId: Schema.Int,
  accountId: Schema.Int,
  name: Schema.String
})

const readGrant = makeOptionalRowReader(LiveGrant)

const makeFindGrant = (sql: SqlClient.SqlClient) => (clientId: string, digest: Uint8Array) =>
  readGrant(sql`
      SELECT g.operator_id AS "operatorId", g.id AS "grantId", g.account_id AS "accountId", g.name
      FROM (
        SELECT operator_id, grant_id FROM access_tokens WHERE digest = ${digest}
        UNION ALL SELECT operator_id, grant_id FROM oauth_refresh_tokens WHERE digest = ${digest}
      ) token JOIN oauth_grants g ON g.operator_id = token.operator_id AND g.id = token.grant_id
      WHERE g.client_id = ${clientId} AND g.ended_at IS NULL`)

/** Ignores unknown and other clients' tokens, as RFC 7009 2.2 requires. */
export const makeRevokeToken = (sql: SqlClient.SqlClient) => {
  const findGrant = makeFindGrant(sql)
  const endGrant = makeEndGrant(sql)
  return Effect.fnUntraced(function* (client: OAuthClient, token: string): Effect.fn.Return<void, never, CurrentActor> {
    const grant = yield* findGrant(client.id, computeDigest(token))
    if (grant === undefined) return
    const { operatorId, grantId } = grant
    const now = yield* DateTime.nowAsDate
    yield* runAsApplication(grant)(endGrant({ operatorId, grantId, endedBy: "application", now }))
  })
}
