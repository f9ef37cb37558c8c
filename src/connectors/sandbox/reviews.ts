import { dateInZone, formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOrderEvent, ChannelReviewEvent } from "../../domain/channels/port/channel-events.ts"
import type { OutboundReview } from "../../domain/channels/port/connector.ts"
import type { SandboxAccount, SandboxOrder, SandboxReview } from "./rows.ts"

// What guest and host say of a stay as its marketplace has it. Every change raises its version.

type SandboxReviewSide = NonNullable<ChannelReviewEvent["guest_review"]>

export type SubScores = NonNullable<SandboxReviewSide["sub_score"]>

/** The last morning of the order's rooms. */
const findLastCheckOut = ({ rooms }: ChannelOrderEvent): string =>
  rooms
    .map(({ check_out_date }) => check_out_date)
    .toSorted()
    .at(-1) ?? ""

/** Whether the stay is over where the host is: it can be reviewed from the day of departure on. */
export const isStayOver = ({ status, said }: SandboxOrder, { time_zone }: SandboxAccount, now: Date): boolean =>
  status === "accepted" && findLastCheckOut(said) <= dateInZone(now, time_zone)

type ReviewParts = Pick<ChannelReviewEvent, "guest_review" | "host_review" | "host_reply">

/** With these parts beside those there are. */
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

/** What a host says, as it is told. */
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

/** Whether two say the same, whenever they said it. */
export const isSameReview = (left: SandboxReviewSide, right: SandboxReviewSide): boolean =>
  toComparableText(left) === toComparableText(right)
