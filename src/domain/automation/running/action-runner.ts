import { Effect } from "effect"
import type { HostReviews } from "../../guests/reviews/HostReviews.ts"
import type { PlanQueue } from "./PlanQueue.ts"
import type { PlanContext, StayPlanContext } from "./plan-context.ts"
import type { PreparedAction } from "./plan-preparation.ts"

// The one way in which a plan is run, by a worker or by hand.

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

/** Whether the review of a plan is there by now, as whoever ran it before left it, or was faster at the same moment. */
const isReviewWritten = (plan: PlanContext, { score, text }: ReviewAction): boolean =>
  plan.kind === "review" && plan.host_review?.score === score && plan.host_review.content === text

/** Whether it is written, be it by another; false: the plan is settled by now. */
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
 * Does it, and says with it that it is done. Undefined: it was settled or moved since it was looked at, and nothing was done. A
 * message is one statement; a review is told to its channel first, which takes the same again as one.
 */
export const makeRunAction = (queue: Queue, reviews: Reviews) => (plan: StayPlanContext, action: PreparedAction) =>
  action.kind === "message" ? queue.sendMessage(plan, action) : runReview(queue, reviews, plan, action)
