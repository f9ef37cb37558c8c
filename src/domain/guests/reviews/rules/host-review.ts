import { Equal, Result } from "effect"
import { BadRequest, Conflict, ValidationFailed } from "../../../../contract/errors.ts"
import { formatInstantWithOffset } from "../../../../contract/time.ts"
import type { OrderStatus } from "../../../bookings/orders/order.ts"
import type { OutboundReview } from "../../../channels/port/connector.ts"
import type { create_review } from "../contract.ts"
import type { ReviewContent, ReviewSide } from "../review.ts"
import { supportsCategoryRatings, supportsHostReviews } from "./review-support.ts"

type CreateReviewPayload = typeof create_review.payloadSchema.Type

export type HostReview = Pick<OutboundReview, "review" | "reply">

const toTextOrNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === "" ? null : text

export const toHostReview = (payload: CreateReviewPayload): Result.Result<HostReview, BadRequest> => {
  const { category_ratings: categoryRatings = {} } = payload
  const [content, reply] = [toTextOrNull(payload.host_review_content), toTextOrNull(payload.host_reply_content)]
  const score = payload.host_review_score ?? categoryRatings.overall_rating ?? null
  if (score !== null || content !== null) {
    return Result.succeed({ review: { score, content: content ?? "", categoryRatings }, reply })
  }
  if (reply === null) return Result.fail(emptyHostReviewError)
  return Object.keys(categoryRatings).length > 0
    ? Result.fail(ratingsWithoutReviewError)
    : Result.succeed({ review: null, reply })
}

export const keepSupportedRatings = (channelType: string, { review, reply }: HostReview): HostReview => ({
  review: review === null || supportsCategoryRatings(channelType) ? review : { ...review, categoryRatings: {} },
  reply
})

interface ReviewableOrder {
  readonly channel_type: string
  readonly status: OrderStatus
  readonly check_out_date: string
  readonly written: ReviewContent | null
}

/** `today` is the day in the host's time zone. */
export const findReviewObstacle = (
  { channel_type, status, check_out_date, written }: ReviewableOrder,
  { review, reply }: HostReview,
  today: string
): BadRequest | Conflict | ValidationFailed | undefined => {
  if (!supportsHostReviews(channel_type)) return hostReviewsNotSupportedError(channel_type)
  if (status !== "accepted" && written === null) return orderNotAcceptedError(status)
  if (today < check_out_date) return stayNotOverError(check_out_date)
  if (review !== null && written?.host_review != null) return alreadyReviewedError
  if (reply !== null && written?.host_reply != null) return alreadyRepliedError
  return reply !== null && written?.guest_review == null ? nothingToReplyToError : undefined
}

const toReviewSide = ({ score, content, categoryRatings }: NonNullable<HostReview["review"]>, at: Date): ReviewSide => {
  const ratings = Object.entries(categoryRatings)
  return {
    score,
    sub_score:
      ratings.length === 0
        ? null
        : ratings.map(([category, rating]) => ({ category, rating, review_category_tags: null })),
    content,
    created_at: formatInstantWithOffset(at)
  }
}

/** Keeps the parts that the channel has already reported. */
export const applyHostReview = (before: ReviewContent, { review, reply }: HostReview, at: Date): ReviewContent => ({
  guest_review: before.guest_review,
  host_review: before.host_review ?? (review === null ? null : toReviewSide(review, at)),
  host_reply: before.host_reply ?? (reply === null ? null : { content: reply, created_at: formatInstantWithOffset(at) })
})

export const containsHostReview = (content: ReviewContent | null, { review, reply }: HostReview): boolean =>
  content !== null &&
  (review === null ||
    Equal.equals([content.host_review?.score, content.host_review?.content], [review.score, review.content])) &&
  (reply === null || content.host_reply?.content === reply)

const emptyHostReviewError = new BadRequest({
  message:
    "host_review_content: is missing; send a review (host_review_score, category_ratings.overall_rating or host_review_content), host_reply_content, or both."
})
const ratingsWithoutReviewError = new BadRequest({
  message: "category_ratings: require overall_rating, host_review_score or host_review_content."
})
const hostReviewsNotSupportedError = (channelType: string) =>
  new ValidationFailed({ message: `reservation_code: hosts cannot write reviews or replies on ${channelType}.` })
const orderNotAcceptedError = (status: OrderStatus) =>
  new ValidationFailed({
    message: `reservation_code: the order is ${status}; only orders with a completed stay can be reviewed.`
  })
const stayNotOverError = (checkOut: string) =>
  new BadRequest({
    message: `reservation_code: the guest checks out on ${checkOut}; reviews are possible from that date on.`
  })
const alreadyReviewedError = new Conflict({
  message: "host_review_content: the guest of this order has already been reviewed."
})
const alreadyRepliedError = new Conflict({ message: "host_reply_content: the guest's review already has a reply." })
const nothingToReplyToError = new Conflict({ message: "host_reply_content: the guest has written no review yet." })
