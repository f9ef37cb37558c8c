import { Schema, SchemaTransformation } from "effect"
import { formatInstantWithOffset, formatUtcInstant, shortenFraction, truncateToSecond } from "../contract/time.ts"

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

export const InstantColumn = instantColumn(formatUtcInstant)

/** Decodes a time that the statement selects as text with six decimals. */
export const MicrosecondInstantColumn = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform<string, string>({ decode: shortenFraction, encode: (text) => text })
  ),
  Schema.annotate({ fromColumn: (value) => (typeof value === "string" ? shortenFraction(value) : undefined) })
)

/** Decodes to a text with whole seconds and an offset. */
export const OffsetSecondColumn = instantColumn((instant) =>
  formatInstantWithOffset(truncateToSecond(instant.getTime()))
)

export const RowId = Schema.Struct({ id: Schema.Int })
export type RowId = typeof RowId.Type
