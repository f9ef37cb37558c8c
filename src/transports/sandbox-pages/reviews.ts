import { isOver } from "../../connectors/sandbox/reviews.ts"
import type { OrderRow } from "../../connectors/sandbox/Seeing.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, form, lines } from "./fields.ts"

// What guest and host have said of a stay, and what the guest can say yet.

export const canReview = (order: OrderRow, now: Date): boolean =>
  isOver(order, order, now) && !order.review?.guest_review

export const reviewForm = (kept: string, order: Html): Html =>
  form(
    `review${kept}`,
    "Review",
    html`${order}${field("score", "Score, 0 to 5", { type: "number", step: "0.5", required: true })}${lines("text", "What the stay was like")}${field("sub_scores", "Made of (cleanliness=5)")}`,
    "quiet"
  )

const side = (who: string, said: NonNullable<OrderRow["review"]>["guest_review"]): Html => {
  if (said === undefined || said === null) return nothing
  const parts = (said.sub_score ?? []).map(({ category, rating }) => `${category} ${rating}`)
  const score = [...(typeof said.score === "number" ? [`${said.score} of 5`] : []), ...parts].join(", ")
  return html`<li>${who}: ${score} <span class="words" dir="auto">${said.content}</span></li>`
}

export const reviewsOf = ({ review }: OrderRow): Html => {
  if (review === null) return nothing
  const { guest_review, host_review, host_reply } = review
  return html`<ul class="said">${side("Guest", guest_review)}${side("Host", host_review)}${host_reply ? html`<li>Reply: <span class="words" dir="auto">${host_reply.content}</span></li>` : nothing}</ul>
`
}
