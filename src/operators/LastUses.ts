import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { periodically } from "../background/loop.ts"
import { jsonParameter } from "../database/parameters.ts"
import { TokenUsed } from "../gate/TokenUsed.ts"
import { TOKEN_USES } from "../limits.ts"
import { type LastUse, makeLastUses } from "./last-uses.ts"

/** Milliseconds between two times that uses are written down, what one of these may take, and what the last one gets. */
export const LAST_USES_WRITE_MS = 30_000
const LAST_USES_PATIENCE_MS = 10_000
const LAST_USES_LAST_MS = 500
/** Uses one statement writes down. */
export const LAST_USES_ROWS = 1_000

/**
 * Keeps when tokens were last used, without a statement more for a call: the uses stand in memory, of a bounded number of
 * tokens, and are written down every half minute and when the process ends. What a killed process had not written down is lost.
 */
export const layerLastUses = Layer.effect(
  TokenUsed,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const uses = makeLastUses(TOKEN_USES)
    const write = writing(sql, uses)
    // Added before the loop begins, so that it runs after the loop has put back what it had in hand.
    yield* Effect.addFinalizer(() => lastWrite(write))
    yield* periodically("writing down when tokens were used", LAST_USES_WRITE_MS, () => write)
    return uses.note
  })
)

/** Writes all down, a bounded number a statement; what could not be written down stays in memory. */
const writing = (sql: SqlClient.SqlClient, uses: ReturnType<typeof makeLastUses>) => {
  const writeSome = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const some = uses.take(LAST_USES_ROWS)
      if (some.length === 0) return Effect.succeed(0)
      return sql`${noting(sql, some)}`.pipe(
        Effect.timeout(LAST_USES_PATIENCE_MS),
        restore,
        Effect.onError(() => Effect.sync(() => some.forEach(uses.put))),
        Effect.as(some.length),
        Effect.orDie
      )
    })
  )
  return Effect.gen(function* () {
    while ((yield* writeSome) >= LAST_USES_ROWS) yield* Effect.yieldNow
  })
}

/** When the process ends: nobody waits long for it. */
const lastWrite = (write: Effect.Effect<void>) =>
  write.pipe(
    Effect.interruptible,
    Effect.timeoutOption(LAST_USES_LAST_MS),
    Effect.withTracerEnabled(false),
    Effect.exit
  )

// At most once a minute for each token, whichever process saw it used. In one order, so that two processes never wait for each
// other in a circle.
const noting = (sql: SqlClient.SqlClient, uses: ReadonlyArray<LastUse>) => sql`
  WITH used AS (
    SELECT t.operator_id, t.id, to_timestamp(noted.minute / 1000) AS at
    FROM jsonb_to_recordset(${jsonParameter(uses)}::jsonb) AS noted ("operatorId" bigint, "tokenId" bigint, minute bigint)
    JOIN access_tokens t ON t.operator_id = noted."operatorId" AND t.id = noted."tokenId"
    WHERE t.last_used_at IS NULL OR t.last_used_at < to_timestamp(noted.minute / 1000)
    ORDER BY t.operator_id, t.id FOR NO KEY UPDATE OF t
  )
  UPDATE access_tokens t SET last_used_at = used.at FROM used
  WHERE t.operator_id = used.operator_id AND t.id = used.id`
