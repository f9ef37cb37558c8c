import { Schema, SchemaTransformation } from "effect"
import { formatInstantWithOffset, formatUtcInstant, shortenFraction, truncateToSecond } from "../contract/time.ts"

// A row is read in the names of the contract, by the record's own schema with only those fields exchanged that the
// database gives in another type.

/** `numeric` as the number that is shown. */
export const AmountColumn = Schema.FiniteFromString.annotate({
  fromColumn: (value) => {
    const amount = typeof value === "string" ? Number(value) : Number.NaN
    return Number.isFinite(amount) ? amount : undefined
  }
})

const instantColumn = (format: (instant: Date) => string) =>
  Schema.Date.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform<string, Date>({ decode: format, encode: (text) => new Date(text) })
    ),
    Schema.annotate({
      fromColumn: (value) => (value instanceof Date && !Number.isNaN(value.getTime()) ? format(value) : undefined)
    })
  )

/** `timestamptz` as the text that is shown. */
export const InstantColumn = instantColumn(formatUtcInstant)

/** A time with microseconds. Its statement selects it as text with six decimals, and it decodes to the text of the response. */
export const MicrosecondInstantColumn = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform<string, string>({ decode: shortenFraction, encode: (text) => text })
  ),
  Schema.annotate({ fromColumn: (value) => (typeof value === "string" ? shortenFraction(value) : undefined) })
)

/** The same as times of conversations are shown: to the second, with an offset. */
export const OffsetSecondColumn = instantColumn((instant) =>
  formatInstantWithOffset(truncateToSecond(instant.getTime()))
)

/** What came of a change whose answer needs no more of it. */
export const RowId = Schema.Struct({ id: Schema.Int })
export type RowId = typeof RowId.Type
