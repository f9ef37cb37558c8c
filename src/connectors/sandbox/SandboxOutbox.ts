import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { ChannelEvent } from "../../domain/channels/port/channel-events.ts"
import { computeLeaseEnd } from "../../jobs/lease.ts"
import { backoffMs } from "../../jobs/retries.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { Ingest, type IngestResult } from "../ingest/Ingest.ts"
import { computeGuestActionDueTime, computeHostActionDueTime } from "./outbox-due-times.ts"
import type { SandboxAccountKey } from "./SandboxRepository.ts"

// Each change commits together with an event, which is later passed to `Ingest` at least once. A later version of a
// subject replaces an unsent one.

/** A batch takes at most EVENTS_PER_BATCH / SEND_CONCURRENCY × SEND_TIMEOUT_MS, which must be less than the lease. */
export const EVENTS_PER_BATCH = 32
const SEND_CONCURRENCY = 8
const SEND_TIMEOUT_MS = 10_000
const OUTBOX_LEASE_MS = 60_000
/** More than one batch is needed, because some events wait for others ({@link dueEventsSql}). */
const BATCHES_PER_ACTION = 4

/** `firstMs` is longer than the delay of guests' events, so that `flush` does not retry a failed event at once. */
const BACKOFF = { firstMs: 3_000, longestMs: 60_000, jitter: 0.25 }

const OutboxRow = Schema.Struct({
  operator_id: Schema.Int,
  account_id: Schema.Int,
  channel_type: Schema.String,
  kind: Schema.String,
  subject: Schema.String,
  version: Schema.Int,
  attempts: Schema.Int,
  said: Schema.Json
})
type OutboxRow = typeof OutboxRow.Type

const readOutboxRows = makeRowsReader(OutboxRow)
const readNothing = makeRowsReader(Schema.Struct({}))

type Sql = SqlClient.SqlClient

interface ClaimQuery {
  readonly dueBefore: Date
  readonly leaseUntil: Date
  readonly operatorId: number | undefined
  readonly accountId: number | undefined
  readonly orderId: string | undefined
}

/** Bounds the cost of a claim. If one account has more due events than this, other accounts may wait. */
const CLAIM_SCAN_LIMIT = 1_000

/**
 * True while the event `w` must wait for the event of `kind` and `subject`. With `untilAttempted`, the first attempt
 * ends the wait, even if it failed.
 */
const isBlockedBySql = (
  sql: Sql,
  kind: ChannelEvent["type"],
  subject: Fragment,
  untilAttempted: boolean
): Fragment => sql`
  coalesce((
    SELECT other.told_version = 0 AND other.due_at IS NOT NULL ${untilAttempted ? sql`AND other.heard IS NULL` : sql``}
    FROM sandbox_words other
    WHERE other.operator_id = w.operator_id AND other.account_id = w.account_id AND other.kind = ${sql.literal(`'${kind}'`)}
      AND other.subject = ${subject}), false)`

/**
 * Selects due events that wait for no other event. An order waits until its listings are sent. The other waits end at
 * the first attempt.
 *
 * OFFSET 0 keeps PostgreSQL from reordering the joins, because one plan serves all values.
 */
const dueEventsSql = (sql: Sql, { dueBefore, operatorId, accountId, orderId }: ClaimQuery): Fragment => {
  // Only messages of guests wait for each other, because the service already has the host's messages.
  const previousMessageSql = sql`CASE w.said ->> 'sender' WHEN 'guest' THEN (
    SELECT m.said ->> 'message_id' FROM sandbox_messages m
    WHERE m.operator_id = w.operator_id AND m.account_id = w.account_id AND m.thread_id = w.said ->> 'thread_id'
      AND m.number < w.version AND m.said ->> 'sender' = 'guest'
    ORDER BY m.number DESC LIMIT 1) END`
  return sql`
    SELECT w.operator_id, w.account_id, w.kind, w.subject, w.due_at, a.channel_type FROM sandbox_words w
    CROSS JOIN LATERAL (
      SELECT channel_type, connector FROM channel_accounts
      WHERE operator_id = w.operator_id AND id = w.account_id OFFSET 0) a
    WHERE w.due_at <= ${dueBefore} AND a.connector = 'sandbox'
      AND ${
        operatorId === undefined || accountId === undefined
          ? sql`true`
          : sql`w.operator_id = ${operatorId} AND w.account_id = ${accountId}`
      }
      AND ${orderId === undefined ? sql`true` : sql`w.kind = 'order' AND w.subject = ${orderId}`}
      AND (w.kind <> 'order' OR NOT EXISTS (
        SELECT FROM jsonb_array_elements(w.said -> 'rooms') room
        WHERE ${isBlockedBySql(sql, "listing", sql`room ->> 'listing_id'`, false)}))
      AND (w.kind NOT IN ('order', 'message', 'offer') OR NOT ${isBlockedBySql(sql, "thread", sql`w.said ->> 'thread_id'`, true)})
      AND (w.kind <> 'message' OR NOT ${isBlockedBySql(sql, "message", previousMessageSql, true)})
      AND (w.kind <> 'review' OR NOT ${isBlockedBySql(sql, "order", sql`w.subject`, true)})
    ORDER BY w.due_at LIMIT ${sql.literal(String(CLAIM_SCAN_LIMIT))}`
}

/**
 * An action also sends its own events that are not due yet. Those of a host's action (`orderId`) are due later than
 * those of a guest's.
 */
const computeDueBefore = (now: Date, account: SandboxAccountKey | undefined, orderId: string | undefined): Date => {
  if (account === undefined) return now
  return orderId === undefined ? computeGuestActionDueTime(now) : computeHostActionDueTime(now)
}

/** Claims the first event of every account before a second event of any account. */
const makeClaimEvents = (sql: Sql) => {
  const statement = (query: ClaimQuery) => sql`
      WITH due AS MATERIALIZED (${dueEventsSql(sql, query)}), chosen AS (
        SELECT *, row_number() OVER (
          PARTITION BY operator_id, account_id ORDER BY kind IN ('payment', 'refund'), due_at, subject) AS place
        FROM due ORDER BY place, due_at LIMIT ${sql.literal(String(EVENTS_PER_BATCH))}
      )
      UPDATE sandbox_words w SET due_at = ${query.leaseUntil}, attempts = w.attempts + 1
      FROM chosen
      WHERE w.operator_id = chosen.operator_id AND w.account_id = chosen.account_id AND w.kind = chosen.kind
        AND w.subject = chosen.subject AND w.due_at <= ${query.dueBefore}
      RETURNING w.operator_id, w.account_id, chosen.channel_type, w.kind, w.subject, w.version, w.attempts, w.said`
  return (now: Date, account: SandboxAccountKey | undefined, orderId: string | undefined) =>
    readOutboxRows(
      statement({
        dueBefore: computeDueBefore(now, account, orderId),
        leaseUntil: computeLeaseEnd(now, OUTBOX_LEASE_MS),
        operatorId: account?.operator_id,
        accountId: account?.account_id,
        orderId
      })
    )
}

const makeCompleteEvent =
  (sql: Sql) =>
  ({ operator_id, account_id, kind, subject, version }: OutboxRow, result: IngestResult) =>
    readNothing(
      sql`
        UPDATE sandbox_words SET told_version = greatest(told_version, ${version}),
          heard = CASE WHEN version = ${version} THEN ${result.outcome === "refused" ? `refused: ${result.reason}` : result.outcome} ELSE heard END,
          due_at = CASE WHEN version = ${version} THEN NULL ELSE due_at END
        WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND kind = ${kind} AND subject = ${subject}`
    )

const makePostponeEvent =
  (sql: Sql) =>
  ({ operator_id, account_id, kind, subject, version }: OutboxRow, heard: string, due: Date) =>
    readNothing(sql`
      UPDATE sandbox_words SET due_at = ${due}, heard = ${heard}
      WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND kind = ${kind} AND subject = ${subject}
        AND version = ${version} AND due_at IS NOT NULL`)

export class SandboxOutbox extends Context.Service<
  SandboxOutbox,
  {
    /** Returns true if events may remain for the worker. */
    readonly flush: (account: SandboxAccountKey) => Effect.Effect<boolean>
    /** Sends the event of the order, even if it is not due yet. */
    readonly flushOrder: (account: SandboxAccountKey, orderId: string) => Effect.Effect<void>
    readonly processBatch: Effect.Effect<boolean>
  }
>()("latchkey/connectors/sandbox/SandboxOutbox") {
  static readonly layer = Layer.effect(
    SandboxOutbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ingest = yield* Ingest
      const [claim, complete, postpone] = [makeClaimEvents(sql), makeCompleteEvent(sql), makePostponeEvent(sql)]

      const sendEvent = Effect.fnUntraced(function* (event: OutboxRow) {
        const account = { operatorId: event.operator_id, accountId: event.account_id, channelType: event.channel_type }
        const exit = yield* ingest.ingest(account, event.said).pipe(Effect.timeoutOption(SEND_TIMEOUT_MS), Effect.exit)
        if (exit._tag === "Success" && exit.value._tag === "Some") return yield* complete(event, exit.value.value)
        const reason = exit._tag === "Success" ? "not answered in time" : "failed"
        const now = yield* DateTime.nowAsDate
        yield* Effect.logWarning(
          `a sandbox event failed and will be sent again: ${event.kind} ${event.subject} ${reason}`
        )
        yield* postpone(event, reason, new Date(now.getTime() + backoffMs(BACKOFF, event.attempts)))
      })

      const sendBatch = Effect.fnUntraced(function* (account?: SandboxAccountKey, orderId?: string) {
        const events = yield* claim(yield* DateTime.nowAsDate, account, orderId)
        yield* Effect.forEach(events, sendEvent, { concurrency: SEND_CONCURRENCY, discard: true })
        return events.length
      })

      return {
        flush: Effect.fnUntraced(function* (account) {
          for (let batch = 0; batch < BATCHES_PER_ACTION; batch++) {
            if ((yield* sendBatch(account)) === 0) return false
          }
          return true
        }),
        flushOrder: (account, orderId) => Effect.asVoid(sendBatch(account, orderId)),
        processBatch: Effect.map(sendBatch(), (sentCount) => sentCount > 0)
      }
    })
  )
}
