import { type Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment, Statement } from "effect/sql/Statement"
import { PAGE_DEFAULT, PAGE_MAX } from "../limits.ts"
import { genericPlanParameter } from "./parameters.ts"
import { listColumnNames, makePositionalRowReader, type RowStruct } from "./positional-row-reader.ts"
import { makeReader, type RowPage } from "./rows.ts"
import { toStaticSql } from "./statement-cache.ts"

/** What is particular to a list that is asked for page by page. */
interface PagedList {
  /** All rows of the list. Asked twice, of one snapshot: counting reads no more than an index. */
  readonly matchingRows: Fragment
  /** A query for their `total`, where it can be had for less than by counting what is matching. */
  readonly totalQuery?: Fragment
  /**
   * A query for the rows of `page`, each with the `position` of its row in the table `listed`, where what is matching are
   * keys: so much of a row as an index has, in whose order a page is found without a look at the table.
   */
  readonly pageQuery?: Fragment
  /** Of what is matching; no two rows are equal in it. An index in this order gives a page without a look at the rest. */
  readonly orderBy: Fragment
  /** What the rows of `page` are joined with, as `LEFT JOIN …`; none becomes two. */
  readonly joins?: Fragment
}

/** Which page. */
interface PageRequest {
  readonly limit: number
  readonly offset: number
}

/** What a row begins with. An empty page has one row too, which has no position. */
const PageHead = Schema.Struct({ total: Schema.Int, position: Schema.NullOr(Schema.Int) })

/** What a field of the record is, where it is not the column of that name in `page`. */
type ColumnExpressions<Row> = { readonly [Name in keyof Row]?: Fragment }

/**
 * The pages of a list: one statement answers the rows of one and how many there are in all, also when the page is empty.
 *
 * The database plans a statement for any value, and takes a limit it does not know for a tenth of the table: dear enough to
 * plan it anew each time. So it is told the largest page there is, or that of a page of the usual size or less, and stops
 * after the rows that were asked for.
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

/** What is selected of a row of `page`: the fields of a record, in their order, as the columns of these names or as is said. */
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
