import { Equal } from "effect"
import { offsetText } from "../../../../contract/time.ts"
import { instantSaid } from "../../../channels/port/heard.ts"
import type { ReviewSaid } from "../../../channels/port/said.ts"
import type { OneReview, Reply, SubScore, Written } from "../review.ts"

// What becomes of a record by its channel's word. What is not said is not taken away, and what is said again as it is known
// keeps its time: the channel's clock is no change.

type SideSaid = NonNullable<ReviewSaid["guest_review"]>
type ReplySaid = NonNullable<ReviewSaid["host_reply"]>

const timeSaid = ({ created_at }: { readonly created_at: string }): string => offsetText(instantSaid(created_at))

/** A mean of many has more decimals than anybody reads. */
export const roundedScore = (score: number): number => Math.round(score * 100) / 100

const subScoreSaid = (said: NonNullable<SideSaid["sub_score"]>): ReadonlyArray<SubScore> =>
  said.map(({ category, rating, review_category_tags = null }) => ({ category, rating, review_category_tags }))

const sideSaid = (before: OneReview | null, said: SideSaid | null | undefined): OneReview | null => {
  if (said === null || said === undefined) return before
  const { score, sub_score, content } = said
  const after = {
    score: typeof score === "number" ? roundedScore(score) : (before?.score ?? null),
    sub_score: sub_score ? subScoreSaid(sub_score) : (before?.sub_score ?? null),
    content,
    created_at: timeSaid(said)
  }
  return unlessSame(before, after)
}

const replySaid = (before: Reply | null, said: ReplySaid | null | undefined): Reply | null =>
  said === null || said === undefined
    ? before
    : unlessSame(before, { content: said.content, created_at: timeSaid(said) })

const unlessSame = <Part extends { readonly created_at: string }>(before: Part | null, after: Part): Part =>
  before !== null && Equal.equals(before, { ...after, created_at: before.created_at }) ? before : after

export const writtenAsSaid = (before: Written, said: ReviewSaid): Written => ({
  guest_review: sideSaid(before.guest_review, said.guest_review),
  host_review: sideSaid(before.host_review, said.host_review),
  host_reply: replySaid(before.host_reply, said.host_reply)
})
