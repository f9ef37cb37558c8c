import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { tablesOf } from "./catalogue.ts"
import { type Digest, digestOf, isSame, pinTexts } from "./digest.ts"

/** Count and digest of every table, at one moment. */
export const digestsOf = (sql: SqlClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.unprepared
      yield* pinTexts(sql)
      const digests = new Map<string, Digest>()
      for (const { table } of yield* tablesOf(sql)) digests.set(table, yield* digestOf(sql, table))
      return digests
    })
  )

/** The first table that one of two databases has otherwise than the other, but for those named; undefined: they are the same. */
export const firstDifference = (
  one: ReadonlyMap<string, Digest>,
  other: ReadonlyMap<string, Digest>,
  except: ReadonlySet<string>
): string | undefined =>
  Array.from(new Set([...one.keys(), ...other.keys()])).find((table) => {
    const [here, there] = [one.get(table), other.get(table)]
    return !except.has(table) && (here === undefined || there === undefined || !isSame(here, there))
  })
