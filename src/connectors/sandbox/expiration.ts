import { Cause, DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { expireOfferRule } from "./guest-offer-rules.ts"
import { timeOutOrderRule } from "./guest-order-rules.ts"
import { SandboxAccount } from "./rows.ts"
import { makeRuleRunner } from "./rule-runner.ts"

const EXPIRE_BATCH = 50

const readExpiredRows = makeRowsReader(Schema.Struct({ ...SandboxAccount.fields, name: Schema.String }))

const makeListExpired = (sql: SqlClient.SqlClient, kind: "order" | "offer") => {
  const [table, name] = [sql.literal(`sandbox_${kind}s`), sql.literal(`${kind}_id`)]
  const activeCondition = kind === "offer" ? sql`AND waiting.status = 'active'` : sql``
  return ({ now }: { readonly now: Date }) => sql`
      SELECT a.operator_id, a.id AS account_id, a.channel_type, a.username, o.time_zone, waiting.${name} AS name
      FROM ${table} waiting
      JOIN channel_accounts a
        ON a.operator_id = waiting.operator_id AND a.id = waiting.account_id AND a.connector = 'sandbox'
      JOIN operators o ON o.id = a.operator_id
      WHERE waiting.expires_at <= ${now} ${activeCondition}
      ORDER BY waiting.expires_at LIMIT ${sql.literal(String(EXPIRE_BATCH))}`
}

export const makeExpireOrdersAndOffers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const runRule = yield* makeRuleRunner
  const [listExpiredOrders, listExpiredOffers] = [makeListExpired(sql, "order"), makeListExpired(sql, "offer")]
  // Expected failures mean that the record has changed. Defects must not stop the expiration of later records.
  const ignoreFailure = (kind: string, expire: Effect.Effect<unknown, unknown>) =>
    Effect.ignore(expire).pipe(
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logError(`the timeout of a sandbox ${kind} failed`, cause)
      )
    )
  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    const expiredOrders = yield* readExpiredRows(listExpiredOrders({ now }))
    const expiredOffers = yield* readExpiredRows(listExpiredOffers({ now }))
    yield* Effect.forEach(
      expiredOrders,
      (account) => ignoreFailure("order", runRule(account, { orderId: account.name }, timeOutOrderRule)),
      { discard: true }
    )
    yield* Effect.forEach(
      expiredOffers,
      (account) => {
        const offerId = account.name
        return ignoreFailure("offer", runRule(account, { thread: { offerId }, offer: { offerId } }, expireOfferRule))
      },
      { discard: true }
    )
    return expiredOrders.length + expiredOffers.length
  })
})
