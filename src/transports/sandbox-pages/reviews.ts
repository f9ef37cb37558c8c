import { isStayOver } from "../../connectors/sandbox/reviews.ts"
import type { SandboxOrderRow } from "../../connectors/sandbox/SandboxQueries.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, multilineField, sandboxForm } from "./form-fields.ts"

export const canReview = (order: SandboxOrderRow, now: Date): boolean =>
  isStayOver(order, order, now) && !order.review?.guest_review

export const reviewForm = (querySuffix: string, orderFields: Html): Html =>
  sandboxForm(
    `review${querySuffix}`,
    "Review",
    html`${orderFields}${field("score", "Score, 0 to 5", { type: "number", step: "0.5", required: true })}${multilineField("text", "What the stay was like")}${field("sub_scores", "Made of (cleanliness=5)")}`,
    "quiet"
  )

const reviewItem = (author: string, review: NonNullable<SandboxOrderRow["review"]>["guest_review"]): Html => {
  if (review === undefined || review === null) return nothing
  const subScores = (review.sub_score ?? []).map(({ category, rating }) => `${category} ${rating}`)
  const score = [...(typeof review.score === "number" ? [`${review.score} of 5`] : []), ...subScores].join(", ")
  return html`<li>${author}: ${score} <span class="words" dir="auto">${review.content}</span></li>`
}

export const reviewsList = ({ review }: SandboxOrderRow): Html => {
  if (review === null) return nothing
  const { guest_review, host_review, host_reply } = review
  return html`<ul class="said">${reviewItem("Guest", guest_review)}${reviewItem("Host", host_review)}${host_reply ? html`<li>Reply: <span class="words" dir="auto">${host_reply.content}</span></li>` : nothing}</ul>
`
}
