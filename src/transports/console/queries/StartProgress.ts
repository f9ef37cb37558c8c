import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"

/** Which steps of the start page the operator has done. */
const StartSteps = Schema.Struct({
  /** Title of the operator's first property, or null. */
  first_property: Schema.NullOr(Schema.String),
  has_calendar: Schema.Boolean,
  has_channel: Schema.Boolean,
  has_price: Schema.Boolean,
  has_token: Schema.Boolean
})
export type StartSteps = typeof StartSteps.Type

const readSteps = makeSingleRowReader(StartSteps)

const selectSteps = (sql: SqlClient.SqlClient, operatorId: number) => sql`
  SELECT (SELECT title FROM properties WHERE operator_id = ${operatorId} ORDER BY id LIMIT 1) AS first_property,
    EXISTS (SELECT FROM imported_calendars WHERE operator_id = ${operatorId}) AS has_calendar,
    EXISTS (SELECT FROM channel_accounts WHERE operator_id = ${operatorId}) AS has_channel,
    EXISTS (SELECT FROM base_prices WHERE operator_id = ${operatorId} AND price IS NOT NULL) AS has_price,
    EXISTS (SELECT FROM access_tokens WHERE operator_id = ${operatorId} AND revoked_at IS NULL) AS has_token`

export class StartProgress extends Context.Service<StartProgress>()(
  "latchkey/transports/console/queries/StartProgress",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      load: CurrentCaller.use(({ operatorId }) => readSteps(selectSteps(sql, operatorId)))
    }))
  }
) {
  static readonly layer = Layer.effect(StartProgress, StartProgress.make)
}
