import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Givens, Valued } from "../../../platform/database/forms.ts"
import type { AccountViewer } from "../operators/account-viewer.ts"
import { countEndedGrants, endGrantsChange } from "./grant-ending.ts"

/** Of grants g, those that the viewer sees. */
export const visibleGrantsCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId, role }: Valued<AccountViewer>
): Fragment => sql`
  g.operator_id = ${operatorId} AND (${role}::text = 'main' OR g.account_id = ${accountId})`

interface DisconnectInput extends AccountViewer {
  readonly id: number
  readonly now: Date
}

const disconnect = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(sql, ({ id, now, ...viewer }: Givens<DisconnectInput>) =>
    endGrantsChange(sql, sql`${visibleGrantsCondition(sql, viewer)} AND g.id = ${id}`, "host", now)
  )
  return ({ operatorId, accountId, role }: AccountViewer, id: number) =>
    Effect.flatMap(DateTime.nowAsDate, (now) =>
      Effect.map(countEndedGrants(statement({ operatorId, accountId, role, id, now })), (grants) => grants > 0)
    )
}

/** What hosts have given to applications. */
export class Grants extends Context.Service<
  Grants,
  {
    /** Ends it, its tokens and what they made. False: the viewer has no such connection. */
    readonly disconnect: (viewer: AccountViewer, id: number) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/access/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.map(SqlClient.SqlClient, (sql) => Grants.of({ disconnect: disconnect(sql) }))
  )
}
