import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Milliseconds of processor that the sessions of a database took so far. */
export const sessionsMs = (database: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sessions = yield* sql<{ pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE datname = ${database} AND backend_type = 'client backend'`
    const each = yield* Effect.promise(() =>
      Promise.all(sessions.map(({ pid }) => readFile(`/proc/${pid}/schedstat`, "utf8")))
    )
    return each.reduce((sum, text) => sum + Number(text.split(" ", 1)[0]) / 1e6, 0)
  })
