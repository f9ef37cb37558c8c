import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"

const OwnChoices = Schema.Struct({
  email: Schema.String,
  is_verified: Schema.Boolean,
  kinds: Schema.Array(Schema.String)
})
export type OwnChoices = typeof OwnChoices.Type

const readChoices = makeSingleRowReader(OwnChoices)

const load = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(CurrentCaller, ({ operatorId, accountId }) =>
    readChoices(sql`
      SELECT a.email, coalesce(r.verified_email = a.email, false) AS is_verified, coalesce(r.kinds, '{}') AS kinds
      FROM accounts a
      LEFT JOIN notification_recipients r ON r.operator_id = a.operator_id AND r.account_id = a.id
      WHERE a.operator_id = ${operatorId} AND a.id = ${accountId}`)
  )

/** The address and the choices of the caller's own account. */
export class NotificationChoices extends Context.Service<NotificationChoices>()(
  "latchkey/transports/console/queries/NotificationChoices",
  { make: Effect.map(SqlClient.SqlClient, (sql) => ({ load: load(sql) })) }
) {
  static readonly layer = Layer.effect(NotificationChoices, NotificationChoices.make)
}
