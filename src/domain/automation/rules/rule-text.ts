import { Result } from "effect"
import { hasAtMostCharacters } from "../../../contract/fields.ts"
import { REVIEW_TEXT_LENGTH } from "../../../platform/limits.ts"
import { getMessageLimit } from "../../channels/port/message-limits.ts"
import type { InquiryFacts } from "../template-facts.ts"
import type { MessageRule, ReviewRule } from "./rule.ts"
import {
  type FilledTemplate,
  fillInquiryTemplate,
  fillStayTemplate,
  parseTemplate,
  type StayTemplateContext
} from "./template.ts"

export type MessageOrReviewRule = typeof MessageRule.Type | typeof ReviewRule.Type

/** Fails if a field is unknown or the text is too long for its channel. */
export const renderStayText = (
  rule: MessageOrReviewRule,
  context: StayTemplateContext
): Result.Result<FilledTemplate, string> =>
  parseTemplate(rule.text).pipe(
    Result.flatMap((template) => fillStayTemplate(template, context)),
    Result.flatMap(
      limitLength(rule.action === "review" ? REVIEW_TEXT_LENGTH : getMessageLimit(context.stay.channel_type))
    )
  )

export const renderInquiryText = (
  rule: typeof MessageRule.Type,
  inquiry: InquiryFacts
): Result.Result<FilledTemplate, string> =>
  parseTemplate(rule.text).pipe(
    Result.flatMap((template) => fillInquiryTemplate(template, inquiry)),
    Result.flatMap(limitLength(getMessageLimit(inquiry.channel_type)))
  )

const limitLength =
  (maxLength: number) =>
  (rendered: FilledTemplate): Result.Result<FilledTemplate, string> =>
    hasAtMostCharacters(rendered.text, maxLength)
      ? Result.succeed(rendered)
      : Result.fail(`With its fields filled in, the text exceeds the ${maxLength} characters that its channel accepts.`)
