import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { ServerSession } from "../../platform/database/database-move.ts"
import { makeSingleRowReader } from "../../platform/database/rows.ts"

// A session whose connection broke may still commit: its server takes up what was sent before it notices. So what it left is
// looked at once it is over.

/** Milliseconds that a session has to end by itself, and after its termination; and between two checks whether it has ended. */
interface SessionTimeouts {
  readonly gracefulEndMs: number
  readonly terminationMs: number
  readonly pollMs: number
}

const SESSION_TIMEOUTS: SessionTimeouts = { gracefulEndMs: 15_000, terminationMs: 5_000, pollMs: 200 }

const readSession = makeSingleRowReader(ServerSession)

/** The session of the connection; to be asked within a transaction, as behind a pooler the next one may have another. */
export const loadOwnSession = Effect.flatMap(SqlClient, (sql) =>
  readSession(sql`
    SELECT pid, extract(epoch FROM backend_start)::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()`)
)

const readActivity = makeSingleRowReader(Schema.Struct({ working: Schema.Boolean }))

/** One that waits for its next statement has nothing left to commit: behind a pooler it is another's by then, or one's own. */
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
 * Waits until a session has nothing under way any more; one that does not end is terminated. Answers whether it is over. Not
 * to be asked within a transaction, which sees one state of its server's sessions all along.
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
