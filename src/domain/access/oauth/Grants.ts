import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { AccountViewer } from "../operators/account-viewer.ts"
import { endGrants } from "./grant-ending.ts"

/** The condition refers to `oauth_grants g`. */
export const visibleGrantsCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId, role }: AccountViewer
): Fragment => sql`
  g.operator_id = ${operatorId} AND (${role}::text = 'main' OR g.account_id = ${accountId})`

const disconnect =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, accountId, role }: AccountViewer, id: number) =>
    Effect.flatMap(DateTime.nowAsDate, (now) =>
      endGrants(sql, sql`${visibleGrantsCondition(sql, { operatorId, accountId, role })} AND g.id = ${id}`, "host", now)
    )

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Ends a grant, its tokens, and the webhook subscriptions, automation rules and property feeds that it created.
     * Returns false if the viewer has no such grant.
     */
    readonly disconnect: (viewer: AccountViewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/access/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.map(SqlClient.SqlClient, (sql) => Grants.of({ disconnect: disconnect(sql) }))
  )
}
