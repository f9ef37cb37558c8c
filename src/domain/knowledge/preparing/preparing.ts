import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { nextTry, type Retries } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { workWhenWoken } from "../../../jobs/woken-work.ts"
import { asRoot, record, recordFailure } from "../../../platform/telemetry/spans.ts"
import { fragmentsOf } from "../search/fragments.ts"
import type { TakenEntry } from "./entry.ts"
import { PreparingQueue } from "./PreparingQueue.ts"
import { PREPARING_ROOM } from "./taking.ts"

// What a host writes down becomes what is searched: `waiting`, `processing`, `done`. Until then nobody is answered from it.

/** Tries of an entry: 5 s after the first, doubling up to 15 min, each a quarter sooner or later; together some 36 minutes. */
export const PREPARING_RETRIES: Retries = {
  tries: 10,
  backoff: { firstMs: 5_000, longestMs: 15 * 60 * 1000, jitter: 0.25 }
}

type Ended =
  | { readonly outcome: "prepared" | "overtaken" }
  | { readonly outcome: "failed"; readonly cause: Cause.Cause<unknown> }

/** What the entry says is cut up and kept at once, so a text that the database refuses is the failure of this entry. */
const attemptOf = (entry: TakenEntry): Effect.Effect<Ended, never, PreparingQueue> =>
  Effect.flatMap(PreparingQueue, (queue) => Effect.suspend(() => queue.prepared(entry, fragmentsOf(entry)))).pipe(
    Effect.map((done): Ended => ({ outcome: done === undefined ? "overtaken" : "prepared" })),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.succeed<Ended>({ outcome: "failed", cause })
    )
  )

const about = ({ operator_id, id }: TakenEntry) => Effect.annotateLogs({ operator_id, knowledge_base_id: id })

/** What was prepared is written down already. */
const settle = Effect.fnUntraced(function* (entry: TakenEntry, ended: Ended) {
  yield* record("latchkey.outcome", ended.outcome)
  if (ended.outcome !== "failed") return
  yield* recordFailure(ended.outcome, { "latchkey.outcome": ended.outcome })
  const queue = yield* PreparingQueue
  const now = yield* DateTime.nowAsDate
  const again = nextTry(PREPARING_RETRIES, entry.failures + 1, now.getTime(), yield* Random.next)
  if ((yield* queue.failed(entry, again)) === undefined) return
  yield* about(entry)(
    again === undefined
      ? Effect.logError(
          "preparing a knowledge base entry failed and will not be retried until the entry is edited",
          ended.cause
        )
      : Effect.logWarning("preparing a knowledge base entry failed and will be retried", ended.cause)
  )
})

const rootOf = ({ id }: TakenEntry) => ({
  name: "prepare knowledge",
  kind: "internal" as const,
  attributes: () => ({ "latchkey.knowledge_base": id })
})

/** Prepares an entry that was taken, and writes down how that ended. */
export const prepare = (entry: TakenEntry): Effect.Effect<void, never, PreparingQueue> =>
  attemptOnce({
    attempt: attemptOf(entry),
    settle: (ended) => settle(entry, ended),
    handBack: Effect.flatMap(PreparingQueue, (queue) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => queue.handBack(entry, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(entry), tried),
    Effect.catchCause((cause) =>
      about(entry)(Effect.logWarning("the outcome of preparing a knowledge base entry could not be saved", cause))
    )
  )

/** What takes entries that are due and prepares them. */
export const makePreparing = Effect.flatMap(PreparingQueue, (queue) =>
  makeTimedWork({ what: "preparing knowledge", room: PREPARING_ROOM, take: queue.take, run: prepare })
)

/** Milliseconds between two looks for something to prepare, however often changes wake the worker: hardly any is one of an entry. */
const PREPARE_GAP_MS = 500

/** Prepares what hosts write down, until the scope closes, in any number of processes on one database. */
export const layerPreparing = Layer.effectDiscard(
  Effect.flatMap(makePreparing, (preparing) => workWhenWoken("waking the knowledge worker", preparing, PREPARE_GAP_MS))
).pipe(Layer.provide(PreparingQueue.layer))
