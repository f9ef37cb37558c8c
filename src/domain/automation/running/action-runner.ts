import { Effect } from "effect"
import type { HostReviews } from "../../guests/reviews/HostReviews.ts"
import type { PlanQueue } from "./PlanQueue.ts"
import type { PlanContext, StayPlanContext } from "./plan-context.ts"
import type { PreparedAction } from "./plan-preparation.ts"

type Queue = PlanQueue["Service"]
type Reviews = HostReviews["Service"]

const writeReview = (
  reviews: Reviews,
  { operator_id, time_zone, reservation_code }: StayPlanContext,
  action: ReviewAction
) =>
  reviews.write({
    operatorId: operator_id,
    timeZone: time_zone,
    reservationCode: reservation_code,
    hostReview: { review: { score: action.score, content: action.text, categoryRatings: {} }, reply: null }
  })

type ReviewAction = Extract<PreparedAction, { readonly kind: "review" }>

/** True if an earlier or concurrent run has written the review. */
const isReviewWritten = (plan: PlanContext, { score, text }: ReviewAction): boolean =>
  plan.kind === "review" && plan.host_review?.score === score && plan.host_review.content === text

const ensureReviewWritten = (queue: Queue, reviews: Reviews, plan: StayPlanContext, action: ReviewAction) =>
  writeReview(reviews, plan, action).pipe(
    Effect.as(true),
    Effect.catchTag("Conflict", (conflict) =>
      Effect.flatMap(queue.findContext(plan.operator_id, plan.plan_id), (currentPlan) => {
        if (currentPlan === undefined) return Effect.succeed(false)
        return isReviewWritten(currentPlan, action) ? Effect.succeed(true) : Effect.fail(conflict)
      })
    )
  )

const runReview = Effect.fnUntraced(function* (
  queue: Queue,
  reviews: Reviews,
  plan: StayPlanContext,
  action: ReviewAction
) {
  if (!(yield* ensureReviewWritten(queue, reviews, plan, action))) return undefined
  yield* queue.complete(plan)
  return { id: plan.plan_id }
})

/**
 * Returns undefined if the plan is no longer pending, was rescheduled or no longer applies. The channel treats a
 * repeated review as the same one.
 */
export const makeRunAction = (queue: Queue, reviews: Reviews) => (plan: StayPlanContext, action: PreparedAction) =>
  action.kind === "message" ? queue.sendMessage(plan, action) : runReview(queue, reviews, plan, action)
