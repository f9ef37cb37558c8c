import { Schema } from "effect"
import {
  hasAtMostCharacters,
  Integer,
  MAJOR_UNITS_DESCRIPTION,
  RecordCode,
  textUpTo
} from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CUSTOM_FIELD_CHANGES_MAX,
  CUSTOM_FIELD_NAME_LENGTH,
  CUSTOM_FIELD_VALUE_LENGTH,
  LOCK_CODE_LENGTH
} from "../../../platform/limits.ts"

export const StayCode = RecordCode.annotateKey({ documentation: "Code of the stay, from search_reservations." })

export const ClockTimeInput = Schema.Struct({
  hour: Integer.check(Schema.isBetween({ minimum: 0, maximum: 23 }, { expected: "an hour from 0 to 23" })).annotateKey({
    documentation: "Hour, from 0 to 23."
  }),
  minute: Integer.check(
    Schema.isBetween({ minimum: 0, maximum: 59 }, { expected: "a minute from 0 to 59" })
  ).annotateKey({ documentation: "Minute, from 0 to 59." })
})

const CLOCK_TEXT_PATTERN = /^([01]\d|2[0-3]):[0-5]\d$/

export const ClockText = Schema.String.check(
  Schema.makeFilter((text) => CLOCK_TEXT_PATTERN.test(text), {
    expected: "a time in the form HH:mm, such as 15:00",
    toJsonSchema: () => ({ pattern: CLOCK_TEXT_PATTERN.source })
  })
).annotate({ description: "HH:mm" })

export const LockCode = textUpTo(LOCK_CODE_LENGTH)

/** In major units of the host's currency. */
export const Deposit = Integer.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: "an amount of at least 0" })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

export const CustomFieldChanges = Schema.Record(
  Schema.String,
  Schema.NullOr(textUpTo(CUSTOM_FIELD_VALUE_LENGTH))
).check(
  Schema.isMaxProperties(CUSTOM_FIELD_CHANGES_MAX, { expected: `at most ${CUSTOM_FIELD_CHANGES_MAX} fields at once` }),
  Schema.makeFilter(
    (fields) =>
      Object.keys(fields).every((name) => hasAtMostCharacters(name, CUSTOM_FIELD_NAME_LENGTH) && name.trim() !== "") ||
      `must have names of 1 to ${CUSTOM_FIELD_NAME_LENGTH} characters`,
    {
      toJsonSchema: () => ({ propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_NAME_LENGTH } })
    }
  )
)
