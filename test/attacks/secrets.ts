import { Effect, Predicate, Schema } from "effect"
import { SqlClient } from "effect/sql"

// What an operator has that nobody else may see: marks planted in every text of his rows, and every text and id that
// only his rows hold.

export interface Secrets {
  /** Texts that stand in his rows and in no one else's. */
  readonly texts: ReadonlySet<string>
  /** Ids of his records; none of another operator's record is so large. */
  readonly ids: ReadonlyArray<number>
  /** Codes of his orders and stays. */
  readonly codes: ReadonlyArray<string>
  /** Columns that hold texts of his and no mark, because a rule of the database fixes what stands there. */
  readonly unmarked: ReadonlyArray<string>
}

/** Ids given from now on are this large: one of them is never a record of an earlier operator, and one of each kind. */
export const FIRST_SECRET_ID = 1_000_000

/** Gives records large ids from now on. Once in a database, which nobody else uses. */
export const largeIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; column: string }>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND is_identity = 'YES' AND table_name <> 'operators'`
  for (const { table, column } of columns) {
    yield* sql`ALTER TABLE ${sql(table)} ALTER COLUMN ${sql(column)} RESTART WITH ${sql.literal(String(FIRST_SECRET_ID))}`
  }
}).pipe(Effect.orDie)

/** Codes and addresses are made of chance already, and others refer to them; the rest is fixed by rules. */
const NOT_MARKED = /code$|^url$|token|^secret|channel_id|_hash$/

/** Puts a mark into every text column of the operator's rows that takes one. Answers the columns that do not. */
const marked = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; column: string }>`
    SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
    WHERE c.table_schema = 'public' AND c.data_type = 'text' AND c.is_identity = 'NO' AND c.is_generated = 'NEVER'
      AND c.table_name IN (SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE')
      AND EXISTS (SELECT FROM information_schema.columns o
        WHERE o.table_schema = 'public' AND o.table_name = c.table_name AND o.column_name = 'operator_id')
    ORDER BY 1, 2`
  const unmarked: Array<string> = []
  for (const { table, column } of columns.filter((each) => !NOT_MARKED.test(each.column))) {
    // As short as the shortest name may be, and another in each row, as names are unique.
    const marking = sql`
      UPDATE ${sql(table)} SET ${sql(column)} = 'K' || substr(md5(gen_random_uuid()::text), 1, 8)
      WHERE operator_id = ${operatorId}`
    // What a check, a unique or a foreign key forbids keeps what it had.
    yield* Effect.catch(marking, () => Effect.sync(() => void unmarked.push(`${table}.${column}`)))
  }
  return unmarked
})

const readRow = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

/** By table, the column whose texts are the contract's own words. */
const COMMON: Readonly<Record<string, string>> = { trail: "fields" }

const rowsOf = Effect.fnUntraced(function* (operatorId: number, whose: "=" | "<>") {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'operator_id' ORDER BY table_name`
  const rows = yield* Effect.forEach(
    tables,
    ({ name }) =>
      sql<{ row: string }>`
      SELECT (to_jsonb(t) - ${COMMON[name] ?? ""}::text)::text AS row FROM ${sql(name)} t WHERE operator_id ${sql.literal(whose)} ${operatorId}`
  )
  return rows.flat().map(({ row }) => readRow(row))
})

/** Shorter texts stand in any answer by chance. */
const TELLING_CHARACTERS = 8

const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.length >= TELLING_CHARACTERS && Number.isNaN(Date.parse(value))
      ? [value]
      : []
    : Array.isArray(value) || Predicate.isObject(value)
      ? Object.values(value).flatMap(textsIn)
      : []

/** Marks the operator's rows and reads what is secret about them. */
export const secretsOf = Effect.fnUntraced(function* (operatorId: number) {
  const unmarked = yield* marked(operatorId)
  const his = yield* rowsOf(operatorId, "=")
  const others = new Set((yield* rowsOf(operatorId, "<>")).flatMap(textsIn))
  const ids = his.flatMap((row) =>
    Object.entries(row)
      .filter(([name]) => /(^|_)id$/.test(name))
      .map(([, id]) => id)
  )
  const codes = his.flatMap((row) => [row["reservation_code"], row["stay_code"]])
  return {
    texts: new Set(his.flatMap(textsIn).filter((each) => !others.has(each))),
    ids: Array.from(new Set(ids.filter((id) => typeof id === "number" && id >= FIRST_SECRET_ID).map(Number))),
    codes: Array.from(new Set(codes.filter((code) => typeof code === "string"))),
    unmarked
  } satisfies Secrets
}, Effect.orDie)
