import { Equal, Result } from "effect"
import { BadRequest, Conflict, ValidationFailed } from "../../../../contract/errors.ts"
import { offsetText } from "../../../../contract/time.ts"
import type { Status } from "../../../bookings/orders/order.ts"
import type { ReviewThere } from "../../../channels/port/connector.ts"
import type { create_review } from "../contract.ts"
import type { OneReview, Written } from "../review.ts"
import { hostWritesOn, takesRatings } from "./channels.ts"

// What a host writes: a review of the guest, a reply to the guest's, or both.

type Payload = typeof create_review.payloadSchema.Type

/** What is written, before it is known on which channel. */
export type Writing = Pick<ReviewThere, "review" | "reply">

const saying = (text: string | undefined): string | null => (text === undefined || text.trim() === "" ? null : text)

/** Blank texts say nothing. Ratings by category are of a review that has a score or a text. */
export const writingOf = (payload: Payload): Result.Result<Writing, BadRequest> => {
  const { category_ratings: categoryRatings = {} } = payload
  const [content, reply] = [saying(payload.host_review_content), saying(payload.host_reply_content)]
  const score = payload.host_review_score ?? categoryRatings.overall_rating ?? null
  if (score !== null || content !== null) {
    return Result.succeed({ review: { score, content: content ?? "", categoryRatings }, reply })
  }
  if (reply === null) return Result.fail(nothingSaid)
  return Object.keys(categoryRatings).length > 0 ? Result.fail(ratingsAlone) : Result.succeed({ review: null, reply })
}

/** The same on a channel: ratings take effect where they mean something. */
export const writingOn = (channelType: string, { review, reply }: Writing): Writing => ({
  review: review === null || takesRatings(channelType) ? review : { ...review, categoryRatings: {} },
  reply
})

/** What is known of an order that is written about. */
export interface Reviewed {
  readonly channel_type: string
  readonly status: Status
  /** Of the last of its stays. */
  readonly check_out_date: string
  /** Null: there is no record yet. */
  readonly written: Written | null
}

/** Why a host cannot write that, on the day it is where the host is; undefined: it can be told to the channel. */
export const againstWriting = (
  { channel_type, status, check_out_date, written }: Reviewed,
  { review, reply }: Writing,
  today: string
): BadRequest | Conflict | ValidationFailed | undefined => {
  if (!hostWritesOn(channel_type)) return notOnChannel(channel_type)
  if (status !== "accepted" && written === null) return notStayed(status)
  if (today < check_out_date) return notOver(check_out_date)
  if (review !== null && written?.host_review != null) return reviewedAlready
  if (reply !== null && written?.host_reply != null) return repliedAlready
  return reply !== null && written?.guest_review == null ? nothingToReplyTo : undefined
}

const reviewAt = ({ score, content, categoryRatings }: NonNullable<Writing["review"]>, at: Date): OneReview => {
  const ratings = Object.entries(categoryRatings)
  return {
    score,
    sub_score:
      ratings.length === 0
        ? null
        : ratings.map(([category, rating]) => ({ category, rating, review_category_tags: null })),
    content,
    created_at: offsetText(at)
  }
}

/** The record once its channel took it. What is there by then is as the channel says it. */
export const writtenBy = (before: Written, { review, reply }: Writing, at: Date): Written => ({
  guest_review: before.guest_review,
  host_review: before.host_review ?? (review === null ? null : reviewAt(review, at)),
  host_reply: before.host_reply ?? (reply === null ? null : { content: reply, created_at: offsetText(at) })
})

/** Whether the record has all of it: by a call that was cut off, of whose act the channel has told since. */
export const isWritten = (written: Written | null, { review, reply }: Writing): boolean =>
  written !== null &&
  (review === null ||
    Equal.equals([written.host_review?.score, written.host_review?.content], [review.score, review.content])) &&
  (reply === null || written.host_reply?.content === reply)

const nothingSaid = new BadRequest({
  message:
    "host_review_content: is missing; send a review (host_review_score, category_ratings.overall_rating or host_review_content), host_reply_content, or both."
})
const ratingsAlone = new BadRequest({
  message: "category_ratings: require overall_rating, host_review_score or host_review_content."
})
const notOnChannel = (channelType: string) =>
  new ValidationFailed({ message: `reservation_code: hosts cannot write reviews or replies on ${channelType}.` })
const notStayed = (status: Status) =>
  new ValidationFailed({
    message: `reservation_code: the order is ${status}; only orders with a completed stay can be reviewed.`
  })
const notOver = (checkOut: string) =>
  new BadRequest({
    message: `reservation_code: the guest checks out on ${checkOut}; reviews are possible from that date on.`
  })
const reviewedAlready = new Conflict({
  message: "host_review_content: the guest of this order has already been reviewed."
})
const repliedAlready = new Conflict({ message: "host_reply_content: the guest's review already has a reply." })
const nothingToReplyTo = new Conflict({ message: "host_reply_content: the guest has written no review yet." })
