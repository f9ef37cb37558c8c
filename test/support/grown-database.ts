import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SampleWorld } from "./sample-world.ts"

// A sample world has a record of every kind. Copies of its rows make every table large: many copies for one operator, and a few
// for each of many other operators. New tables need nothing here.

/** The distance between the ids of a row and of its copy. */
const ID_STRIDE = 1_000_000_000

/** Tables that are not copied. References to their rows stay as they are. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  "accounts",
  "access_tokens",
  "image_shares",
  "event_consumers",
  "operators"
])

/** Tables of which an operator has many more rows than properties. */
const LARGE_TABLES: ReadonlySet<string> = new Set([
  ...["orders", "stays", "guests", "calendar_days", "transactions", "transaction_shares", "tasks", "conversations"],
  ...["messages", "reviews", "trail", "events", "webhook_deliveries", "automation_plans", "automation_stays"],
  "stay_search_texts"
])

export interface Growth {
  /** Copies of the large operator's rows in large tables. */
  readonly largeTableCopies: number
  /** Copies of its rows in all other tables. */
  readonly otherCopies: number
  /** Operators beside it. */
  readonly operators: number
  /** Copies of each row for each of those operators. */
  readonly copiesPerOperator: number
}

const COLUMNS_QUERY = `
  SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type,
    EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY(i.indkey)) AS "isUnique",
    CASE WHEN a.attname = 'id' THEN c.relname::text ELSE (
      SELECT min(k.confrelid::regclass::text) FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY(k.conkey)) END AS "idsOf"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'operator_id')
  ORDER BY c.relname, a.attnum`

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isUnique: boolean
  /** The table of the rows that the column names by id, or null. */
  readonly idsOf: string | null
}

/** Returns the value of a column in the copy number `n` of a row of `t`. */
const copiedValueSql = (column: Column, copiedOperatorSql: string, idOffsetSql: (table: string) => string): string => {
  const { table, name, type, isUnique, idsOf } = column
  const value = `t."${name}"`
  if (name === "operator_id") return copiedOperatorSql
  // The grant_id of a house calendar is its negative id.
  if (table === "property_feeds" && name === "grant_id")
    return `CASE WHEN ${value} < 0 THEN ${value} - ${idOffsetSql(table)} ELSE ${value} + ${ID_STRIDE}::bigint * n END`
  if (type === "bigint" && idsOf !== null && !NOT_COPIED.has(idsOf)) return `${value} + ${idOffsetSql(idsOf)}`
  if (type === "bigint" && isUnique) return `${value} + ${ID_STRIDE}::bigint * n`
  if (type === "date" || type.startsWith("timestamp")) return `${value} + interval '1 day' * (n % 731 - 365)`
  if (type === "text" && isUnique && !/type|kind|dictionary/.test(name)) return `${value} || '.' || n`
  if (type === "bytea" && isUnique) return `${value} || int4send(n)`
  return value
}

const copyTableSql = (
  columns: ReadonlyArray<Column>,
  operatorId: number,
  copies: number,
  valueSql: (column: Column) => string
): string => {
  const table = columns[0]?.table ?? ""
  return `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(", ")}) OVERRIDING SYSTEM VALUE
    SELECT ${columns.map(valueSql).join(", ")} FROM generate_series(1, ${copies}) n, "${table}" t
    WHERE t.operator_id = ${operatorId} ON CONFLICT DO NOTHING`
}

/** Copies rows of one operator for itself. A row of a large table refers to one of the few copies of a row of another table. */
const growOperatorSql = (columns: ReadonlyArray<Column>, operatorId: number, growth: Growth): string => {
  const isLarge = LARGE_TABLES.has(columns[0]?.table ?? "")
  const idOffsetSql = (table: string) =>
    `${ID_STRIDE}::bigint * (${LARGE_TABLES.has(table) === isLarge ? "n" : `n % ${growth.otherCopies + 1}`})`
  return copyTableSql(columns, operatorId, isLarge ? growth.largeTableCopies : growth.otherCopies, (column) =>
    copiedValueSql(column, "t.operator_id", idOffsetSql)
  )
}

/** Copies rows of one operator for the operators beside it. */
const copyToOperatorsSql = (columns: ReadonlyArray<Column>, operatorId: number, growth: Growth): string =>
  copyTableSql(columns, operatorId, growth.operators * growth.copiesPerOperator, (column) =>
    copiedValueSql(
      column,
      `t.operator_id + ${ID_STRIDE}::bigint * (1 + n % ${growth.operators})`,
      () => `${ID_STRIDE}::bigint * n`
    )
  )

/** Grows the database of two worlds: `large` becomes a large operator, and other operators get copies of the rows of `small`. */
export const growDatabase = Effect.fnUntraced(function* (large: SampleWorld, small: SampleWorld, growth: Growth) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql.unsafe<Column>(COLUMNS_QUERY).unprepared
  const tables = Array.from(Map.groupBy(columns, ({ table }) => table))
    .filter(([table]) => !NOT_COPIED.has(table))
    .map(([, own]) => own)
  const statements = [
    // Foreign keys and the guards of the calendar are checked by triggers, which copies do not need.
    "SET LOCAL session_replication_role = replica",
    `INSERT INTO operators (id, name, time_zone, currency, created_at) OVERRIDING SYSTEM VALUE
      SELECT ${small.operatorId} + ${ID_STRIDE}::bigint * n, 'Other ' || n, 'Europe/Berlin', 'EUR', now()
      FROM generate_series(1, ${growth.operators}) n`,
    ...tables.map((own) => copyToOperatorsSql(own, small.operatorId, growth)),
    ...tables.map((own) => growOperatorSql(own, large.operatorId, growth))
  ]
  yield* sql.withTransaction(
    Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  )
  yield* sql`VACUUM ANALYZE`.unprepared
})
