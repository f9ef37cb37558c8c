import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { nextAttemptAt, type RetryPolicy } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWorker } from "../../../jobs/timed-work.ts"
import { runWorkerWhenWoken } from "../../../jobs/woken-worker.ts"
import { annotateSpan, recordFailure, withRootSpan } from "../../../platform/telemetry/spans.ts"
import { toKnowledgeFragments } from "../search/fragments.ts"
import type { ClaimedEntry } from "./claimed-entry.ts"
import { PreparingQueue } from "./PreparingQueue.ts"
import { PREPARING_ROOM } from "./taking.ts"

// What a host writes down becomes what is searched: `waiting`, `processing`, `done`. Until then nobody is answered from it.

/** Tries of an entry: 5 s after the first, doubling up to 15 min, each a quarter sooner or later; together some 36 minutes. */
export const PREPARING_RETRIES: RetryPolicy = {
  maxAttempts: 10,
  backoff: { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }
}

type PreparationAttempt =
  | { readonly outcome: "prepared" | "overtaken" }
  | { readonly outcome: "failed"; readonly cause: Cause.Cause<unknown> }

/** What the entry says is cut up and kept at once, so a text that the database refuses is the failure of this entry. */
const attemptPreparation = (entry: ClaimedEntry): Effect.Effect<PreparationAttempt, never, PreparingQueue> =>
  Effect.flatMap(PreparingQueue, (queue) =>
    Effect.suspend(() => queue.complete(entry, toKnowledgeFragments(entry)))
  ).pipe(
    Effect.map(
      (completedEntry): PreparationAttempt => ({ outcome: completedEntry === undefined ? "overtaken" : "prepared" })
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.succeed<PreparationAttempt>({ outcome: "failed", cause })
    )
  )

const annotateWithEntry = ({ operator_id, id }: ClaimedEntry) =>
  Effect.annotateLogs({ operator_id, knowledge_base_id: id })

/** What was prepared is written down already. */
const recordPreparationAttempt = Effect.fnUntraced(function* (entry: ClaimedEntry, attempt: PreparationAttempt) {
  yield* annotateSpan("latchkey.outcome", attempt.outcome)
  if (attempt.outcome !== "failed") return
  yield* recordFailure(attempt.outcome, { "latchkey.outcome": attempt.outcome })
  const queue = yield* PreparingQueue
  const now = yield* DateTime.nowAsDate
  const nextTryAt = nextAttemptAt(PREPARING_RETRIES, entry.failures + 1, now.getTime(), yield* Random.next)
  if ((yield* queue.fail(entry, nextTryAt)) === undefined) return
  yield* annotateWithEntry(entry)(
    nextTryAt === undefined
      ? Effect.logError(
          "preparing a knowledge base entry failed and will not be retried until the entry is edited",
          attempt.cause
        )
      : Effect.logWarning("preparing a knowledge base entry failed and will be retried", attempt.cause)
  )
})

const toRootSpan = ({ id }: ClaimedEntry) => ({
  name: "prepare knowledge",
  kind: "internal" as const,
  attributes: () => ({ "latchkey.knowledge_base": id })
})

/** Prepares an entry that was taken, and writes down how that ended. */
export const prepareEntry = (entry: ClaimedEntry): Effect.Effect<void, never, PreparingQueue> =>
  attemptOnce({
    attempt: attemptPreparation(entry),
    complete: (attempt) => recordPreparationAttempt(entry, attempt),
    release: Effect.flatMap(PreparingQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.release(entry, now))
    )
  }).pipe(
    (work) => withRootSpan(toRootSpan(entry), work),
    Effect.catchCause((cause) =>
      annotateWithEntry(entry)(
        Effect.logWarning("the outcome of preparing a knowledge base entry could not be saved", cause)
      )
    )
  )

/** What takes entries that are due and prepares them. */
export const makePreparationWorker = Effect.flatMap(PreparingQueue, (queue) =>
  makeTimedWorker({ name: "preparing knowledge", maxInProgress: PREPARING_ROOM, claim: queue.take, run: prepareEntry })
)

/** Milliseconds between two looks for something to prepare, however often changes wake the worker: hardly any is one of an entry. */
const PREPARATION_POLL_GAP_MS = 500

/** Prepares what hosts write down, until the scope closes, in any number of processes on one database. */
export const layerPreparationWorker = Layer.effectDiscard(
  Effect.flatMap(makePreparationWorker, (worker) =>
    runWorkerWhenWoken("waking the knowledge worker", worker, PREPARATION_POLL_GAP_MS)
  )
).pipe(Layer.provide(PreparingQueue.layer))
