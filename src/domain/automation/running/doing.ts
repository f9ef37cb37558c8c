import { Effect } from "effect"
import type { HostReviews } from "../../guests/reviews/HostReviews.ts"
import type { Ground, PlanGround } from "./ground.ts"
import type { Doing } from "./judging.ts"
import type { PlanQueue } from "./PlanQueue.ts"

// The one way in which a plan is run, by a worker or by hand.

type Queue = PlanQueue["Service"]
type Reviews = HostReviews["Service"]

const reviewing = (reviews: Reviews, { operator_id, time_zone, reservation_code }: PlanGround, doing: Review) =>
  reviews.write({
    operatorId: operator_id,
    timeZone: time_zone,
    reservationCode: reservation_code,
    writing: { review: { score: doing.score, content: doing.text, categoryRatings: {} }, reply: null }
  })

type Review = Extract<Doing, { readonly does: "review" }>

/** Whether the review of a plan is there by now, as whoever ran it before left it, or was faster at the same moment. */
const isThere = (plan: Ground, { score, text }: Review): boolean =>
  plan.kind === "review" && plan.host_review?.score === score && plan.host_review.content === text

/** Whether it is written, be it by another; false: the plan is settled by now. */
const written = (queue: Queue, reviews: Reviews, plan: PlanGround, doing: Review) =>
  reviewing(reviews, plan, doing).pipe(
    Effect.as(true),
    Effect.catchTag("Conflict", (conflict) =>
      Effect.flatMap(queue.ground(plan.operator_id, plan.plan_id), (now) => {
        if (now === undefined) return Effect.succeed(false)
        return isThere(now, doing) ? Effect.succeed(true) : Effect.fail(conflict)
      })
    )
  )

const review = Effect.fnUntraced(function* (queue: Queue, reviews: Reviews, plan: PlanGround, doing: Review) {
  if (!(yield* written(queue, reviews, plan, doing))) return undefined
  yield* queue.done(plan)
  return { id: plan.plan_id }
})

/**
 * Does it, and says with it that it is done. Undefined: it was settled or moved since it was looked at, and nothing was done. A
 * message is one statement; a review is told to its channel first, which takes the same again as one.
 */
export const doIt = (queue: Queue, reviews: Reviews) => (plan: PlanGround, doing: Doing) =>
  doing.does === "message" ? queue.say(plan, doing) : review(queue, reviews, plan, doing)
