import { Context, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

// How a store reads: rows are decoded by a Schema, and a row that does not fit, like a database that is gone, is a
// defect of the service and never something a caller could mend.

type Answered<Row, R> = Effect.Effect<ReadonlyArray<Row>, SqlError, R>

type Rows<R> = Answered<object, R>

/**
 * What is waited for between the database's answer and reading it: what follows holds the thread, to the end of the
 * answer that is built of it. Nothing, unless whoever runs the work says otherwise.
 */
export const BeforeReading = Context.Reference<Effect.Effect<void>>("latchkey/database/BeforeReading", {
  defaultValue: () => Effect.void
})

const beforeReading = Effect.flatten(BeforeReading)

/** Reads what a statement answers, row by row or as it is. */
export const readBy =
  <A, Row = object>(decode: (rows: ReadonlyArray<Row>) => A) =>
  <R>(statement: Answered<Row, R>): Effect.Effect<A, never, R> =>
    Effect.orDie(Effect.flatMap(statement, (rows) => Effect.map(beforeReading, () => decode(rows))))

/** Reads all rows of a statement. */
export const rowsOf = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return readBy((rows): ReadonlyArray<A> => decode(rows))
}

/** Reads the first row, undefined when there is none. */
export const rowOf = <A>(row: Schema.ConstraintDecoder<A>) => {
  const read = rowsOf(row)
  return <R>(statement: Rows<R>): Effect.Effect<A | undefined, never, R> =>
    Effect.map(read(statement), (rows) => rows[0])
}

/** Reads the row of a statement that always has exactly one. */
export const onlyRowOf = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Tuple([row]))
  return readBy((rows): A => decode(rows)[0])
}

/** One page of rows and how many match in all. */
export interface PageOf<A> {
  readonly total: number
  readonly rows: ReadonlyArray<A>
}

/**
 * The head of a list query: CTEs `page` (the asked-for rows, with a `position` in order) and `counted` (`total`).
 * Go on with `SELECT counted.total, … FROM counted LEFT JOIN page ON true … ORDER BY page.position`: one statement
 * answers rows and total, also when the page is empty.
 *
 * `matching` is asked twice, of one snapshot: counting reads no more than the index, and an index in the asked-for order
 * gives the page without a look at the other rows.
 */
export const paged = (
  sql: SqlClient,
  list: { readonly matching: Fragment; readonly orderBy: Fragment; readonly offset: number; readonly limit: number }
): Fragment => sql`
  WITH counted AS (SELECT count(*) AS total FROM (${list.matching}) matching),
  page AS (
    SELECT listed.*, row_number() OVER (ORDER BY ${list.orderBy}) AS position
    FROM (
      SELECT * FROM (${list.matching}) matching ORDER BY ${list.orderBy} LIMIT ${list.limit} OFFSET ${list.offset}
    ) listed
  )`

const Total = Schema.Struct({ total: Schema.Int, position: Schema.NullOr(Schema.Int) })

/** Reads the rows of a {@link paged} query; select `counted.total` and `page.position` with the rest. */
export const pageRowsOf = <A>(row: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  const decodeTotal = Schema.decodeUnknownSync(Total)
  return readBy((rows): PageOf<A> => {
    const { total, position } = decodeTotal(rows[0])
    // An empty page still has one row, which carries the total.
    return { total, rows: position === null ? [] : decode(rows) }
  })
}
