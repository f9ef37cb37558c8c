import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Conflict } from "../../../contract/errors.ts"
import { type AccountKey, type ClaimRequest, toBusyCounts } from "../../../jobs/fair-queue.ts"
import { computeLeaseEnd } from "../../../jobs/lease.ts"
import { makeOptionalRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { RowId } from "../../column-schemas.ts"
import { newPublicCode } from "../../guests/conversations/conversation-lookup.ts"
import { toQueueFullError } from "../../guests/conversations/message-queue.ts"
import { type OperatorRowId, readRowId } from "../../operator-rows.ts"
import { messageQueueFullError } from "../action-rules.ts"
import { PlanContext, planContextSql, type StayPlanContext } from "./plan-context.ts"
import type { PreparedAction } from "./plan-preparation.ts"
import {
  deletePlanChange,
  type EndPlanParameters,
  markStayOfPlanSql,
  type PostponePlanParameters,
  postponePlanSql,
  releasePlanSql,
  type SendPlanMessageParameters,
  type SkipPlanParameters,
  sendPlanMessageChange,
  settlingDone,
  skipPlanChange
} from "./settling.ts"
import { REVIEWING_ROOM, TakenPlan, takingDue } from "./taking.ts"

/** Milliseconds a worker has a plan to itself: one act at a channel and writing down how it ended fit into it. */
export const RUN_LEASE_MS = 45_000

/** What of a plan that is under way says whose room it takes. */
type RunningPlan = AccountKey & Pick<TakenPlan, "kind">

const readTaken = makeRowsReader(TakenPlan)
const readContext = makeOptionalRowReader(PlanContext)
const readQueuedMessage = makeOptionalRowReaderOrFail(RowId, (constraint) =>
  toQueueFullError(constraint) === undefined ? undefined : messageQueueFullError
)

const toClaimKey = ({ operator_id: operatorId, id, attempts }: TakenPlan) => ({ operatorId, id, attempts })

const take = (sql: SqlClient.SqlClient) => {
  const statement = inForms(sql, (taking: Givens<ClaimRequest>, kind: TakenPlan["kind"]) =>
    takingDue(sql, taking, kind)
  )
  const takeOf = (kind: TakenPlan["kind"], now: Date, maxJobs: number, underWay: Iterable<AccountKey>) =>
    maxJobs > 0
      ? readTaken(
          statement({ now, leaseEnd: computeLeaseEnd(now, RUN_LEASE_MS), maxJobs, ...toBusyCounts(underWay) }, kind)
        )
      : Effect.succeed([])
  return Effect.fnUntraced(function* (now: Date, most: number, underWay: Iterable<RunningPlan>) {
    const underWayByKind = Map.groupBy(underWay, ({ kind }) => kind)
    const runningReviews = underWayByKind.get("review") ?? []
    const messages = yield* takeOf("send_message", now, most, underWayByKind.get("send_message") ?? [])
    const reviewRoom = Math.min(most - messages.length, REVIEWING_ROOM - runningReviews.length)
    return [...messages, ...(yield* takeOf("review", now, reviewRoom, runningReviews))]
  })
}

const makePlanQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const findContext = inForms(sql, (plan: Givens<OperatorRowId>) => planContextSql(sql, plan))
  const sendMessage = prepareRecordedChange(sql, (message: Givens<SendPlanMessageParameters>) =>
    sendPlanMessageChange(sql, message)
  )
  const complete = inForms(sql, (parameters: Givens<EndPlanParameters>) => settlingDone(sql, parameters))
  const skip = prepareRecordedChange(sql, (parameters: Givens<SkipPlanParameters>) => skipPlanChange(sql, parameters))
  const postpone = inForms(sql, (postponement: Givens<PostponePlanParameters>) => postponePlanSql(sql, postponement))
  const markStayForPlanning = inForms(sql, (plan: Givens<ReturnType<typeof toClaimKey> & { readonly now: Date }>) =>
    markStayOfPlanSql(sql, plan)
  )
  const release = inForms(sql, (plan: Givens<ReturnType<typeof toClaimKey> & { readonly now: Date }>) =>
    releasePlanSql(sql, plan)
  )
  const remove = prepareRecordedChange(sql, (plan: Givens<EndPlanParameters>) => deletePlanChange(sql, plan))
  return {
    take: take(sql),
    findContext: (operatorId: number, id: number) => readContext(findContext({ operatorId, id })),
    sendMessage: (plan: StayPlanContext, message: Extract<PreparedAction, { readonly kind: "message" }>) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        readQueuedMessage(
          sendMessage({
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
      ),
    complete: ({ operator_id: operatorId, plan_id: id }: StayPlanContext) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => readRowId(complete({ operatorId, id, now }))),
    skip: (plan: TakenPlan, reason: string, now: Date) => readRowId(skip({ ...toClaimKey(plan), reason, now })),
    postpone: (plan: TakenPlan, reason: string | null, nextTry: Date) =>
      Effect.orDie(postpone({ ...toClaimKey(plan), reason, nextTry })),
    markStayForPlanning: (plan: TakenPlan, now: Date) =>
      Effect.orDie(retryOnLockConflict(markStayForPlanning({ ...toClaimKey(plan), now }))),
    release: (plan: TakenPlan, now: Date) => Effect.orDie(release({ ...toClaimKey(plan), now })),
    remove: (operatorId: number, id: number, now: Date) => readRowId(remove({ operatorId, id, now }))
  }
})

/**
 * What rules are going to do, in the database, for any worker of any process and for whoever runs one by hand. A plan is timed
 * work (jobs/timed-work.ts).
 */
export class PlanQueue extends Context.Service<
  PlanQueue,
  {
    /** Takes up to `maxJobs` due plans, messages first. `underWay` are those this process has already. */
    readonly take: (
      now: Date,
      maxJobs: number,
      underWay: Iterable<RunningPlan>
    ) => Effect.Effect<ReadonlyArray<TakenPlan>>
    /** Returns all that is known of a plan that waits, or undefined if the operator has none of that id. */
    readonly findContext: (operatorId: number, id: number) => Effect.Effect<PlanContext | undefined>
    /** Queues the message of a plan. Undefined: the plan was settled or moved since, or its rule paused. Conflict: the queue is full. */
    readonly sendMessage: (
      plan: StayPlanContext,
      message: Extract<PreparedAction, { readonly kind: "message" }>
    ) => Effect.Effect<RowId | undefined, Conflict, CurrentActor>
    readonly complete: (plan: StayPlanContext) => Effect.Effect<RowId | undefined>
    /** Ends a plan with the reason why it is not carried out. Undefined: the worker has lost its lease. */
    readonly skip: (plan: TakenPlan, reason: string, now: Date) => Effect.Effect<RowId | undefined, never, CurrentActor>
    readonly postpone: (plan: TakenPlan, reason: string | null, nextTry: Date) => Effect.Effect<void>
    /** Marks the stay of a plan, so that the planner works its plans out anew. */
    readonly markStayForPlanning: (plan: TakenPlan, now: Date) => Effect.Effect<void>
    readonly release: (plan: TakenPlan, now: Date) => Effect.Effect<void>
    /** Removes a plan. Undefined: no plan of that id waits. */
    readonly remove: (
      operatorId: number,
      id: number,
      now: Date
    ) => Effect.Effect<RowId | undefined, never, CurrentActor>
  }
>()("latchkey/domain/automation/running/PlanQueue") {
  static readonly layer = Layer.effect(PlanQueue, makePlanQueue)
}
