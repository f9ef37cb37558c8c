import { dateInZone, formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent, ChannelReviewEvent } from "../../domain/channels/port/channel-events.ts"
import type { OutboundReview } from "../../domain/channels/port/connector.ts"
import type { SandboxAccount, SandboxOrder, SandboxReview } from "./rows.ts"

type SandboxReviewSide = NonNullable<ChannelReviewEvent["guest_review"]>

export type SubScores = NonNullable<SandboxReviewSide["sub_score"]>

const findLastCheckOut = ({ rooms }: ChannelOrderEvent): string =>
  rooms
    .map(({ check_out_date }) => check_out_date)
    .toSorted()
    .at(-1) ?? ""

export const isStayOver = ({ status, said }: SandboxOrder, { time_zone }: SandboxAccount, now: Date): boolean =>
  status === "accepted" && findLastCheckOut(said) <= dateInZone(now, time_zone)

type ReviewParts = Pick<ChannelReviewEvent, "guest_review" | "host_review" | "host_reply">

export const mergeReview = (
  order: SandboxOrder,
  before: SandboxReview | undefined,
  parts: Partial<ReviewParts>
): SandboxReview => {
  const version = (before?.version ?? 0) + 1
  const { order_id } = order
  return {
    order_id,
    version,
    said: { ...before?.said, ...parts, type: "review", version, channel_id: order_id }
  }
}

export const toReviewSide = (
  review: { readonly score: number | null; readonly subScores: SubScores; readonly content: string },
  now: Date
): SandboxReviewSide => ({
  score: review.score,
  sub_score: review.subScores.length === 0 ? null : review.subScores,
  content: review.content,
  created_at: formatUtcInstant(now)
})

export const toHostReviewSide = (
  { score, content, categoryRatings }: NonNullable<OutboundReview["review"]>,
  now: Date
): SandboxReviewSide =>
  toReviewSide(
    {
      score,
      content,
      subScores: Object.entries(categoryRatings).map(([category, rating]) => ({ category, rating }))
    },
    now
  )

const toComparableText = ({ score, content, sub_score }: SandboxReviewSide): string =>
  JSON.stringify([
    score ?? null,
    content,
    (sub_score ?? [])
      .map(({ category, rating }) => [category, rating] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  ])

export const isSameReview = (left: SandboxReviewSide, right: SandboxReviewSide): boolean =>
  toComparableText(left) === toComparableText(right)
