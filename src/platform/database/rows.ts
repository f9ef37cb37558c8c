import { Context, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { measureStatement } from "./statement-metrics.ts"

// How a store reads: rows are decoded by a Schema, and a row that does not fit, like a database that is gone, is a
// defect of the service and never something a caller could mend.

type RowsStatement<Row, R> = Effect.Effect<ReadonlyArray<Row>, SqlError, R>

type ObjectRowsStatement<R> = RowsStatement<object, R>

/**
 * What is waited for between the database's answer and reading it: what follows holds the thread, to the end of the
 * answer that is built of it. Nothing, unless whoever runs the work says otherwise.
 */
export const BeforeDecoding = Context.Reference<Effect.Effect<void>>("latchkey/platform/database/BeforeDecoding", {
  defaultValue: () => Effect.void
})

const runBeforeDecoding = Effect.flatten(BeforeDecoding)

/** Reads what a statement answers, row by row or as it is. */
export const makeReader =
  <A, Row = object>(decode: (rows: ReadonlyArray<Row>) => A) =>
  <R>(statement: RowsStatement<Row, R>): Effect.Effect<A, never, R> =>
    Effect.orDie(
      Effect.flatMap(measureStatement(statement), (rows) => Effect.map(runBeforeDecoding, () => decode(rows)))
    )

/** Reads all rows of a statement. */
export const makeRowsReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return makeReader((rows): ReadonlyArray<A> => decode(rows))
}

/** Reads the first row, undefined when there is none. */
export const makeOptionalRowReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const read = makeRowsReader(row)
  return <R>(statement: ObjectRowsStatement<R>): Effect.Effect<A | undefined, never, R> =>
    Effect.map(read(statement), (rows) => rows[0])
}

/** Reads the row of a statement that always has exactly one. */
export const makeSingleRowReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Tuple([row]))
  return makeReader((rows): A => decode(rows)[0])
}

/** One page of rows and how many match in all. */
export interface RowPage<A> {
  readonly total: number
  readonly rows: ReadonlyArray<A>
}
