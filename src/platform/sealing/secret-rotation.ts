import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../database/rows.ts"
import { retryOnLockConflict } from "../database/statement-retry.ts"
import { countOutdatedTexts, loadKeyUsage, secretCondition } from "./key-usage.ts"
import { SEALED_COLUMNS, type SealedColumn, toColumnLabel } from "./sealed-columns.ts"
import { needsReseal, openStoredText, toStoredText } from "./sealed-text.ts"
import type { SecretKeys } from "./secret-keys.ts"

/** Rows per read and per update, which bounds how long other writers wait. */
export const ROTATION_BATCH_ROWS = 200
/** A further pass finds rows that were written during the previous one. */
const MAX_PASSES = 3

const SealedRow = Schema.Struct({
  key: Schema.Array(Schema.String),
  owner: Schema.Array(Schema.String),
  text: Schema.String
})
type SealedRow = typeof SealedRow.Type

interface ResealedRow extends Pick<SealedRow, "key"> {
  readonly before: string
  readonly after: string
}

const readRows = makeRowsReader(SealedRow)
const readWritten = makeRowsReader(Schema.Struct({ written: Schema.Int }))

const textArraySql = (columns: ReadonlyArray<string>): string =>
  `ARRAY[${columns.map((column) => `(${column})::text`).join(", ")}]`

const selectBatchSql = (column: SealedColumn, after: ReadonlyArray<string> | undefined): string => {
  const { table, textExpression, ownerColumns, keyColumns } = column
  const names = keyColumns.map(([name]) => name)
  const parameters = keyColumns.map(([, type], at) => `$${at + 1}::text::${type}`)
  return `
    SELECT ${textArraySql(names)} AS key, ${textArraySql(ownerColumns)} AS owner, ${textExpression} AS text FROM ${table}
    WHERE ${secretCondition(column, textExpression)} ${after === undefined ? "" : `AND (${names.join(", ")}) > (${parameters.join(", ")})`}
    ORDER BY ${names.join(", ")} LIMIT ${ROTATION_BATCH_ROWS}`
}

/** Replaces only texts that are unchanged since the read. */
const updateBatchSql = ({ table, textExpression, assignment, keyColumns }: SealedColumn): string => {
  const columns = [...keyColumns.map((_, at) => `key_${at}`), "before", "after"]
  const conditions = keyColumns.map(([name, type], at) => `was.${name} = anew.key_${at}::${type}`)
  return `
    WITH written AS (
      UPDATE ${table} was SET ${assignment.replace("$NEW", "anew.after")}
      FROM unnest(${columns.map((_, at) => `$${at + 1}::text[]`).join(", ")}) AS anew (${columns.join(", ")})
      WHERE ${conditions.join(" AND ")} AND ${textExpression} = anew.before
      RETURNING 1
    ) SELECT count(*)::integer AS written FROM written`
}

const reseal = (keys: SecretKeys, column: SealedColumn, { key, owner, text }: SealedRow): ResealedRow | undefined => {
  if (!needsReseal(keys, text)) return undefined
  const binding = { secretKind: column.secretKind, owner }
  return Result.getOrUndefined(
    Result.map(openStoredText(keys, binding, text), (clear) => ({
      key,
      before: text,
      after: toStoredText(keys, binding, clear)
    }))
  )
}

const writeBatch = Effect.fnUntraced(function* (column: SealedColumn, rows: ReadonlyArray<ResealedRow>) {
  if (rows.length === 0) return 0
  const sql = yield* SqlClient.SqlClient
  const parameters = [
    ...column.keyColumns.map((_, at) => rows.map(({ key }) => key[at] ?? "")),
    rows.map(({ before }) => before),
    rows.map(({ after }) => after)
  ]
  const [answer] = yield* readWritten(retryOnLockConflict(sql.unsafe<object>(updateBatchSql(column), parameters)))
  return answer?.written ?? 0
})

const rotateColumn = Effect.fnUntraced(function* (keys: SecretKeys, column: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  let [after, written]: [ReadonlyArray<string> | undefined, number] = [undefined, 0]
  while (true) {
    const rows: ReadonlyArray<SealedRow> = yield* readRows(
      sql.unsafe<object>(selectBatchSql(column, after), [...(after ?? [])])
    )
    const resealed = rows.map((row) => reseal(keys, column, row)).filter((each) => each !== undefined)
    written += yield* writeBatch(column, resealed)
    after = rows.at(-1)?.key
    if (rows.length < ROTATION_BATCH_ROWS) return written
  }
})

export interface RotationResult {
  readonly places: ReadonlyArray<{ readonly place: string; readonly texts: number }>
  /** Outdated texts that cannot be decrypted, or that a process with another current key has written. */
  readonly left: number
}

/** Each step is one statement, so rotation runs beside the service and can be repeated after a kill. */
export const rotateSecrets = Effect.fnUntraced(function* (keys: SecretKeys) {
  const texts = new Map(SEALED_COLUMNS.map((column) => [toColumnLabel(column), 0]))
  let left = 0
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    let written = 0
    for (const column of SEALED_COLUMNS) {
      const columnCount = yield* rotateColumn(keys, column)
      const name = toColumnLabel(column)
      texts.set(name, (texts.get(name) ?? 0) + columnCount)
      written += columnCount
    }
    left = countOutdatedTexts(yield* loadKeyUsage, keys)
    if (left === 0 || written === 0) break
  }
  const places = Array.from(texts, ([place, texts]) => ({ place, texts }))
  return { places, left } satisfies RotationResult
})
