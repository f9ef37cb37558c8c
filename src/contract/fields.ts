import currencyCodes from "currency-codes"
import { Schema, SchemaTransformation, Struct } from "effect"
import { AMOUNT_MAX, CODE, EMAIL, IDS_MAX, IDS_TEXT, INSTANT_TEXT } from "../limits.ts"

// The shared vocabulary of payloads and results. A check that carries `unreadable` fails as 400 (the value cannot be
// read as what it should be), any other check as 422 (readable, but a rule refuses it). Every text here has a length and
// shows it in its JSON Schema; test/bounds.test.ts holds payloads to that.

declare module "effect/Schema" {
  namespace Annotations {
    interface Filter {
      readonly unreadable?: boolean | undefined
    }
    interface Key<T> {
      /** Taken with the value there is and refused with any other, so tools are not shown it. */
      readonly neverChanges?: boolean | undefined
    }
  }
}

interface unchangeable extends Struct.Lambda {
  <Field extends Schema.Top>(field: Field): Schema.optionalKey<Field>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Top ? Schema.optionalKey<this["~lambda.in"]> : never
}

/** A field of an edit that never changes: a record can be sent back whole. */
export const unchangeable = Struct.lambda<unchangeable>((field) =>
  Schema.optionalKey(field).annotateKey({ neverChanges: true })
)

/** A whole number; 1.5 is a wrong type, not a broken rule. */
export const Integer = Schema.Finite.check(Schema.isInt({ unreadable: true, expected: "a whole number" }))

/** Id of a record: int64, at least 1. */
export const Id = Integer.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a positive id" }))

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

/** A point in time, ISO 8601. Without an offset it is read in the merchant's time zone. */
export const InstantText = Schema.String.check(
  Schema.makeFilter(isReadableInstant, {
    unreadable: true,
    expected: "a time in ISO 8601, such as 2027-05-07T10:00:00Z",
    toJsonSchema: () => ({ format: "date-time", maxLength: INSTANT_TEXT })
  })
)

const ISO_4217 = new Set(currencyCodes.codes())

/** ISO 4217 code in capitals. */
export const Currency = Schema.String.check(
  Schema.makeFilter((code) => ISO_4217.has(code), {
    expected: "a currency code of ISO 4217, such as EUR",
    toJsonSchema: () => [{ pattern: "^[A-Z]{3}$" }, true]
  })
)

/** Decimals of a currency's smallest unit: 2 for EUR, 0 for JPY, 3 for KWD. */
export const currencyDecimals = (code: string): number => currencyCodes.code(code)?.digits ?? 2

/** Money in major units (100 is one hundred euro), above zero. */
export const PositiveAmount = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above zero" }),
  Schema.isLessThanOrEqualTo(AMOUNT_MAX, { expected: `an amount of at most ${AMOUNT_MAX}` })
)

/** Whether the text has at most `most` characters (code points, as a person counts them). A long one is not counted out. */
export const isUpTo = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= 2 * most && Array.from(text).length <= most)

/** At most `most` characters. */
export const textUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => isUpTo(text, most), {
      expected: `at most ${most} characters`,
      toJsonSchema: () => ({ maxLength: most })
    })
  )

/** A text by which a record is called: a reservation code, a stay code, a channel's own id. */
export const Code = Schema.String.check(
  Schema.makeFilter((text) => text !== "" && isUpTo(text, CODE), {
    expected: `1 to ${CODE} characters`,
    toJsonSchema: () => ({ minLength: 1, maxLength: CODE })
  })
)

const PLAUSIBLE_EMAIL = /^[^\s@<>"(),;:\\]+@[^\s@.<>"(),;:\\]+(\.[^\s@.<>"(),;:\\]+)*$/

/** An e-mail address, or the empty text for none. Plausible, no more: whether it works is seen when mail arrives. */
export const EmailOrNone = Schema.String.check(
  Schema.makeFilter((text) => text === "" || (text.length <= EMAIL && PLAUSIBLE_EMAIL.test(text)), {
    expected: `an e-mail address of at most ${EMAIL} characters, such as host@example.com`,
    toJsonSchema: () => [{ maxLength: EMAIL }, true]
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
)

const IDS = /^\d+(,\d+)*$/

/** Ids as a comma-separated text, `1,2,3` (specification, Endpoints), at most {@link IDS_MAX} of them. */
export const CommaSeparatedIds = textUpTo(IDS_TEXT)
  .check(
    Schema.makeFilter((text) => IDS.test(text.replaceAll(" ", "")), {
      unreadable: true,
      expected: "ids separated by commas, such as 1,2,3",
      toJsonSchema: () => [{}, true]
    })
  )
  .pipe(
    Schema.decodeTo(
      Schema.Array(Id).check(Schema.isMaxLength(IDS_MAX, { expected: `at most ${IDS_MAX} ids` })),
      SchemaTransformation.transform<ReadonlyArray<number>, string>({
        decode: (text) => text.split(",").map(Number),
        encode: (ids) => ids.join(",")
      })
    )
  )
