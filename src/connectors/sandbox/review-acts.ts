import { Result } from "effect"
import { type Becomes, type Found, reviewWord } from "./changing.ts"
import { saidWithAct } from "./due.ts"
import { conflict, type Judged, orderOf } from "./judging.ts"
import { isOver, reviewWith, type SubScores, sideOf } from "./reviews.ts"

/** A review as whoever wrote it is told. */
export interface ReviewSeen {
  readonly order_id: string
  readonly operator_id: number
  readonly account_id: number
  readonly channel_type: string
  readonly guest_name: string
  readonly score: number
}

export interface Reviewed {
  readonly score: number
  readonly subScores: SubScores
  readonly content: string
}

/** The guest says what the stay was like, once, when it is over. */
export const reviewing =
  (reviewed: Reviewed) =>
  (found: Found): Judged<Becomes<ReviewSeen>> =>
    Result.gen(function* () {
      const order = yield* orderOf(found)
      const { account, now } = found.scene
      if (!isOver(order, account, now)) {
        return yield* conflict(
          "order_id: only a stay that was not cancelled can be reviewed, from its check-out date on."
        )
      }
      if ((found.review?.said.guest_review ?? null) !== null) {
        return yield* conflict("order_id: the guest has already reviewed the stay.")
      }
      const review = reviewWith(order, found.review, { guest_review: sideOf(reviewed, now) })
      const answer: ReviewSeen = {
        order_id: order.order_id,
        operator_id: account.operator_id,
        account_id: account.account_id,
        channel_type: account.channel_type,
        guest_name: order.said.booker.name,
        score: reviewed.score
      }
      return { writing: { reviews: [review], words: [reviewWord(review, saidWithAct(now))] }, answer }
    })
