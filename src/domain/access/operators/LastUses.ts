import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TokenUsed } from "../../../admission/gate/TokenUsed.ts"
import { periodically } from "../../../jobs/loop.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { TOKEN_USES } from "../../../platform/limits.ts"
import { type LastUse, makeLastUses } from "./last-uses.ts"

/** Milliseconds between two times that uses are written down, what one of these may take, and what the last one gets. */
export const LAST_USES_WRITE_MS = 30_000
export const LAST_USES_PATIENCE_MS = 10_000
export const LAST_USES_LAST_MS = 500
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
    yield* periodically("saving when tokens were used", LAST_USES_WRITE_MS, () => write)
    return uses.note
  })
)

const readSkipped = rowsOf(Schema.Struct({ tokenId: Schema.Int }))

/**
 * Writes down all there is when it begins, a bounded number a statement; what could not be written down stays in memory, and what
 * is used meanwhile waits for the next time.
 */
const writing = (sql: SqlClient.SqlClient, uses: ReturnType<typeof makeLastUses>) => {
  const putBack = (some: ReadonlyArray<LastUse>, skipped: ReadonlyArray<{ readonly tokenId: number }>) => {
    const held = new Set(skipped.map(({ tokenId }) => tokenId))
    for (const use of some) if (held.has(use.tokenId)) uses.put(use)
  }
  const writeSome = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const some = uses.take(LAST_USES_ROWS)
      return readSkipped(noting(sql, some)).pipe(
        Effect.timeout(LAST_USES_PATIENCE_MS),
        restore,
        Effect.onError(() => Effect.sync(() => some.forEach(uses.put))),
        Effect.map((skipped) => putBack(some, skipped)),
        Effect.orDie
      )
    })
  )
  return Effect.gen(function* () {
    const turns = Math.ceil(uses.size() / LAST_USES_ROWS)
    for (let turn = 0; turn < turns; turn++) yield* writeSome
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

// At most once a minute for each token, whichever process saw it used. It waits for nobody: whoever ends tokens holds many, in an
// order of his own. Answers the tokens that were held.
const noting = (sql: SqlClient.SqlClient, uses: ReadonlyArray<LastUse>) => sql`
  WITH noted AS MATERIALIZED (
    SELECT t.operator_id, t.id, to_timestamp(noted.minute / 1000) AS at
    FROM jsonb_to_recordset(${jsonParameter(uses)}::jsonb) AS noted ("operatorId" bigint, "tokenId" bigint, minute bigint)
    JOIN access_tokens t ON t.operator_id = noted."operatorId" AND t.id = noted."tokenId"
    WHERE t.last_used_at IS NULL OR t.last_used_at < to_timestamp(noted.minute / 1000)
  ), free AS MATERIALIZED (
    SELECT noted.operator_id, noted.id, noted.at
    FROM noted JOIN access_tokens t ON t.operator_id = noted.operator_id AND t.id = noted.id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ), used AS (
    UPDATE access_tokens t SET last_used_at = free.at FROM free
    WHERE t.operator_id = free.operator_id AND t.id = free.id AND (t.last_used_at IS NULL OR t.last_used_at < free.at)
  )
  SELECT id AS "tokenId" FROM noted WHERE NOT EXISTS (SELECT FROM free WHERE free.id = noted.id)`
