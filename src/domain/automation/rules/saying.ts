import { Result } from "effect"
import { isUpTo } from "../../../contract/fields.ts"
import { REVIEW_TEXT } from "../../../platform/limits.ts"
import { messageLimit } from "../../channels/port/message-limits.ts"
import type { InquiryFacts } from "../facts.ts"
import type { MessageRule, ReviewRule } from "./rule.ts"
import { type Filled, type Filling, fillInquiryTemplate, fillTemplate, templateOf } from "./template.ts"

// What a rule says to a guest, or of him: its template with everything in it, as long as its channel takes.

export type SayingRule = typeof MessageRule.Type | typeof ReviewRule.Type

/** Fails with why nothing can be said: a field that is not known, or a text that is too long. */
export const saidOfStay = (rule: SayingRule, filling: Filling): Result.Result<Filled, string> =>
  templateOf(rule.text).pipe(
    Result.flatMap((template) => fillTemplate(template, filling)),
    Result.flatMap(asLongAs(rule.action === "review" ? REVIEW_TEXT : messageLimit(filling.stay.channel_type)))
  )

/** The same to somebody who inquires. */
export const saidToInquiry = (rule: typeof MessageRule.Type, inquiry: InquiryFacts): Result.Result<Filled, string> =>
  templateOf(rule.text).pipe(
    Result.flatMap((template) => fillInquiryTemplate(template, inquiry)),
    Result.flatMap(asLongAs(messageLimit(inquiry.channel_type)))
  )

const asLongAs =
  (most: number) =>
  (filled: Filled): Result.Result<Filled, string> =>
    isUpTo(filled.text, most)
      ? Result.succeed(filled)
      : Result.fail(`With its fields filled in, the text exceeds the ${most} characters that its channel accepts.`)
