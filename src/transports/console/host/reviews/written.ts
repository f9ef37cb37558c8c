import type { OneReview, Reply } from "../../../../domain/guests/reviews/review.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { spoken, timeOf } from "../parts.ts"

// What guest and host wrote of each other, as it is read.

/** What one side wrote; `yet` is said where it wrote nothing. */
export const reviewOf = (visit: SignedInVisit, heading: string, review: OneReview | null, yet: string): Html =>
  review === null
    ? html`<h3>${heading}</h3>
<p>${yet}</p>
`
    : html`<h3>${heading}</h3>
<p>${review.score === null ? nothing : html`<strong>${review.score} of 5</strong> `}<span class="soft">${timeOf(review.created_at, visit)}</span></p>
${textOf(review.content)}${ratingsOf(review)}`

export const replyOf = (visit: SignedInVisit, reply: Reply | null): Html =>
  reply === null
    ? nothing
    : html`<h3>Your reply</h3>
<p class="soft">${timeOf(reply.created_at, visit)}</p>
${textOf(reply.content)}`

const textOf = (content: string): Html => (content === "" ? nothing : html`<blockquote>${content}</blockquote>`)

const ratingsOf = ({ sub_score }: OneReview): Html =>
  sub_score === null || sub_score.length === 0
    ? nothing
    : html`<dl class="facts">
${sub_score.map(
  ({
    category,
    rating,
    review_category_tags
  }) => html`<dt>${spoken(category)}</dt><dd>${rating}${tagsOf(review_category_tags)}</dd>
`
)}</dl>
`

const tagsOf = (tags: ReadonlyArray<string> | null): Html =>
  tags === null || tags.length === 0 ? nothing : html` <span class="soft">${tags.map(spoken).join(", ")}</span>`
