import { Schema } from "effect"
import { EMPTY, Integer, isUpTo, MAJOR_UNITS, textUpTo } from "../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_ID,
  CUSTOM_FIELD_CHANGES,
  CUSTOM_FIELD_NAME,
  CUSTOM_FIELD_VALUE,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  LOCK_CODE,
  RATE_MAX,
  RESERVATION_CREATOR,
  RESERVATION_REMARKS
} from "../../limits.ts"

// The fields of reservation payloads (contract facts 2.3 to 2.6).

const filledUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? EMPTY : isUpTo(text, most)), {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ minLength: 1, maxLength: most })
    })
  )

export const GuestName = filledUpTo(GUEST_NAME)
export const Creator = filledUpTo(RESERVATION_CREATOR)
export const Phone = textUpTo(GUEST_PHONE).annotate({ description: "as +49 15112345678" })
export const Remarks = textUpTo(RESERVATION_REMARKS)

export const NumberOfGuests = Integer.check(
  Schema.isBetween({ minimum: 1, maximum: GUESTS_MAX }, { expected: `a number from 1 to ${GUESTS_MAX}` })
)

const amountUpTo = (most: number) =>
  Schema.Finite.check(
    Schema.isBetween({ minimum: 0, maximum: most }, { expected: `an amount from 0 to ${most}` })
  ).annotate({ description: MAJOR_UNITS })

/** Major units, zero allowed. */
export const Amount = amountUpTo(AMOUNT_MAX)
/** What an edit may set a rate or a commission to (contract facts 2.4). */
export const EditedAmount = amountUpTo(RATE_MAX)

const CHANNEL_ID_PATTERN = /^[A-Za-z0-9]+$/

/** The caller's own id of an order, which makes creating it idempotent (specification, POST /reservations). */
export const ChannelId = Schema.String.check(
  Schema.makeFilter((text) => (text === "" ? EMPTY : text.length <= CHANNEL_ID && CHANNEL_ID_PATTERN.test(text)), {
    expected: `at most ${CHANNEL_ID} letters and digits`,
    toJsonSchema: () => ({ pattern: CHANNEL_ID_PATTERN.source, maxLength: CHANNEL_ID })
  })
).annotate({ description: "your own id of the order" })

/** Wall clock of the property. */
export const TimeOfArrival = Schema.Struct({
  hour: Integer.check(Schema.isBetween({ minimum: 0, maximum: 23 }, { expected: "an hour from 0 to 23" })),
  minute: Integer.check(Schema.isBetween({ minimum: 0, maximum: 59 }, { expected: "a minute from 0 to 59" }))
})

const CLOCK = /^([01]\d|2[0-3]):[0-5]\d$/

/** `HH:mm`. */
export const ClockText = Schema.String.check(
  Schema.makeFilter((text) => CLOCK.test(text), {
    expected: "a time in the form HH:mm, such as 15:00",
    toJsonSchema: () => ({ pattern: CLOCK.source })
  })
).annotate({ description: "HH:mm" })

export const LockCode = textUpTo(LOCK_CODE)

/** Host currency, major units. */
export const Deposit = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: "an amount of at least 0" })
).annotate({ description: MAJOR_UNITS })

/** What to set and, with null, what to remove. */
export const CustomFieldChanges = Schema.Record(Schema.String, Schema.NullOr(textUpTo(CUSTOM_FIELD_VALUE))).check(
  Schema.isMaxProperties(CUSTOM_FIELD_CHANGES, { expected: `at most ${CUSTOM_FIELD_CHANGES} fields at once` }),
  Schema.makeFilter(
    (fields) =>
      Object.keys(fields).every((name) => isUpTo(name, CUSTOM_FIELD_NAME) && name.trim() !== "") ||
      `must have names of 1 to ${CUSTOM_FIELD_NAME} characters`,
    {
      toJsonSchema: () => ({ propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_NAME } })
    }
  )
)
