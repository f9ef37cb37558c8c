import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "./parameters.ts"

// A list of ids that its owner has and that is replaced as a whole. Every row carries the version of the list it is of,
// and only those of the owner's present version count, so that of two replacements at once the later stands whole
// (migration 0003_portfolio).

/** Where a list is kept. */
interface VersionedList {
  /** The table of the rows, with `operator_id` and `version`. */
  readonly rows: string
  /** Its column for the owner's id. */
  readonly owner: string
  /** Its column for the id that is on the list. */
  readonly item: string
  /** The column of the owner that says which version counts. */
  readonly version: string
}

/** The ids on the list of the owner in `page`, ascending: `bigint[]`. */
export const listIdsSql = (sql: SqlClient, list: VersionedList): Fragment => sql`
  ARRAY(
    SELECT link.${sql(list.item)} FROM ${sql(list.rows)} link
    WHERE link.operator_id = page.operator_id AND link.${sql(list.owner)} = page.id AND link.version = page.${sql(list.version)}
    ORDER BY link.${sql(list.item)})`

/**
 * For the SET of the UPDATE of the owner, under this name: another version counts when other ids are given than are on the
 * list (each once, ascending); undefined leaves it. A list that another statement has just replaced is not seen here, and so
 * is another one; no ids are always another list, because of that one they could not be told.
 */
export const nextVersionAssignment = (
  sql: SqlClient,
  list: VersionedList,
  ids: ReadonlyArray<number> | undefined,
  owner: string
): Fragment => {
  const version = sql`${sql(owner)}.${sql(list.version)}`
  if (ids === undefined) return sql`${sql(list.version)} = ${version}`
  const idsSql = sql`${idsParameter(ids)}::bigint[]`
  return sql`${sql(list.version)} = ${version} + CASE WHEN ${idsSql} <> '{}' AND ${idsSql} = ARRAY(
    SELECT link.${sql(list.item)} FROM ${sql(list.rows)} link
    WHERE link.operator_id = ${sql(owner)}.operator_id AND link.${sql(list.owner)} = ${sql(owner)}.id
      AND link.version = ${version}
    ORDER BY link.${sql(list.item)}) THEN 0 ELSE 1 END`
}

/** Puts ids on the list of the owner in the CTE `written`, under the version that counts now; those that are on it stay. */
export const insertItemsSql = (sql: SqlClient, list: VersionedList, ids: ReadonlyArray<number> = []): Fragment => sql`
  INSERT INTO ${sql(list.rows)} (operator_id, ${sql(list.owner)}, version, ${sql(list.item)})
  SELECT written.operator_id, written.id, written.${sql(list.version)}, given.id
  FROM written, unnest(${idsParameter(ids)}::bigint[]) AS given (id)
  ON CONFLICT DO NOTHING`

/** Clears away what former versions of the list of the owner in the CTE `written` held. */
export const deleteFormerVersionsSql = (sql: SqlClient, list: VersionedList): Fragment => sql`
  DELETE FROM ${sql(list.rows)} link USING written
  WHERE link.operator_id = written.operator_id AND link.${sql(list.owner)} = written.id
    AND link.version < written.${sql(list.version)}`
