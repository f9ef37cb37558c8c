import type { Schema } from "effect"
import type { Review } from "../../../../domain/guests/reviews/contract.ts"
import { supportsCategoryRatings, supportsHostReviews } from "../../../../domain/guests/reviews/rules/review-support.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { actionForm, disclosure, type FieldFiller, input, makeFieldFiller, select, textArea } from "../form-fields.ts"
import { parseLines, parseNumber, readFilledFields } from "../form-values.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { dayHtml } from "../page-parts.ts"

export const reviewForms = (
  visit: SignedInVisit,
  review: Review,
  {
    today,
    guestName,
    failedSubmission
  }: { readonly today: string; readonly guestName: string; readonly failedSubmission: FailedSubmission | undefined }
): Html => {
  if (!supportsHostReviews(review.channel_type)) return nothing
  const { reservation_code: id, host_review, guest_review, host_reply, check_out_date } = review
  const isFormOpen = (action: string) =>
    failedSubmission !== undefined &&
    readSubmittedAction(failedSubmission) === action &&
    failedSubmission.form.get("id") === id
  const reviewForm = () =>
    today < check_out_date
      ? html`<p class="soft">You can review this guest from ${dayHtml(check_out_date)}.</p>`
      : disclosure(
          "Write a review",
          html`<p class="soft">You cannot change it after it is published.</p>
${actionForm(visit, { action: "review", label: "Publish review", subject: `of ${guestName}`, id, fields: reviewFields(makeFieldFiller(failedSubmission, "review", id), review) })}`,
          isFormOpen("review")
        )
  const replyForm = () =>
    disclosure(
      "Reply",
      html`<p class="soft">You cannot change it after it is published.</p>
${actionForm(visit, { action: "reply", label: "Publish reply", subject: `to ${guestName}`, id, fields: textArea(makeFieldFiller(failedSubmission, "reply", id), { name: "reply", label: "Your reply", isRequired: true }) })}`,
      isFormOpen("reply")
    )
  return html`${host_review === null ? reviewForm() : nothing}${guest_review !== null && host_reply === null ? replyForm() : nothing}`
}

/** Some channels take ratings by category instead of one score. */
const reviewFields = (fillField: FieldFiller, { channel_type }: Review): Html => {
  const scoreField = (name: string, label: string) =>
    input(fillField, { name, label, type: "number", min: 0, max: 5, step: 0.01 })
  const textField = textArea(fillField, { name: "content", label: "Your review" })
  if (!supportsCategoryRatings(channel_type)) return html`${scoreField("score", "Score (0–5)")}${textField}`
  return html`${textField}${scoreField("overall_rating", "Overall (0–5)")}${scoreField("cleanliness", "Cleanliness (0–5)")}${scoreField("communication", "Communication (0–5)")}${scoreField("respect_of_house_rules", "House rules (0–5)")}${select(
    fillField,
    {
      name: "recommend",
      label: "Would you host this guest again?",
      emptyLabel: "No answer",
      options: [
        { value: 1, label: "Yes" },
        { value: 0, label: "No" }
      ]
    }
  )}`
}

const RATING_PARSERS = {
  overall_rating: parseNumber,
  cleanliness: parseNumber,
  communication: parseNumber,
  respect_of_house_rules: parseNumber,
  recommend: parseNumber
}

const readReservationCode = (form: SubmittedForm): string => form.get("id") ?? ""

export const readReview = (form: SubmittedForm): Schema.JsonObject | undefined => {
  const { score, content } = readFilledFields(form, { score: parseNumber, content: parseLines })
  const ratings = readFilledFields(form, RATING_PARSERS)
  if (score === undefined && content === undefined && ratings["overall_rating"] === undefined) return undefined
  return {
    reservation_code: readReservationCode(form),
    ...(score === undefined ? {} : { host_review_score: score }),
    ...(content === undefined ? {} : { host_review_content: content }),
    ...(Object.keys(ratings).length === 0 ? {} : { category_ratings: ratings })
  }
}

export const readReply = (form: SubmittedForm): Schema.JsonObject | undefined => {
  const reply = parseLines(form.get("reply") ?? "")
  return reply === "" ? undefined : { reservation_code: readReservationCode(form), host_reply_content: reply }
}
