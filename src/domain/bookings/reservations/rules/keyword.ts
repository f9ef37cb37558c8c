import { Schema } from "effect"
import { RESERVATION_KEYWORD_MAX, RESERVATION_KEYWORD_MIN } from "../../../../platform/limits.ts"

const trimmedLength = (text: string): number => Array.from(text.trim()).length

export const SearchKeyword = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text.length <= 2 * RESERVATION_KEYWORD_MAX &&
      trimmedLength(text) >= RESERVATION_KEYWORD_MIN &&
      trimmedLength(text) <= RESERVATION_KEYWORD_MAX,
    {
      expected: `${RESERVATION_KEYWORD_MIN} to ${RESERVATION_KEYWORD_MAX} characters, without the spaces around them`,
      toJsonSchema: () => ({ minLength: RESERVATION_KEYWORD_MIN, maxLength: RESERVATION_KEYWORD_MAX })
    }
  )
)

export interface Keyword {
  readonly text: string
  /** Undefined if the keyword is no phone number, or if `text` consists of the same digits. */
  readonly digits: string | undefined
}

const PHONE_PATTERN = /^[\d\s+().\-/]+$/

/** Phone numbers are compared without leading zeros: `0151 123` finds `+49 151 1234567`. */
export const toKeyword = (text: string): Keyword => {
  const trimmedText = text.trim()
  const digits = PHONE_PATTERN.test(trimmedText) ? trimmedText.replace(/\D/g, "").replace(/^0+/, "") : ""
  if (digits.length < RESERVATION_KEYWORD_MIN) return { text: trimmedText, digits: undefined }
  return /^\d+$/.test(trimmedText) ? { text: digits, digits: undefined } : { text: trimmedText, digits }
}
