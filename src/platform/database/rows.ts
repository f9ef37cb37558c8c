import { Context, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { measureStatement } from "./statement-metrics.ts"

// Rows that do not fit their Schema and failures of the database are defects, because no caller can correct them.

type RowsStatement<Row, R> = Effect.Effect<ReadonlyArray<Row>, SqlError, R>

type ObjectRowsStatement<R> = RowsStatement<object, R>

/**
 * Runs before rows are decoded, for example a wait for an event-loop slice. Decoding blocks the event loop until the
 * response is built.
 */
export const BeforeDecoding = Context.Reference<Effect.Effect<void>>("latchkey/platform/database/BeforeDecoding", {
  defaultValue: () => Effect.void
})

const runBeforeDecoding = Effect.flatten(BeforeDecoding)

export const makeReader =
  <A, Row = object>(decode: (rows: ReadonlyArray<Row>) => A) =>
  <R>(statement: RowsStatement<Row, R>): Effect.Effect<A, never, R> =>
    Effect.orDie(
      Effect.flatMap(measureStatement(statement), (rows) => Effect.map(runBeforeDecoding, () => decode(rows)))
    )

export const makeRowsReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return makeReader((rows): ReadonlyArray<A> => decode(rows))
}

export const makeOptionalRowReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const read = makeRowsReader(row)
  return <R>(statement: ObjectRowsStatement<R>): Effect.Effect<A | undefined, never, R> =>
    Effect.map(read(statement), (rows) => rows[0])
}

export const makeSingleRowReader = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Tuple([row]))
  return makeReader((rows): A => decode(rows)[0])
}

export interface RowPage<A> {
  readonly total: number
  readonly rows: ReadonlyArray<A>
}
