import type { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { PAGE_MAX } from "../limits.ts"
import { type Givens, inFormsBeside, type Shape } from "./forms.ts"
import { type PageOf, pageRowsOf } from "./rows.ts"

/** What is particular to a list that is asked for page by page. */
export interface List {
  /** All rows of the list. Asked twice, of one snapshot: counting reads no more than an index. */
  readonly matching: Fragment
  /** A query for their `total`, where it can be had for less than by counting what is matching. */
  readonly total?: Fragment
  /** Of what is matching; no two rows are equal in it. An index in this order gives a page without a look at the rest. */
  readonly orderBy: Fragment
  /** What is shown of a row of the table `page`. */
  readonly columns: Fragment
  /** What each of them is joined with, as `LEFT JOIN …`. */
  readonly joined?: Fragment
}

/** Which page. */
interface Asked {
  readonly limit: number
  readonly offset: number
}

/**
 * The pages of a list: one statement answers the rows of one and how many there are in all, also when the page is empty.
 *
 * The database plans a statement for any value, and takes a limit it does not know for a tenth of the table: dear enough to
 * plan it anew each time. So it is told the largest page there is, and stops after the rows that were asked for.
 */
export const pagesOf = <Wanted extends object, A, S extends Shape = []>(
  sql: SqlClient,
  row: Schema.ConstraintDecoder<A>,
  list: (wanted: Givens<Wanted>, ...shape: S) => List
): ((wanted: Wanted, page: Asked, ...shape: S) => Effect.Effect<PageOf<A>>) => {
  const read = pageRowsOf(row)
  const statement = inFormsBeside(
    sql,
    (
      asked: Givens<{ readonly limit: number; readonly offset: number | undefined }>,
      wanted: Givens<Wanted>,
      ...shape: S
    ) => {
      const { matching, orderBy, columns, joined = sql.literal(""), ...counted } = list(wanted, ...shape)
      const total = counted.total ?? sql`SELECT count(*) AS total FROM (${matching}) matching`
      const from = asked.offset === undefined ? sql.literal("") : sql`OFFSET ${asked.offset}`
      return sql`
        WITH counted AS (${total}),
        page AS (
          SELECT * FROM (
            SELECT listed.*, row_number() OVER (ORDER BY ${orderBy}) AS position
            FROM (
              SELECT * FROM (${matching}) matching ORDER BY ${orderBy} LIMIT ${sql.literal(String(PAGE_MAX))} ${from}
            ) listed
          ) numbered WHERE position <= ${asked.limit}
        )
        SELECT counted.total, page.position, ${columns}
        FROM counted LEFT JOIN page ON true ${joined}
        ORDER BY page.position`
    }
  )
  return (wanted, { limit, offset }, ...shape) =>
    read(statement({ limit, offset: offset === 0 ? undefined : offset }, wanted, ...shape))
}
