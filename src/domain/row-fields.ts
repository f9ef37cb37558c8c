import { Schema, SchemaTransformation } from "effect"
import { instantText, offsetText, shortInstant, wholeSecond } from "../contract/time.ts"

// A row is read in the names of the contract, by the record's own schema with only those fields exchanged that the
// database gives in another type.

/** `numeric` as the number that is shown. */
export const Amount = Schema.FiniteFromString.annotate({
  fromColumn: (value) => {
    const amount = typeof value === "string" ? Number(value) : Number.NaN
    return Number.isFinite(amount) ? amount : undefined
  }
})

const instantAs = (shown: (instant: Date) => string) =>
  Schema.Date.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform<string, Date>({ decode: shown, encode: (text) => new Date(text) })
    ),
    Schema.annotate({
      fromColumn: (value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? shown(value) : undefined)
    })
  )

/** `timestamptz` as the text that is shown. */
export const Instant = instantAs(instantText)

/** A time with microseconds. Its statement selects it as text with six decimals, and it decodes to the text of the response. */
export const MicrosecondInstant = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform<string, string>({ decode: shortInstant, encode: (text) => text })
  ),
  Schema.annotate({ fromColumn: (value) => (typeof value === "string" ? shortInstant(value) : undefined) })
)

/** The same as times of conversations are shown: to the second, with an offset. */
export const OffsetSecond = instantAs((instant) => offsetText(wholeSecond(instant.getTime())))

/** What came of a change whose answer needs no more of it. */
export const Identity = Schema.Struct({ id: Schema.Int })
