import { Schema } from "effect"
import { hasAtMostCharacters, MAJOR_UNITS_DESCRIPTION, MUST_NOT_BE_EMPTY, textUpTo } from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_ID_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  RESERVATION_CREATOR_LENGTH,
  RESERVATION_REMARKS_LENGTH
} from "../../../platform/limits.ts"

const nonBlankTextUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, most)), {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ minLength: 1, maxLength: most })
    })
  )

export const GuestName = nonBlankTextUpTo(GUEST_NAME_LENGTH)
export const Creator = nonBlankTextUpTo(RESERVATION_CREATOR_LENGTH)
export const PhoneNumber = textUpTo(GUEST_PHONE_LENGTH).annotate({ description: "as +49 15112345678" })
export const Remarks = textUpTo(RESERVATION_REMARKS_LENGTH)

export const NonNegativeAmount = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

const CHANNEL_ID_PATTERN = /^[A-Za-z0-9]+$/

export const ChannelId = Schema.String.check(
  Schema.makeFilter(
    (text) => (text === "" ? MUST_NOT_BE_EMPTY : text.length <= CHANNEL_ID_LENGTH && CHANNEL_ID_PATTERN.test(text)),
    {
      expected: `at most ${CHANNEL_ID_LENGTH} letters and digits`,
      toJsonSchema: () => ({ pattern: CHANNEL_ID_PATTERN.source, maxLength: CHANNEL_ID_LENGTH })
    }
  )
).annotate({ description: "your own id of the order" })
