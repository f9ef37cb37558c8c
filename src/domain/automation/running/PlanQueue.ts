import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { AccountKey } from "../../../jobs/fair-queue.ts"
import { makeJobQueue } from "../../../jobs/job-queue.ts"
import { makeOptionalRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { RowId } from "../../column-schemas.ts"
import { newPublicCode } from "../../guests/conversations/conversation-lookup.ts"
import { toQueueFullError } from "../../guests/conversations/message-queue.ts"
import { readRowId } from "../../operator-rows.ts"
import { messageQueueFullError } from "../action-rules.ts"
import { PlanContext, planContextSql, type StayPlanContext } from "./plan-context.ts"
import type { PreparedAction } from "./plan-preparation.ts"
import {
  ClaimedPlan,
  completePlanSql,
  deletePlanChange,
  markStayOfPlanSql,
  PLAN_TABLES,
  postponePlanSql,
  REVIEWING_ROOM,
  sendPlanMessageChange,
  skipPlanChange
} from "./plan-statements.ts"

type RunningPlan = AccountKey & Pick<ClaimedPlan, "kind">

const readContext = makeOptionalRowReader(PlanContext)
const readQueuedMessage = makeOptionalRowReaderOrFail(RowId, (constraint) =>
  toQueueFullError(constraint) === undefined ? undefined : messageQueueFullError
)

const makePlanClaims = (sql: SqlClient.SqlClient) => {
  const returning = sql`j.operator_id, j.id, j.account_id, j.kind, j.attempts, j.failures, j.created_at, j.traceparent`
  const messages = makeJobQueue(sql, PLAN_TABLES.send_message, ClaimedPlan, { returning })
  const reviews = makeJobQueue(sql, PLAN_TABLES.review, ClaimedPlan, { returning })
  return {
    toClaim: messages.toClaim,
    release: messages.release,
    /** Claims messages before reviews. `inProgress` lists the plans that this process has claimed. */
    claim: Effect.fnUntraced(function* (now: Date, maxJobs: number, inProgress: Iterable<RunningPlan>) {
      const running = Map.groupBy(inProgress, ({ kind }) => kind)
      const runningReviews = running.get("review") ?? []
      const claimedMessages = yield* messages.claim(now, maxJobs, running.get("send_message") ?? [])
      const reviewRoom = Math.min(maxJobs - claimedMessages.length, REVIEWING_ROOM - runningReviews.length)
      if (reviewRoom <= 0) return claimedMessages
      return [...claimedMessages, ...(yield* reviews.claim(now, reviewRoom, runningReviews))]
    })
  }
}

const makePlanQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const { claim, release, toClaim } = makePlanClaims(sql)
  return {
    claim,
    release,
    findContext: (operatorId: number, id: number) => readContext(sql`${planContextSql(sql, { operatorId, id })}`),
    /**
     * Returns undefined if the plan was completed or rescheduled, or no longer applies. Fails with Conflict if the
     * message queue is full.
     */
    sendMessage: (plan: StayPlanContext, message: Extract<PreparedAction, { readonly kind: "message" }>) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        readQueuedMessage(
          recordChange(
            sql,
            sendPlanMessageChange(sql, {
              operatorId: plan.operator_id,
              id: plan.plan_id,
              scheduledAt: plan.scheduled_at,
              conversationId: message.conversationId,
              code: newPublicCode(),
              text: message.text,
              sources: message.sources,
              now
            })
          )
        )
      ),
    complete: ({ operator_id: operatorId, plan_id: id }: StayPlanContext) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => readRowId(sql`${completePlanSql(sql, { operatorId, id, now })}`)),
    /** Returns undefined if the claim is lost. */
    skip: (plan: ClaimedPlan, reason: string, now: Date) =>
      readRowId(recordChange(sql, skipPlanChange(sql, { ...toClaim(plan), reason, now }))),
    postpone: (plan: ClaimedPlan, reason: string | null, nextAttempt: Date) =>
      Effect.orDie(sql`${postponePlanSql(sql, { ...toClaim(plan), reason, nextAttempt })}`),
    markStayForPlanning: (plan: ClaimedPlan, now: Date) =>
      Effect.orDie(retryOnLockConflict(sql`${markStayOfPlanSql(sql, { ...toClaim(plan), now })}`)),
    remove: (operatorId: number, id: number, now: Date) =>
      readRowId(recordChange(sql, deletePlanChange(sql, { operatorId, id, now })))
  }
})

export class PlanQueue extends Context.Service<PlanQueue>()("latchkey/domain/automation/running/PlanQueue", {
  make: makePlanQueue
}) {
  static readonly layer = Layer.effect(PlanQueue, PlanQueue.make)
}
