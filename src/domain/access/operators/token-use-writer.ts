import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TokenUseRecorder } from "../../../admission/gate/TokenUseRecorder.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { clearAfterReset } from "../../../platform/database/ResetListeners.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { BUFFERED_TOKEN_USES_MAX } from "../../../platform/limits.ts"
import { makeTokenUseBuffer, type TokenUse } from "./token-use-buffer.ts"

export const TOKEN_USES_WRITE_MS = 30_000
const TOKEN_USES_TIMEOUT_MS = 10_000
const TOKEN_USES_SHUTDOWN_MS = 500
export const TOKEN_USES_BATCH = 1_000

/**
 * Stores the last use of tokens in batches, so that a call needs no extra statement. A killed process loses its buffer.
 */
export const layerTokenUseWriter = Layer.effect(
  TokenUseRecorder,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const uses = makeTokenUseBuffer(BUFFERED_TOKEN_USES_MAX)
    const write = makeTokenUseWriter(sql, uses)
    // Finalizers run in reverse order. So this one runs after the loop has returned its batch to the buffer.
    yield* Effect.addFinalizer(() => writeAtShutdown(write))
    yield* clearAfterReset(Effect.sync(() => uses.clear()))
    yield* repeatPeriodically("saving when tokens were used", TOKEN_USES_WRITE_MS, () => write)
    return uses.record
  })
)

const readSkipped = makeRowsReader(Schema.Struct({ tokenId: Schema.Int }))

const makeTokenUseWriter = (sql: SqlClient.SqlClient, uses: ReturnType<typeof makeTokenUseBuffer>) => {
  const restoreSkipped = (batch: ReadonlyArray<TokenUse>, skipped: ReadonlyArray<{ readonly tokenId: number }>) => {
    const skippedIds = new Set(skipped.map(({ tokenId }) => tokenId))
    for (const use of batch) if (skippedIds.has(use.tokenId)) uses.restore(use)
  }
  const writeBatch = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const batch = uses.take(TOKEN_USES_BATCH)
      return readSkipped(recordUsesSql(sql, batch)).pipe(
        Effect.timeout(TOKEN_USES_TIMEOUT_MS),
        restore,
        Effect.onError(() => Effect.sync(() => batch.forEach(uses.restore))),
        Effect.map((skipped) => restoreSkipped(batch, skipped)),
        Effect.orDie
      )
    })
  )
  return Effect.gen(function* () {
    const batches = Math.ceil(uses.size() / TOKEN_USES_BATCH)
    for (let index = 0; index < batches; index++) yield* writeBatch
  })
}

const writeAtShutdown = (write: Effect.Effect<void>) =>
  write.pipe(
    Effect.interruptible,
    Effect.timeoutOption(TOKEN_USES_SHUTDOWN_MS),
    Effect.withTracerEnabled(false),
    Effect.exit
  )

// SKIP LOCKED avoids deadlocks with statements that revoke many tokens. Returns the tokens that were locked and not
// updated.
const recordUsesSql = (sql: SqlClient.SqlClient, uses: ReadonlyArray<TokenUse>) => sql`
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
