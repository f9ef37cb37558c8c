import { Cause, DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import { makeChanging } from "./changing.ts"
import { lettingTimeOut } from "./guest-acts.ts"
import { lettingExpire } from "./offer-acts.ts"
import { SandboxAccount } from "./rows.ts"

/** Orders that time out in one turn, and offers that expire in one. */
const EXPIRED_A_TURN = 50

const readExpired = rowsOf(Schema.Struct({ ...SandboxAccount.fields, name: Schema.String }))

/** What of one of the tables is over by the clock, the longest first. */
const over = (sql: SqlClient.SqlClient, what: "order" | "offer") => {
  const [table, name] = [sql.literal(`sandbox_${what}s`), sql.literal(`${what}_id`)]
  const isActive = what === "offer" ? sql`AND waiting.status = 'active'` : sql``
  return inForms(
    sql,
    ({ now }: Givens<{ readonly now: Date }>) => sql`
      SELECT a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone, waiting.${name} AS name
      FROM ${table} waiting
      JOIN channel_accounts a
        ON a.operator_id = waiting.operator_id AND a.id = waiting.account_id AND a.connector = 'sandbox'
      JOIN operators o ON o.id = a.operator_id
      WHERE waiting.expires_at <= ${now} ${isActive}
      ORDER BY waiting.expires_at LIMIT ${sql.literal(String(EXPIRED_A_TURN))}`
  )
}

/** Lets what has waited long enough time out; answers how many that were. */
export const makeExpiring = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const apply = yield* makeChanging
  const [orders, offers] = [over(sql, "order"), over(sql, "offer")]
  // Answered, paid or cancelled in that moment: then it does not wait any more. One that breaks is left where it is: those
  // after it have timed out too.
  const ending = (what: string, end: Effect.Effect<unknown, unknown>) =>
    Effect.ignore(end).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logError(`the timeout of a sandbox ${what} failed`, cause)
      )
    )
  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    const waiting = yield* readExpired(orders({ now }))
    const offered = yield* readExpired(offers({ now }))
    yield* Effect.forEach(
      waiting,
      (account) => ending("order", apply(account, { orderId: account.name }, lettingTimeOut)),
      { discard: true }
    )
    yield* Effect.forEach(
      offered,
      (account) => {
        const offerId = account.name
        return ending("offer", apply(account, { thread: { offerId }, offer: { offerId } }, lettingExpire))
      },
      { discard: true }
    )
    return waiting.length + offered.length
  })
})
