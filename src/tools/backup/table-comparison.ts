import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { loadTables } from "./database-catalog.ts"
import { hasSameRows, loadTableDigest, pinTextFormats, type TableDigest } from "./table-digest.ts"

export const loadTableDigests = (sql: SqlClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
      yield* pinTextFormats(sql)
      const digests = new Map<string, TableDigest>()
      for (const { table } of yield* loadTables(sql)) digests.set(table, yield* loadTableDigest(sql, table))
      return digests
    })
  )

export const findFirstDifference = (
  left: ReadonlyMap<string, TableDigest>,
  right: ReadonlyMap<string, TableDigest>,
  ignoredTables: ReadonlySet<string>
): string | undefined =>
  Array.from(new Set([...left.keys(), ...right.keys()])).find((table) => {
    const [leftDigest, rightDigest] = [left.get(table), right.get(table)]
    return (
      !ignoredTables.has(table) &&
      (leftDigest === undefined || rightDigest === undefined || !hasSameRows(leftDigest, rightDigest))
    )
  })
