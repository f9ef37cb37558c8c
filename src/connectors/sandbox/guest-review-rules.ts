import { Result } from "effect"
import { computeGuestActionDueTime } from "./outbox-due-times.ts"
import { isStayOver, mergeReview, type SubScores, toReviewSide } from "./reviews.ts"
import { failConflict, type RuleResult, requireOrder } from "./rule-results.ts"
import { type RuleContext, type RuleOutcome, toReviewOutboxEvent } from "./rule-runner.ts"

export interface SandboxReviewView {
  readonly order_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly guest_name: string
  readonly score: number
}

interface GuestReview {
  readonly score: number
  readonly subScores: SubScores
  readonly content: string
}

export const writeGuestReviewRule =
  (guestReview: GuestReview) =>
  (context: RuleContext): RuleResult<RuleOutcome<SandboxReviewView>> =>
    Result.gen(function* () {
      const order = yield* requireOrder(context)
      const { account, now } = context.snapshot
      if (!isStayOver(order, account, now)) {
        return yield* failConflict(
          "order_id: only a stay that was not cancelled can be reviewed, from its check-out date on."
        )
      }
      if ((context.review?.said.guest_review ?? null) !== null) {
        return yield* failConflict("order_id: the guest has already reviewed the stay.")
      }
      const review = mergeReview(order, context.review, { guest_review: toReviewSide(guestReview, now) })
      const answer: SandboxReviewView = {
        order_id: order.order_id,
        operator_id: account.operator_id,
        account_id: account.account_id,
        channel_type: account.channel_type,
        guest_name: order.said.booker.name,
        score: guestReview.score
      }
      return {
        write: { reviews: [review], outboxEvents: [toReviewOutboxEvent(review, computeGuestActionDueTime(now))] },
        answer
      }
    })
