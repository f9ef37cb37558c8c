import { Equal } from "effect"
import { formatInstantWithOffset } from "../../../../contract/time.ts"
import type { ChannelReviewEvent } from "../../../channels/port/channel-events.ts"
import { parseChannelInstant } from "../../../channels/port/event-handling.ts"
import type { ReviewContent, ReviewReply, ReviewSide, SubScore } from "../review.ts"

// Parts that an event does not contain keep their value. Unchanged parts keep their time, because a new time alone is
// no change.

type ReviewSideEvent = NonNullable<ChannelReviewEvent["guest_review"]>
type ReplyEvent = NonNullable<ChannelReviewEvent["host_reply"]>

const toEventTime = ({ created_at }: { readonly created_at: string }): string =>
  formatInstantWithOffset(parseChannelInstant(created_at))

export const roundScore = (score: number): number => Math.round(score * 100) / 100

const toSubScores = (subScores: NonNullable<ReviewSideEvent["sub_score"]>): ReadonlyArray<SubScore> =>
  subScores.map(({ category, rating, review_category_tags = null }) => ({ category, rating, review_category_tags }))

const mergeReviewSide = (before: ReviewSide | null, event: ReviewSideEvent | null | undefined): ReviewSide | null => {
  if (event === null || event === undefined) return before
  const { score, sub_score, content } = event
  const after = {
    score: typeof score === "number" ? roundScore(score) : (before?.score ?? null),
    sub_score: sub_score ? toSubScores(sub_score) : (before?.sub_score ?? null),
    content,
    created_at: toEventTime(event)
  }
  return keepIfSame(before, after)
}

const mergeReply = (before: ReviewReply | null, event: ReplyEvent | null | undefined): ReviewReply | null =>
  event === null || event === undefined
    ? before
    : keepIfSame(before, { content: event.content, created_at: toEventTime(event) })

const keepIfSame = <Part extends { readonly created_at: string }>(before: Part | null, after: Part): Part =>
  before !== null && Equal.equals(before, { ...after, created_at: before.created_at }) ? before : after

export const applyReviewEvent = (before: ReviewContent, event: ChannelReviewEvent): ReviewContent => ({
  guest_review: mergeReviewSide(before.guest_review, event.guest_review),
  host_review: mergeReviewSide(before.host_review, event.host_review),
  host_reply: mergeReply(before.host_reply, event.host_reply)
})
