import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "./parameters.ts"

// A list of ids that is replaced as a whole. Only rows with the owner's current version count, so the later of two
// concurrent replacements wins entirely (migration 0003_portfolio).

interface VersionedList {
  readonly rows: string
  readonly owner: string
  readonly item: string
  readonly version: string
}

/** Returns an ascending `bigint[]` for the owner in the row `page`. */
export const listIdsSql = (sql: SqlClient, list: VersionedList): Fragment => sql`
  ARRAY(
    SELECT link.${sql(list.item)} FROM ${sql(list.rows)} link
    WHERE link.operator_id = page.operator_id AND link.${sql(list.owner)} = page.id AND link.version = page.${sql(list.version)}
    ORDER BY link.${sql(list.item)})`

/**
 * Returns the SET item that increases the version if `ids` (unique, ascending) differ from the list. Undefined `ids`
 * keep the version. An empty list always increases the version, because a concurrent replacement is not visible here.
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

/** The owner is the row of the CTE `written`. */
export const insertItemsSql = (sql: SqlClient, list: VersionedList, ids: ReadonlyArray<number> = []): Fragment => sql`
  INSERT INTO ${sql(list.rows)} (operator_id, ${sql(list.owner)}, version, ${sql(list.item)})
  SELECT written.operator_id, written.id, written.${sql(list.version)}, given.id
  FROM written, unnest(${idsParameter(ids)}::bigint[]) AS given (id)
  ON CONFLICT DO NOTHING`

export const deleteFormerVersionsSql = (sql: SqlClient, list: VersionedList): Fragment => sql`
  DELETE FROM ${sql(list.rows)} link USING written
  WHERE link.operator_id = written.operator_id AND link.${sql(list.owner)} = written.id
    AND link.version < written.${sql(list.version)}`
