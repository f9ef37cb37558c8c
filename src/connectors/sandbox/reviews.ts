import { dateInZone, instantText } from "../../contract/time.ts"
import type { ReviewThere } from "../../domain/channels/port/connector.ts"
import type { OrderSaid, ReviewSaid } from "../../domain/channels/port/said.ts"
import type { Order, Review, SandboxAccount } from "./rows.ts"

// What guest and host say of a stay as its marketplace has it. Every change raises its version.

type OneSide = NonNullable<ReviewSaid["guest_review"]>

export type SubScores = NonNullable<OneSide["sub_score"]>

/** The last morning of the order's rooms. */
const lastDay = ({ rooms }: OrderSaid): string =>
  rooms
    .map(({ check_out_date }) => check_out_date)
    .toSorted()
    .at(-1) ?? ""

/** Whether the stay is over where the host is: it can be reviewed from the day of departure on. */
export const isOver = ({ status, said }: Order, { time_zone }: SandboxAccount, now: Date): boolean =>
  status === "accepted" && lastDay(said) <= dateInZone(now, time_zone)

type Parts = Pick<ReviewSaid, "guest_review" | "host_review" | "host_reply">

/** With these parts beside those there are. */
export const reviewWith = (order: Order, before: Review | undefined, parts: Partial<Parts>): Review => {
  const version = (before?.version ?? 0) + 1
  const { order_id } = order
  return {
    order_id,
    version,
    said: { ...before?.said, ...parts, type: "review", version, channel_id: order_id }
  }
}

export const sideOf = (
  given: { readonly score: number | null; readonly subScores: SubScores; readonly content: string },
  now: Date
): OneSide => ({
  score: given.score,
  sub_score: given.subScores.length === 0 ? null : given.subScores,
  content: given.content,
  created_at: instantText(now)
})

/** What a host says, as it is told. */
export const hostSide = ({ score, content, categoryRatings }: NonNullable<ReviewThere["review"]>, now: Date): OneSide =>
  sideOf(
    {
      score,
      content,
      subScores: Object.entries(categoryRatings).map(([category, rating]) => ({ category, rating }))
    },
    now
  )

const wordsOf = ({ score, content, sub_score }: OneSide): string =>
  JSON.stringify([
    score ?? null,
    content,
    (sub_score ?? [])
      .map(({ category, rating }) => [category, rating] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  ])

/** Whether two say the same, whenever they said it. */
export const saysSame = (one: OneSide, other: OneSide): boolean => wordsOf(one) === wordsOf(other)
