import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { patiently } from "../database/patience.ts"
import { rowsOf } from "../database/rows.ts"
import type { SecretKeys } from "./keys.ts"
import { nameOf, SEALED_COLUMNS, type SealedColumn } from "./places.ts"
import { isToBeKeptAnew, kept, opened } from "./sealed-text.ts"
import { isSecret, keptOtherwise, standing } from "./standing.ts"

/** Rows that are read at once, and of these written by one statement: so long others wait for a row at most. */
export const ROTATED_AT_ONCE = 200
/** How often all rows are gone through: once more for what was written meanwhile, and no more often. */
const PASSES = 3

const Row = Schema.Struct({
  key: Schema.Array(Schema.String),
  owner: Schema.Array(Schema.String),
  text: Schema.String
})
type Row = typeof Row.Type

interface Anew extends Pick<Row, "key"> {
  readonly before: string
  readonly after: string
}

const readRows = rowsOf(Row)
const readWritten = rowsOf(Schema.Struct({ written: Schema.Int }))

const asTexts = (columns: ReadonlyArray<string>): string =>
  `ARRAY[${columns.map((column) => `(${column})::text`).join(", ")}]`

/** The rows with a secret that follow one in the order of the primary key. Others may have no owner either. */
const reading = (column: SealedColumn, after: ReadonlyArray<string> | undefined): string => {
  const { table, text, owner, key } = column
  const names = key.map(([name]) => name)
  const given = key.map(([, type], at) => `$${at + 1}::text::${type}`)
  return `
    SELECT ${asTexts(names)} AS key, ${asTexts(owner)} AS owner, ${text} AS text FROM ${table}
    WHERE ${isSecret(column, text)} ${after === undefined ? "" : `AND (${names.join(", ")}) > (${given.join(", ")})`}
    ORDER BY ${names.join(", ")} LIMIT ${ROTATED_AT_ONCE}`
}

/** Replaces texts that are still what was read: what somebody else has written since stays. */
const writing = ({ table, text, set, key }: SealedColumn): string => {
  const given = [...key.map((_, at) => `key_${at}`), "before", "after"]
  const same = key.map(([name, type], at) => `was.${name} = anew.key_${at}::${type}`)
  return `
    WITH written AS (
      UPDATE ${table} was SET ${set.replace("$NEW", "anew.after")}
      FROM unnest(${given.map((_, at) => `$${at + 1}::text[]`).join(", ")}) AS anew (${given.join(", ")})
      WHERE ${same.join(" AND ")} AND ${text} = anew.before
      RETURNING 1
    ) SELECT count(*)::integer AS written FROM written`
}

/** What a row is to have; undefined where it has it, or nobody can know it: its key is missing, or it was changed. */
const anewOf = (keys: SecretKeys, column: SealedColumn, { key, owner, text }: Row): Anew | undefined => {
  if (!isToBeKeptAnew(keys, text)) return undefined
  const place = { what: column.what, owner }
  return Result.getOrUndefined(
    Result.map(opened(keys, place, text), (clear) => ({ key, before: text, after: kept(keys, place, clear) }))
  )
}

const write = Effect.fnUntraced(function* (column: SealedColumn, rows: ReadonlyArray<Anew>) {
  if (rows.length === 0) return 0
  const sql = yield* SqlClient.SqlClient
  const parameters = [
    ...column.key.map((_, at) => rows.map(({ key }) => key[at] ?? "")),
    rows.map(({ before }) => before),
    rows.map(({ after }) => after)
  ]
  const [answer] = yield* readWritten(patiently(sql.unsafe<object>(writing(column), parameters)))
  return answer?.written ?? 0
})

/** Goes through a column once, in the order of its primary key; answers how many texts it has replaced. */
const through = Effect.fnUntraced(function* (keys: SecretKeys, column: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  let [after, written]: [ReadonlyArray<string> | undefined, number] = [undefined, 0]
  while (true) {
    const rows: ReadonlyArray<Row> = yield* readRows(sql.unsafe<object>(reading(column, after), [...(after ?? [])]))
    const anew = rows.map((row) => anewOf(keys, column, row)).filter((each) => each !== undefined)
    written += yield* write(column, anew)
    after = rows.at(-1)?.key
    if (rows.length < ROTATED_AT_ONCE) return written
  }
})

/** What came of it. */
export interface Rotated {
  /** Texts that were replaced, by column. */
  readonly places: ReadonlyArray<{ readonly place: string; readonly texts: number }>
  /** Texts that are still kept otherwise: nobody could open them, or a process writes with another first key. */
  readonly left: number
}

/**
 * Keeps every secret as it would be written now. Each step is a statement of its own, so it runs beside the service, and
 * who runs it again after it was killed finds what is left.
 */
export const rotate = Effect.fnUntraced(function* (keys: SecretKeys) {
  const texts = new Map(SEALED_COLUMNS.map((column) => [nameOf(column), 0]))
  let left = 0
  for (let pass = 0; pass < PASSES; pass++) {
    let written = 0
    for (const column of SEALED_COLUMNS) {
      const ofColumn = yield* through(keys, column)
      const name = nameOf(column)
      texts.set(name, (texts.get(name) ?? 0) + ofColumn)
      written += ofColumn
    }
    left = keptOtherwise(yield* standing, keys)
    if (left === 0 || written === 0) break
  }
  const places = Array.from(texts, ([place, texts]) => ({ place, texts }))
  return { places, left } satisfies Rotated
})
