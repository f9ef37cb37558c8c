import type { ReviewReply, ReviewSide } from "../../../../domain/guests/reviews/review.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { timeHtml, toWords } from "../page-parts.ts"

export const publishedReview = (
  visit: SignedInVisit,
  heading: string,
  review: ReviewSide | null,
  emptyText: string
): Html =>
  review === null
    ? html`<h3>${heading}</h3>
<p>${emptyText}</p>
`
    : html`<h3>${heading}</h3>
<p>${review.score === null ? nothing : html`<strong>${review.score}/5</strong> `}<span class="soft">${timeHtml(review.created_at, visit)}</span></p>
${quoteText(review.content)}${ratingList(review)}`

export const publishedReply = (visit: SignedInVisit, reply: ReviewReply | null): Html =>
  reply === null
    ? nothing
    : html`<h3>Your reply</h3>
<p class="soft">${timeHtml(reply.created_at, visit)}</p>
${quoteText(reply.content)}`

const quoteText = (content: string): Html => (content === "" ? nothing : html`<blockquote>${content}</blockquote>`)

const ratingList = ({ sub_score }: ReviewSide): Html =>
  sub_score === null || sub_score.length === 0
    ? nothing
    : html`<dl class="facts">
${sub_score.map(
  ({
    category,
    rating,
    review_category_tags
  }) => html`<dt>${toWords(category)}</dt><dd>${rating}${ratingTags(review_category_tags)}</dd>
`
)}</dl>
`

const ratingTags = (tags: ReadonlyArray<string> | null): Html =>
  tags === null || tags.length === 0 ? nothing : html` <span class="soft">${tags.map(toWords).join(", ")}</span>`
