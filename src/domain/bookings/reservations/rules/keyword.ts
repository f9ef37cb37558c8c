import { Schema } from "effect"
import { RESERVATION_KEYWORD_MAX, RESERVATION_KEYWORD_MIN } from "../../../../platform/limits.ts"

// What a keyword search of reservations looks for. The database gives both sides the same form (`search_form`): NFC,
// lower case, and one space for any white space.

const trimmedLength = (text: string): number => Array.from(text.trim()).length

/** A part of a name, an e-mail address, a phone number or a code. Spaces around it do not count. */
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

/** What the text of a stay may contain. */
export interface Keyword {
  readonly text: string
  /** The keyword as the digits of a phone number; undefined if it cannot be one, or is written in these digits alone. */
  readonly digits: string | undefined
}

/** How people write phone numbers: digits, and what separates groups of them. */
const PHONE_PATTERN = /^[\d\s+().\-/]+$/

/**
 * Returns what a keyword looks for. A phone number is compared by its digits, without the zeros before it: `0151 123`
 * finds `+49 151 1234567`. A text that contains the digits with the zeros contains them without, too.
 */
export const toKeyword = (text: string): Keyword => {
  const trimmedText = text.trim()
  const digits = PHONE_PATTERN.test(trimmedText) ? trimmedText.replace(/\D/g, "").replace(/^0+/, "") : ""
  if (digits.length < RESERVATION_KEYWORD_MIN) return { text: trimmedText, digits: undefined }
  return /^\d+$/.test(trimmedText) ? { text: digits, digits: undefined } : { text: trimmedText, digits }
}
