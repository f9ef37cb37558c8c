import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { ServerSession } from "../../platform/database/database-move.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"

// A session may still commit after its connection broke, so callers wait for its end.

interface SessionTimeouts {
  readonly gracefulEndMs: number
  readonly terminationMs: number
  readonly pollMs: number
}

const SESSION_TIMEOUTS: SessionTimeouts = { gracefulEndMs: 15_000, terminationMs: 5_000, pollMs: 200 }

const readSession = makeSingleRowReader(ServerSession)

/** Must run within a transaction: behind a pooler the next statement may use another session. */
export const loadOwnSession = Effect.flatMap(SqlClient, (sql) =>
  readSession(sql`
    SELECT pid, extract(epoch FROM backend_start)::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()`)
)

const readActivity = makeSingleRowReader(Schema.Struct({ working: Schema.Boolean }))

/** An idle session has nothing left to commit. */
const loadActivity = ({ pid, began }: ServerSession) =>
  Effect.flatMap(SqlClient, (sql) =>
    readActivity(sql`
      SELECT EXISTS (
        SELECT FROM pg_stat_activity WHERE pid = ${pid} AND extract(epoch FROM backend_start)::text = ${began}
          AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'
      ) AS working`)
  )

const terminateSession = ({ pid, began }: ServerSession) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid = ${pid} AND extract(epoch FROM backend_start)::text = ${began} AND pid <> pg_backend_pid()`
  )

/**
 * Terminates a session that does not end, and returns whether it ended. Must not run in a transaction, which would see
 * the same `pg_stat_activity` throughout.
 */
export const awaitSessionEnd = Effect.fnUntraced(function* (
  session: ServerSession,
  timeouts: SessionTimeouts = SESSION_TIMEOUTS
) {
  const isOver = Effect.map(loadActivity(session), ({ working }) => !working)
  const awaitEnd = Effect.fnUntraced(function* (milliseconds: number) {
    for (let waitedMs = 0; waitedMs < milliseconds; waitedMs += timeouts.pollMs) {
      yield* Effect.sleep(timeouts.pollMs)
      if (yield* isOver) return true
    }
    return false
  })
  if (yield* isOver) return true
  yield* Effect.logWarning(`waiting for session ${session.pid}, in which the server still processes the copy`)
  if (yield* awaitEnd(timeouts.gracefulEndMs)) return true
  yield* terminateSession(session)
  return yield* awaitEnd(timeouts.terminationMs)
})
