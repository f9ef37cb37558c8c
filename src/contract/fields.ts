import currencyCodes from "currency-codes"
import { Schema, Struct } from "effect"
import {
  AMOUNT_MAX,
  EMAIL_LENGTH,
  GUESTS_MAX,
  INSTANT_TEXT_LENGTH,
  MICROSECOND_TEXT_LENGTH,
  RECORD_CODE_LENGTH
} from "../platform/limits.ts"
import { instantBounds } from "./time.ts"

// A check with the annotation `unreadable` fails with 400, any other with 422. `expected` completes the error "must be
// …", and `message` replaces it. Every text needs a maximum length (test/bounds.service.test.ts).

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** Description for the regional deployment. */
      readonly regionally?: string | undefined
    }
    interface Filter {
      readonly unreadable?: boolean | undefined
    }
    interface Key<T> {
      /**
       * `null` counts as absent only if the call has one of these fields. Otherwise `null` is an error, because the
       * call would affect more than its caller meant.
       */
      readonly absenceWidens?: ReadonlyArray<string> | undefined
      /** Another field replaces this one (specification, Versioning). */
      readonly deprecated?: boolean | undefined
      /** Description for the documentation only. Tools do not show it, because the field's name is clear. */
      readonly documentation?: string | undefined
      /** An edit accepts only the current value, so tools do not show the field. */
      readonly isImmutable?: boolean | undefined
      /**
       * The fingerprint of a call omits this field, because a password could be guessed from a fast digest. So a
       * repeated idempotency key with another password is not noticed.
       */
      readonly isPassword?: boolean | undefined
      /** See {@link requiredUnless}. */
      readonly requiredUnless?: ConditionalRequirement | undefined
    }
  }
}

/** Makes a field optional. `null` in it is an error, unless the call has one of `otherNarrowingFields`. */
export const narrowingField = <Field extends Schema.Top>(
  field: Field,
  otherNarrowingFields: ReadonlyArray<string> = []
) => Schema.optionalKey(field).annotateKey({ absenceWidens: otherNarrowingFields })

interface ConditionalRequirement {
  readonly otherField: string
  /** The schema that applies without `otherField`. */
  readonly field: Schema.Top
}

/** Makes a field optional in calls with `otherField`. Other calls without the field fail with 400, as if it were required. */
export const requiredUnless = <Field extends Schema.Top>(otherField: string, field: Field) =>
  Schema.optionalKey(field).annotateKey({ requiredUnless: { otherField, field } })

/** Also marks numbers that clients may send as text (input-correction.ts). */
export const isWholeNumber = Schema.isInt({ unreadable: true, expected: "a whole number" })

interface immutableField extends Struct.Lambda {
  <Field extends Schema.Top>(field: Field): Schema.optionalKey<Schema.Union<readonly [Field, Schema.Unknown]>>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Top
    ? Schema.optionalKey<Schema.Union<readonly [this["~lambda.in"], Schema.Unknown]>>
    : never
}

/** Makes a field optional in an edit. Any value is readable, so a different value fails with 422 and never with 400. */
export const immutableField = Struct.lambda<immutableField>((field) => {
  const { description, documentation = description } = Schema.resolveAnnotationsKey(field) ?? {}
  return Schema.optionalKey(Schema.Union([field, Schema.Unknown])).annotateKey({ isImmutable: true, documentation })
})

export const LastChange = Schema.optionalKey(Schema.String).annotateKey({
  isImmutable: true,
  documentation: "Time of the last change. The service sets it and ignores the value that is sent."
})

export const Integer = Schema.Finite.check(isWholeNumber)

export const Id = Integer.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a positive id" }))

export const NumberOfGuests = Integer.check(
  Schema.isBetween({ minimum: 1, maximum: GUESTS_MAX }, { expected: `a number from 1 to ${GUESTS_MAX}` })
)

export const PropertyOrUnassigned = Integer.check(
  Schema.isGreaterThanOrEqualTo(0, { expected: "a property's id, or 0" })
)

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** Rejects the year 0, which PostgreSQL lacks. */
export const isCalendarDate = (text: string): boolean => {
  if (!CALENDAR_DATE.test(text) || text.startsWith("0000")) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** A day, `YYYY-MM-DD`, in the operator's time zone. */
export const CalendarDate = Schema.String.check(
  Schema.makeFilter(isCalendarDate, {
    unreadable: true,
    expected: "a date in the form YYYY-MM-DD",
    toJsonSchema: () => ({ format: "date" })
  })
)

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i

const isReadableInstant = (text: string): boolean => {
  const parts = INSTANT.exec(text)
  if (parts === null) return false
  const [, date = "", hour = "", minute = "", second = "0"] = parts
  return isCalendarDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
}

const isStorableInstant = (text: string): boolean => {
  const { from, to } = instantBounds(text)
  return from >= FIRST_INSTANT && to <= LAST_INSTANT
}

const FIRST_INSTANT = Date.parse("0001-01-01T00:00:00.000Z")
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z")

const instantTextUpTo = (maxLength: number) =>
  Schema.String.check(
    Schema.makeFilter(
      isReadableInstant,
      {
        unreadable: true,
        expected: "a time in ISO 8601, such as 2027-05-07T10:00:00Z",
        toJsonSchema: () => ({ format: "date-time", maxLength })
      },
      // Aborts, because the next check needs a readable time.
      true
    ),
    Schema.makeFilter(isStorableInstant, {
      expected: "a time in the years 1 to 9999 in UTC",
      toJsonSchema: () => [{}, true]
    })
  ).annotate({ description: "ISO 8601; without offset in the host's time zone" })

export const InstantText = instantTextUpTo(INSTANT_TEXT_LENGTH)

const FINER_THAN_MICROSECONDS = /\.\d{7}/

export const MicrosecondInstantText = instantTextUpTo(MICROSECOND_TEXT_LENGTH).check(
  Schema.makeFilter((text) => !FINER_THAN_MICROSECONDS.test(text), {
    expected: "a time with at most six decimals of a second",
    toJsonSchema: () => [{}, true]
  })
)

const FUND_CURRENCIES = ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"]
const INTERBANK_CURRENCIES = ["XDR", "XUA", "XSU"]

/** Changes of ISO 4217 since June 2024, the date of the library's list. */
const WITHDRAWN_CURRENCIES = ["ANG", "BGN", "CUC"]
const NEW_CURRENCY_DECIMALS = new Map([["XCG", 2]])

/** ISO 4217 lists metals, bond units, test codes and "no currency" under places that begin with ZZ. */
const isWithoutCountry = (code: string): boolean =>
  currencyCodes.code(code)?.countries.some((country) => /^zz\d/i.test(country)) === true

const CIRCULATING_CURRENCIES = new Set([
  ...currencyCodes
    .codes()
    .filter(
      (code) =>
        !isWithoutCountry(code) &&
        ![...FUND_CURRENCIES, ...INTERBANK_CURRENCIES, ...WITHDRAWN_CURRENCIES].includes(code)
    ),
  ...NEW_CURRENCY_DECIMALS.keys()
])

export const Currency = Schema.String.check(
  Schema.makeFilter((code) => CIRCULATING_CURRENCIES.has(code), {
    expected: "the ISO 4217 code of a currency in use, such as EUR",
    toJsonSchema: () => [{ pattern: "^[A-Z]{3}$" }, true]
  })
)

/** The library searches all currencies on each call. A calendar of a listing formats more than 500 prices. */
const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map([
  ...NEW_CURRENCY_DECIMALS,
  ...currencyCodes.data.map(({ code, digits }): [string, number] => [code, digits])
])

export const currencyDecimals = (code: string): number => CURRENCY_DECIMALS.get(code.toUpperCase()) ?? 2

export const MAJOR_UNITS_DESCRIPTION = "major units"

export const PositiveAmount = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above zero" }),
  Schema.isLessThanOrEqualTo(AMOUNT_MAX, { expected: `an amount of at most ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

/** Counts code points. Much longer texts are rejected without counting. */
export const hasAtMostCharacters = (text: string, maxCharacters: number): boolean =>
  text.length <= maxCharacters || (text.length <= 2 * maxCharacters && Array.from(text).length <= maxCharacters)

export const textUpTo = (maxCharacters: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => hasAtMostCharacters(text, maxCharacters), {
      expected: `at most ${maxCharacters} characters`,
      toJsonSchema: () => ({ maxLength: maxCharacters })
    })
  )

export const MUST_NOT_BE_EMPTY = "must not be empty"

export const RecordCode = Schema.String.check(
  Schema.makeFilter((text) => (text === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, RECORD_CODE_LENGTH)), {
    expected: `at most ${RECORD_CODE_LENGTH} characters`,
    toJsonSchema: () => [{ maxLength: RECORD_CODE_LENGTH }, true]
  })
)

const PLAUSIBLE_EMAIL = /^[^\s@<>"(),;:\\]+@[^\s@.<>"(),;:\\]+(\.[^\s@.<>"(),;:\\]+)*$/

export const EmailOrNone = Schema.String.check(
  Schema.makeFilter((text) => text === "" || (text.length <= EMAIL_LENGTH && PLAUSIBLE_EMAIL.test(text)), {
    expected: `an e-mail address of at most ${EMAIL_LENGTH} characters, such as host@example.com`,
    toJsonSchema: () => [{ maxLength: EMAIL_LENGTH }, true]
  })
)

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

export const TimeOfDay = Schema.String.check(
  Schema.makeFilter((text) => TIME_OF_DAY.test(text), {
    unreadable: true,
    expected: "a time in the form HH:mm:ss, such as 09:30:00",
    toJsonSchema: () => ({ pattern: TIME_OF_DAY.source })
  })
).annotate({ description: "HH:mm:ss" })

const HOUR_AND_MINUTE = /^([01]\d|2[0-3]):[0-5]\d$/

export const hourAndMinute = (example: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => HOUR_AND_MINUTE.test(text), {
      unreadable: true,
      expected: `a time in the form HH:mm, such as ${example}`,
      toJsonSchema: () => ({ pattern: HOUR_AND_MINUTE.source })
    })
  )
