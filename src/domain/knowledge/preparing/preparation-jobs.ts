import { type Cause, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { fairBacklogSql } from "../../../jobs/fair-queue.ts"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../../jobs/job-queue.ts"
import { type AttemptEnd, defineJobs, startJobs } from "../../../jobs/job-runner.ts"
import type { RetryPolicy } from "../../../jobs/retries.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import { retryOnLockConflict } from "../../../platform/database/statement-retry.ts"
import { annotateSpan, recordFailure } from "../../../platform/telemetry/spans.ts"
import { readRowId } from "../../operator-rows.ts"
import { KnowledgeBaseWithContents } from "../contract.ts"
import { type KnowledgeFragment, searchVectorSql, toKnowledgeFragments } from "../search/fragments.ts"

// Only prepared entries (`done`) give answers. An edit makes an entry `waiting` again.

/** Limits of concurrent preparations: per process and per operator. */
export const PREPARING_ROOM = 4
export const PREPARING_SHARE = 2

/** Together, the attempts take about 36 minutes. */
export const PREPARING_RETRIES: RetryPolicy = {
  maxAttempts: 10,
  backoff: { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }
}

const PREPARATION_POLL_GAP_MS = 500

const ENTRY_TABLE: JobTable<"id"> = {
  table: "knowledge_bases",
  keyColumn: "id",
  pendingCondition: "due_at < 'infinity'",
  hasNoAccounts: true,
  operatorLimit: PREPARING_SHARE,
  accountLimit: PREPARING_SHARE,
  claimedCondition: "process_status = 'processing'",
  claimAssignment: "process_status = 'processing'",
  releaseAssignment: "process_status = 'waiting'"
}

const { title, contents } = KnowledgeBaseWithContents.fields

const ClaimedEntry = Schema.Struct({ ...claimedJobFields, id: Schema.Int, title, contents })
export type ClaimedEntry = typeof ClaimedEntry.Type

interface CompleteEntryParameters extends JobClaim {
  readonly fragments: ReadonlyArray<KnowledgeFragment>
}

/** Inserts the fragments (parts of the texts that search finds), and deletes those of earlier revisions. */
const completeEntrySql = (sql: SqlClient.SqlClient, { fragments, ...claim }: CompleteEntryParameters): Fragment => sql`
  WITH done AS (
    UPDATE knowledge_bases SET process_status = 'done', failures = 0, due_at = 'infinity'
    WHERE ${isClaimedCondition(sql, ENTRY_TABLE, claim)} RETURNING operator_id, id, revision
  ), former AS (
    DELETE FROM knowledge_fragments f USING done
    WHERE f.operator_id = done.operator_id AND f.knowledge_base_id = done.id AND f.revision < done.revision
  ), kept AS (
    INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
    SELECT done.operator_id, done.id, done.revision, f.place - 1, f.sub_title, f.text,
      ${searchVectorSql(sql, sql`f.searchable`)}
    FROM done, ROWS FROM (
      jsonb_to_recordset(${jsonParameter(fragments)}::jsonb) AS (sub_title text, text text, searchable text)
    ) WITH ORDINALITY AS f (sub_title, text, searchable, place)
  )
  SELECT id FROM done`

interface FailEntryParameters extends JobClaim {
  /** Null makes the entry a dead letter until it is edited. */
  readonly nextAttempt: Date | null
}

const failEntrySql = (sql: SqlClient.SqlClient, { nextAttempt, ...claim }: FailEntryParameters): Fragment => sql`
  UPDATE knowledge_bases SET process_status = 'failed', failures = failures + 1,
    due_at = coalesce(${nextAttempt}::timestamptz, 'infinity')
  WHERE ${isClaimedCondition(sql, ENTRY_TABLE, claim)} RETURNING id`

const makePreparingQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const returning = sql`j.operator_id, j.id, j.title, j.contents, j.attempts, j.failures`
  const { claim, release, toClaim } = makeJobQueue(sql, ENTRY_TABLE, ClaimedEntry, { returning })
  const complete = (input: CompleteEntryParameters) => sql`${completeEntrySql(sql, input)}`
  return {
    claim,
    release,
    /** Returns undefined if the entry was edited, deleted or claimed by another worker meanwhile. */
    complete: (entry: ClaimedEntry, fragments: ReadonlyArray<KnowledgeFragment>) =>
      readRowId(retryOnLockConflict(complete({ ...toClaim(entry), fragments }))),
    fail: (entry: ClaimedEntry, nextAttempt: Date | undefined) =>
      readRowId(sql`${failEntrySql(sql, { ...toClaim(entry), nextAttempt: nextAttempt ?? null })}`)
  }
})

export class PreparingQueue extends Context.Service<PreparingQueue>()(
  "latchkey/domain/knowledge/preparing/PreparingQueue",
  { make: makePreparingQueue }
) {
  static readonly layer = Layer.effect(PreparingQueue, PreparingQueue.make)
}

type PreparationOutcome =
  | { readonly kind: "prepared" | "overtaken" }
  | { readonly kind: "failed"; readonly cause: Cause.Cause<unknown> }

/** Also saves the fragments, so that a text which the database rejects fails only this entry. */
const attemptPreparation = Effect.fnUntraced(function* (entry: ClaimedEntry) {
  const queue = yield* PreparingQueue
  const completedEntry = yield* queue.complete(entry, toKnowledgeFragments(entry))
  const outcome: PreparationOutcome = { kind: completedEntry === undefined ? "overtaken" : "prepared" }
  return outcome
})

const toLogAnnotations = ({ operator_id, id }: ClaimedEntry) => ({ operator_id, knowledge_base_id: id })

/** A success is already stored by the attempt. */
const completePreparation = Effect.fnUntraced(function* (
  entry: ClaimedEntry,
  outcome: PreparationOutcome,
  { nextAttemptOrDeadLetter }: AttemptEnd
) {
  yield* annotateSpan("latchkey.outcome", outcome.kind)
  if (outcome.kind !== "failed") return
  yield* recordFailure(outcome.kind, { "latchkey.outcome": outcome.kind })
  const queue = yield* PreparingQueue
  const nextAttempt = nextAttemptOrDeadLetter()
  if ((yield* queue.fail(entry, nextAttempt)) === undefined) return
  yield* Effect.annotateLogs(
    nextAttempt === undefined
      ? Effect.logError(
          "preparing a knowledge base entry failed and will not be retried until the entry is edited",
          outcome.cause
        )
      : Effect.logWarning("preparing a knowledge base entry failed and will be retried", outcome.cause),
    toLogAnnotations(entry)
  )
})

export const preparationJobs = defineJobs({
  name: "preparing knowledge",
  maxInProgress: PREPARING_ROOM,
  ...PREPARING_RETRIES,
  queue: PreparingQueue,
  attempt: attemptPreparation,
  onDefect: (cause) => Effect.succeed({ kind: "failed", cause }),
  complete: completePreparation,
  toRootSpan: ({ id }) => ({
    name: "prepare knowledge",
    kind: "internal",
    attributes: () => ({ "latchkey.knowledge_base": id })
  }),
  toLogAnnotations,
  notStoredMessage: "the outcome of preparing a knowledge base entry could not be saved",
  wakeUpLoop: { name: "waking the knowledge worker", gapMs: PREPARATION_POLL_GAP_MS },
  backlog: [{ kind: "knowledge", statement: (sql, time) => fairBacklogSql(sql, ENTRY_TABLE, time) }]
})

export const layerPreparationJobs = Layer.effectDiscard(startJobs(preparationJobs)).pipe(
  Layer.provide(PreparingQueue.layer)
)
