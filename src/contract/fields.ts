import currencyCodes from "currency-codes"
import { Schema, Struct } from "effect"
import {
  AMOUNT_MAX,
  EMAIL_LENGTH,
  INSTANT_TEXT_LENGTH,
  MICROSECOND_TEXT_LENGTH,
  RECORD_CODE_LENGTH
} from "../platform/limits.ts"
import { instantBounds } from "./time.ts"

// The shared vocabulary of payloads and results. A check that carries `unreadable` fails as 400 (the value cannot be
// read as what it should be), any other check as 422 (readable, but a rule refuses it). A check says what a value must
// be (`expected`), or answers a whole sentence of its own ("must not be empty"). Every text here has a length and
// shows it in its JSON Schema; test/bounds.service.test.ts holds payloads to that.

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** What the regional deployment says in the place of its description. */
      readonly regionally?: string | undefined
    }
    interface Filter {
      readonly unreadable?: boolean | undefined
    }
    interface Key<T> {
      /**
       * For an optional field that narrows a call: `null` counts as absent only if the call has one of the fields named here.
       * Otherwise `null` is a mistake that would make the call do more.
       */
      readonly absenceWidens?: ReadonlyArray<string> | undefined
      /** Works and is not removed; another field says the same (specification, Versioning). */
      readonly deprecated?: boolean | undefined
      /**
       * The meaning of a field whose name tells a model enough, such as `limit`: the reference and OpenAPI show it, and tools do not.
       * `description` is shown by all three.
       */
      readonly documentation?: string | undefined
      /** Taken with the value there is and refused with any other, so tools are not shown it. */
      readonly isImmutable?: boolean | undefined
      /**
       * A password. The fingerprint that an idempotency key stores of its input leaves it out, because a password can be guessed from
       * a fast digest. So a key must not be used again with another password: the keys of console forms depend on all fields.
       */
      readonly isPassword?: boolean | undefined
    }
  }
}

/**
 * Returns an optional field that narrows a call. `null` in it is an error, because the call would do more without it. `null` counts
 * as absent only if the call has one of the fields `otherNarrowingFields`, which narrow it too.
 */
export const narrowingField = <Field extends Schema.Top>(
  field: Field,
  otherNarrowingFields: ReadonlyArray<string> = []
) => Schema.optionalKey(field).annotateKey({ absenceWidens: otherNarrowingFields })

/** What makes a number a whole one, and lets clients send it as text: see input-correction.ts. */
export const isWholeNumber = Schema.isInt({ unreadable: true, expected: "a whole number" })

interface immutableField extends Struct.Lambda {
  <Field extends Schema.Top>(field: Field): Schema.optionalKey<Schema.Union<readonly [Field, Schema.Unknown]>>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Top
    ? Schema.optionalKey<Schema.Union<readonly [this["~lambda.in"], Schema.Unknown]>>
    : never
}

/**
 * Returns the field of an edit that never changes: a record can be sent back whole. Any value is readable, so that a part of an object is
 * refused as another value (422), and not for the fields it lacks (400).
 */
export const immutableField = Struct.lambda<immutableField>((field) => {
  const { description, documentation = description } = Schema.resolveAnnotationsKey(field) ?? {}
  return Schema.optionalKey(Schema.Union([field, Schema.Unknown])).annotateKey({ isImmutable: true, documentation })
})

/** The time of a record's last change, which the service sets. An edit may send any text in it, which is ignored. */
export const LastChange = Schema.optionalKey(Schema.String).annotateKey({
  isImmutable: true,
  documentation: "Time of the last change. The service sets it and ignores the value that is sent."
})

/** A whole number; 1.5 is a wrong type, not a broken rule. */
export const Integer = Schema.Finite.check(isWholeNumber)

/** Id of a record: int64, at least 1. */
export const Id = Integer.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a positive id" }))

/** What a search is narrowed by: a property, or 0 for the stays in none, those in the reservation box. */
export const PropertyOrUnassigned = Integer.check(
  Schema.isGreaterThanOrEqualTo(0, { expected: "a property's id, or 0" })
)

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** Whether the text is a day of the calendar: 2027-02-29 is none, nor is any of a year 0, which SQL does not know. */
export const isCalendarDate = (text: string): boolean => {
  if (!CALENDAR_DATE.test(text) || text.startsWith("0000")) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** A day, `YYYY-MM-DD`, read in the merchant's time zone. */
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
      // Aborts here: the next check needs a valid time.
      true
    ),
    Schema.makeFilter(isStorableInstant, {
      expected: "a time in the years 1 to 9999 in UTC",
      toJsonSchema: () => [{}, true]
    })
  ).annotate({ description: "ISO 8601; without offset in the host's time zone" })

/** A point in time, ISO 8601, in the years that four digits can say. Without an offset it is on the merchant's clock. */
export const InstantText = instantTextUpTo(INSTANT_TEXT_LENGTH)

const FINER_THAN_MICROSECONDS = /\.\d{7}/

/** A point in time as in {@link InstantText}, with at most six decimals, because the database stores microseconds. */
export const MicrosecondInstantText = instantTextUpTo(MICROSECOND_TEXT_LENGTH).check(
  Schema.makeFilter((text) => !FINER_THAN_MICROSECONDS.test(text), {
    expected: "a time with at most six decimals of a second",
    toJsonSchema: () => [{}, true]
  })
)

/** Funds and units of account: the codes ISO marks `IsFund` in its list, and those it has added since of the same kind. */
const FUND_CURRENCIES = ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"]
/** Settled between states and banks alone: SDR, the ADB's unit of account, Sucre. */
const INTERBANK_CURRENCIES = ["XDR", "XUA", "XSU"]

/** What the list of the library, of June 2024, does not know: taken out of circulation since, and new, with its decimals. */
const WITHDRAWN_CURRENCIES = ["ANG", "BGN", "CUC"]
const NEW_CURRENCY_DECIMALS = new Map([["XCG", 2]])

/** ISO gives metals, bond units, the code for tests and the one for no currency a place beginning with ZZ. */
const isWithoutCountry = (code: string): boolean =>
  currencyCodes.code(code)?.countries.some((country) => /^zz\d/i.test(country)) === true

/** The currencies somebody can pay with. */
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

/** ISO 4217 code of a currency in circulation, in capitals. */
export const Currency = Schema.String.check(
  Schema.makeFilter((code) => CIRCULATING_CURRENCIES.has(code), {
    expected: "the ISO 4217 code of a currency in use, such as EUR",
    toJsonSchema: () => [{ pattern: "^[A-Z]{3}$" }, true]
  })
)

/** Decimals of a currency's smallest unit: 2 for EUR, 0 for JPY, 3 for KWD. */
export const currencyDecimals = (code: string): number =>
  currencyCodes.code(code)?.digits ?? NEW_CURRENCY_DECIMALS.get(code) ?? 2

/** What is said of every field that holds money. */
export const MAJOR_UNITS_DESCRIPTION = "major units"

/** Money in major units (100 is one hundred euro), above zero. */
export const PositiveAmount = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above zero" }),
  Schema.isLessThanOrEqualTo(AMOUNT_MAX, { expected: `an amount of at most ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

/** Whether the text has at most `most` characters (code points, as a person counts them). A long one is not counted out. */
export const hasAtMostCharacters = (text: string, maxCharacters: number): boolean =>
  text.length <= maxCharacters || (text.length <= 2 * maxCharacters && Array.from(text).length <= maxCharacters)

/** At most `most` characters. */
export const textUpTo = (maxCharacters: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => hasAtMostCharacters(text, maxCharacters), {
      expected: `at most ${maxCharacters} characters`,
      toJsonSchema: () => ({ maxLength: maxCharacters })
    })
  )

/** What a check answers of a text that must say something. */
export const MUST_NOT_BE_EMPTY = "must not be empty"

/** A text by which a record is called: a reservation code, a stay code, a channel's own id. */
export const RecordCode = Schema.String.check(
  Schema.makeFilter((text) => (text === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, RECORD_CODE_LENGTH)), {
    expected: `at most ${RECORD_CODE_LENGTH} characters`,
    // That it is not empty goes without saying.
    toJsonSchema: () => [{ maxLength: RECORD_CODE_LENGTH }, true]
  })
)

const PLAUSIBLE_EMAIL = /^[^\s@<>"(),;:\\]+@[^\s@.<>"(),;:\\]+(\.[^\s@.<>"(),;:\\]+)*$/

/** An e-mail address, or the empty text for none. Plausible, no more: whether it works is seen when mail arrives. */
export const EmailOrNone = Schema.String.check(
  Schema.makeFilter((text) => text === "" || (text.length <= EMAIL_LENGTH && PLAUSIBLE_EMAIL.test(text)), {
    expected: `an e-mail address of at most ${EMAIL_LENGTH} characters, such as host@example.com`,
    toJsonSchema: () => [{ maxLength: EMAIL_LENGTH }, true]
  })
)

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

/** A time on the merchant's clock, `HH:mm:ss`. */
export const TimeOfDay = Schema.String.check(
  Schema.makeFilter((text) => TIME_OF_DAY.test(text), {
    unreadable: true,
    expected: "a time in the form HH:mm:ss, such as 09:30:00",
    toJsonSchema: () => ({ pattern: TIME_OF_DAY.source })
  })
).annotate({ description: "HH:mm:ss" })

const HOUR_AND_MINUTE = /^([01]\d|2[0-3]):[0-5]\d$/

/** A time on the clock of the property, `HH:mm`. `example` stands in the error message. */
export const hourAndMinute = (example: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => HOUR_AND_MINUTE.test(text), {
      unreadable: true,
      expected: `a time in the form HH:mm, such as ${example}`,
      toJsonSchema: () => ({ pattern: HOUR_AND_MINUTE.source })
    })
  )
