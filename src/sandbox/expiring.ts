import { Cause, DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../database/forms.ts"
import { rowsOf } from "../database/rows.ts"
import { makeChanging } from "./changing.ts"
import { lettingTimeOut } from "./guest-acts.ts"
import { SandboxAccount } from "./rows.ts"

/** Orders that time out in one turn. */
const EXPIRED_A_TURN = 50

const readExpired = rowsOf(Schema.Struct({ ...SandboxAccount.fields, order_id: Schema.String }))

/** Lets what has waited long enough time out; answers how many that were. */
export const makeExpiring = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const apply = yield* makeChanging
  const expired = inForms(
    sql,
    ({ now }: Givens<{ readonly now: Date }>) => sql`
      SELECT a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone, waiting.order_id
      FROM sandbox_orders waiting
      JOIN channel_accounts a
        ON a.operator_id = waiting.operator_id AND a.id = waiting.account_id AND a.connector = 'sandbox'
      JOIN operators o ON o.id = a.operator_id
      WHERE waiting.expires_at <= ${now}
      ORDER BY waiting.expires_at LIMIT ${sql.literal(String(EXPIRED_A_TURN))}`
  )
  return Effect.gen(function* () {
    const found = yield* readExpired(expired({ now: yield* DateTime.nowAsDate }))
    yield* Effect.forEach(
      found,
      // Answered, paid or cancelled in that moment: then it does not wait any more. One that breaks is left where it is: those
      // after it have timed out too.
      (order) =>
        Effect.ignore(apply(order, { orderId: order.order_id }, lettingTimeOut)).pipe(
          Effect.catchCauseIf(
            (cause) => !Cause.hasInterruptsOnly(cause),
            (cause) => Effect.logError("an order of the sandbox could not time out", cause)
          )
        ),
      { discard: true }
    )
    return found.length
  })
})
