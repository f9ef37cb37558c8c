import { type Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment, Statement } from "effect/sql/Statement"
import { PAGE_DEFAULT, PAGE_MAX } from "../limits.ts"
import { genericPlanParameter } from "./parameters.ts"
import { listColumnNames, makePositionalRowReader, type RowStruct } from "./positional-row-reader.ts"
import { makeReader, type RowPage } from "./rows.ts"
import { toStaticSql } from "./statement-cache.ts"

interface PagedList {
  /** Selects all rows of the list. The statement uses it twice, and counting should need only an index. */
  readonly matchingRows: Fragment
  readonly totalQuery?: Fragment
  /**
   * Selects the rows of the CTE `page`, each with its `position` in the CTE `listed`. Needed if `matchingRows` selects
   * only index keys.
   */
  readonly pageQuery?: Fragment
  /** Must be a total order. An index in this order avoids a scan. */
  readonly orderBy: Fragment
  /** `LEFT JOIN …` to the CTE `page`. It must not multiply rows. */
  readonly joins?: Fragment
}

interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** An empty page is one row with a null position. */
const PageHead = Schema.Struct({ total: Schema.Int, position: Schema.NullOr(Schema.Int) })

type ColumnExpressions<Row> = { readonly [Name in keyof Row]?: Fragment }

/**
 * One statement returns the rows and the total, even if the page is empty.
 *
 * LIMIT is one of two literals, because PostgreSQL would plan each call anew for a parameter. A condition on the row
 * number then reduces the page to `limit` rows.
 */
export const makePageReader = <A extends object, Parameters extends ReadonlyArray<unknown>, Filter>(
  sql: SqlClient,
  row: RowStruct<A>,
  list: (filter: Filter, ...shape: Parameters) => PagedList,
  columns: ColumnExpressions<A> = {}
): ((filter: Filter, page: PageRequest, ...shape: Parameters) => Effect.Effect<RowPage<A>>) => {
  const selectedColumns = toStaticSql(sql, selectedColumnsSql(sql, row, columns))
  const readHead = makePositionalRowReader(PageHead)
  const readRow = makePositionalRowReader(row, listColumnNames(PageHead).length)
  const read = makeReader((rows: ReadonlyArray<ReadonlyArray<unknown>>): RowPage<A> => {
    const { total, position } = readHead(rows[0] ?? [])
    return { total, rows: position === null ? [] : rows.map(readRow) }
  })
  return (filter, request, ...shape) => read(pageSql(sql, selectedColumns, list(filter, ...shape), request).values)
}

const pageSql = (
  sql: SqlClient,
  selectedColumns: Fragment,
  { matchingRows, orderBy, joins = sql.literal(""), ...list }: PagedList,
  { limit, offset }: PageRequest
): Statement<object> => {
  const total = list.totalQuery ?? sql`SELECT count(*) AS total FROM (${matchingRows}) matching`
  const whole = list.pageQuery ?? sql`SELECT * FROM listed`
  const limitSql = sql.literal(String(limit > PAGE_DEFAULT ? PAGE_MAX : PAGE_DEFAULT))
  const offsetSql = offset === 0 ? sql.literal("") : sql`OFFSET ${genericPlanParameter(sql, "bigint", offset)}`
  return sql`
    WITH counted AS (${total}),
    listed AS (
      SELECT * FROM (
        SELECT found.*, row_number() OVER (ORDER BY ${orderBy}) AS position
        FROM (
          SELECT * FROM (${matchingRows}) matching ORDER BY ${orderBy} LIMIT ${limitSql} ${offsetSql}
        ) found
      ) numbered WHERE position <= ${limit}
    ), page AS (${whole})
    SELECT counted.total, page.position, ${selectedColumns}
    FROM counted LEFT JOIN page ON true ${joins}
    ORDER BY page.position`
}

export const selectedColumnsSql = <A extends object>(
  sql: SqlClient,
  row: RowStruct<A>,
  columns: ColumnExpressions<A>
): Fragment => {
  const overrides = new Map(Object.entries<Fragment | undefined>(columns))
  return sql.csv(
    listColumnNames(row).map((name) => {
      const column = overrides.get(name)
      return column === undefined ? sql`page.${sql(name)}` : sql`${column} AS ${sql(name)}`
    })
  )
}
