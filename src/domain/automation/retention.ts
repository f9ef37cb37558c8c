import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DAY_MS } from "../../contract/time.ts"
import { applyRetention, nextRowsCondition } from "../../jobs/retention.ts"
import { PLAN_MAX_DELAY_MS, PLAN_RETENTION_MS } from "../../platform/limits.ts"
import type { ClaimedPlan } from "./running/plan-statements.ts"

/**
 * Postpones overdue plans of suspended operators to the next UTC midnight. Otherwise they would fill the rows that a
 * claim scans (`DUE_SCAN_ROWS`).
 */
const postponeSuspendedPlansSql = (sql: SqlClient.SqlClient, kind: ClaimedPlan["kind"], now: Date) => {
  const tomorrow = new Date(now.getTime() + DAY_MS - (now.getTime() % DAY_MS))
  const latePlansSql = sql`
    SELECT ctid FROM automation_plans p
    WHERE state = 'waiting' AND kind = ${sql.literal(`'${kind}'`)} AND due_at <= ${now}
      AND scheduled_at <= ${new Date(now.getTime() - PLAN_MAX_DELAY_MS)}
      AND EXISTS (SELECT FROM operators o WHERE o.id = p.operator_id AND o.status <> 'active')
    ORDER BY due_at`
  return sql`UPDATE automation_plans SET due_at = ${tomorrow} WHERE ${nextRowsCondition(sql, latePlansSql)}`
}

export const applyPlanRetention = Effect.fnUntraced(function* (now: Date) {
  const sql = yield* SqlClient.SqlClient
  const answerCutoff = new Date(now.getTime() - PLAN_RETENTION_MS)
  const expiredStayPlansSql = sql`
    SELECT ctid FROM automation_plans WHERE settled_at IS NOT NULL AND kept_until <= ${now} ORDER BY kept_until`
  const expiredAnswersSql = sql`
    SELECT ctid FROM automation_plans WHERE settled_at <= ${answerCutoff} AND kept_until IS NULL ORDER BY settled_at`
  yield* Effect.orDie(
    applyRetention(sql, [
      postponeSuspendedPlansSql(sql, "send_message", now),
      postponeSuspendedPlansSql(sql, "review", now),
      sql`DELETE FROM automation_plans WHERE ${nextRowsCondition(sql, expiredStayPlansSql)}`,
      sql`DELETE FROM automation_plans WHERE ${nextRowsCondition(sql, expiredAnswersSql)}`
    ])
  )
})
