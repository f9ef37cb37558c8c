import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DAY_MS } from "../../contract/time.ts"
import { applyRetention, nextRows } from "../../jobs/retention.ts"
import { PLAN_LATE_MS, PLANS_KEPT_MS } from "../../platform/limits.ts"
import type { TakenPlan } from "./running/taking.ts"

/**
 * What a banned or closed host's rules would have done and nobody takes: it is looked at once a day, all of it together, for the day
 * on which the host is back and it is skipped as late. Due for ever it would be what each look finds first, and a thousand of it
 * (`FIRST_ROWS` of in-turn.ts) would have each come by every host. Within its day it is left: the host may be back in time.
 */
const puttingOff = (sql: SqlClient.SqlClient, kind: TakenPlan["kind"], now: Date) => {
  const tomorrow = new Date(now.getTime() + DAY_MS - (now.getTime() % DAY_MS))
  const late = sql`
    SELECT ctid FROM automation_plans p
    WHERE state = 'waiting' AND kind = ${sql.literal(`'${kind}'`)} AND due_at <= ${now}
      AND scheduled_at <= ${new Date(now.getTime() - PLAN_LATE_MS)}
      AND EXISTS (SELECT FROM operators o WHERE o.id = p.operator_id AND o.status <> 'active')
    ORDER BY due_at`
  return sql`UPDATE automation_plans SET due_at = ${tomorrow} WHERE ${nextRows(sql, late)}`
}

/**
 * Forgets plans that were settled: those of stays once their time and their guest have been gone for so long that nothing would be
 * planned in their place any more, and answers so long after they were given.
 */
export const retain = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const then = new Date(now.getTime() - PLANS_KEPT_MS)
  const over = sql`
    SELECT ctid FROM automation_plans WHERE settled_at IS NOT NULL AND kept_until <= ${now} ORDER BY kept_until`
  const answered = sql`
    SELECT ctid FROM automation_plans WHERE settled_at <= ${then} AND kept_until IS NULL ORDER BY settled_at`
  yield* Effect.orDie(
    applyRetention(sql, [
      puttingOff(sql, "send_message", now),
      puttingOff(sql, "review", now),
      sql`DELETE FROM automation_plans WHERE ${nextRows(sql, over)}`,
      sql`DELETE FROM automation_plans WHERE ${nextRows(sql, answered)}`
    ])
  )
})
