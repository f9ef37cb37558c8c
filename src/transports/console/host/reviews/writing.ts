import type { Schema } from "effect"
import type { Review } from "../../../../domain/guests/reviews/contract.ts"
import { hostWritesOn, takesRatings } from "../../../../domain/guests/reviews/rules/channels.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { area, asLines, asNumber, behind, type Fill, filling, formOf, givenIn, input, select } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"
import { dayOf } from "../parts.ts"

// What a host can write of a stay: where his channel has it, and as long as it is not written.

/** The forms of one record; `of`: whose it is. */
export const writingOf = (
  visit: SignedInVisit,
  review: Review,
  { today, of, notTaken }: { readonly today: string; readonly of: string; readonly notTaken: NotTaken | undefined }
): Html => {
  if (!hostWritesOn(review.channel_type)) return nothing
  const { reservation_code: id, host_review, guest_review, host_reply, check_out_date } = review
  const isOpen = (act: string) => notTaken !== undefined && actOf(notTaken) === act && notTaken.form.get("id") === id
  const reviewing = () =>
    today < check_out_date
      ? html`<p>You can review this guest from ${dayOf(check_out_date)} on.</p>`
      : behind(
          "Review this guest",
          html`<p>It is published, and cannot be changed.</p>
${formOf(visit, { act: "review", button: "Publish the review", of: `of ${of}`, id, fields: reviewFields(filling(notTaken, "review", id), review) })}`,
          isOpen("review")
        )
  const replying = () =>
    behind(
      "Reply to this review",
      html`<p>It is published, and cannot be changed.</p>
${formOf(visit, { act: "reply", button: "Publish the reply", of: `to ${of}`, id, fields: area(filling(notTaken, "reply", id), { name: "reply", label: "Your reply", required: true }) })}`,
      isOpen("reply")
    )
  return html`${host_review === null ? reviewing() : nothing}${guest_review !== null && host_reply === null ? replying() : nothing}`
}

/** A score of its own, or the ratings by which the channel counts. */
const reviewFields = (fill: Fill, { channel_type }: Review): Html => {
  const score = (name: string, label: string) =>
    input(fill, { name, label, type: "number", min: 0, max: 5, step: 0.01 })
  const text = area(fill, { name: "content", label: "Your review" })
  if (!takesRatings(channel_type)) return html`${score("score", "Score, 0 to 5")}${text}`
  return html`${text}${score("overall_rating", "Overall, 0 to 5")}${score("cleanliness", "Cleanliness, 0 to 5")}${score("communication", "Communication, 0 to 5")}${score("respect_of_house_rules", "House rules, 0 to 5")}${select(
    fill,
    {
      name: "recommend",
      label: "Would you have this guest again?",
      none: "Not said",
      options: [
        { value: 1, words: "Yes" },
        { value: 0, words: "No" }
      ]
    }
  )}`
}

const RATINGS = {
  overall_rating: asNumber,
  cleanliness: asNumber,
  communication: asNumber,
  respect_of_house_rules: asNumber,
  recommend: asNumber
}

const codeIn = (form: Form): string => form.get("id") ?? ""

/** The review that a form says, as the operation takes it; undefined: neither a score nor a text. */
export const reviewIn = (form: Form): Schema.JsonObject | undefined => {
  const { score, content } = givenIn(form, { score: asNumber, content: asLines })
  const ratings = givenIn(form, RATINGS)
  if (score === undefined && content === undefined && ratings["overall_rating"] === undefined) return undefined
  return {
    reservation_code: codeIn(form),
    ...(score === undefined ? {} : { host_review_score: score }),
    ...(content === undefined ? {} : { host_review_content: content }),
    ...(Object.keys(ratings).length === 0 ? {} : { category_ratings: ratings })
  }
}

/** The same of a reply. */
export const replyIn = (form: Form): Schema.JsonObject | undefined => {
  const reply = asLines(form.get("reply") ?? "")
  return reply === "" ? undefined : { reservation_code: codeIn(form), host_reply_content: reply }
}
