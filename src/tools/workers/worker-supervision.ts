import { Clock, Effect, Semaphore } from "effect"
import { workersDied } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../platform/telemetry/metrics/metric-updates.ts"
import type { ProcessEnd, WorkerProcess } from "./WorkerProcesses.ts"
import { awaitStartMessage, makeWorkerLifecycle, type WorkerLifecycle } from "./worker-lifecycle.ts"

/** Milliseconds that a worker must have lived for its end to be an accident: the next is started at once. */
export const STABLE_MS = 10_000
/** Milliseconds until the next start of one that ended sooner, twice as long each time, and the longest. */
export const FIRST_RESTART_PAUSE_MS = 1_000
export const MAX_RESTART_PAUSE_MS = 30_000
/** Milliseconds that a worker of a rolling restart has until it serves: it may have to migrate the database first. */
export const WORKER_START_TIMEOUT_MS = 10 * 60_000

/** How long to wait before the next start after a worker that lived so long, and how long it was the last time. */
export const computeRestartPauseMs = (livedMs: number, lastPauseMs: number): number => {
  if (livedMs >= STABLE_MS) return 0
  return lastPauseMs === 0 ? FIRST_RESTART_PAUSE_MS : Math.min(MAX_RESTART_PAUSE_MS, 2 * lastPauseMs)
}

/** Where one worker after the other is. */
interface WorkerSlot {
  readonly number: number
  current: WorkerProcess
  /** Held by who puts another in the place of the current one. */
  readonly replacementLock: Semaphore.Semaphore
}

const makeSlot = (number: number, current: WorkerProcess): Effect.Effect<WorkerSlot> =>
  Effect.map(Semaphore.make(1), (replacementLock) => ({ number, current, replacementLock }))

const describeEnd = ({ code, signal }: ProcessEnd) => (signal === null ? `with status ${code}` : `by ${signal}`)

/** Starts another worker whenever the one in the place has ended and nobody else has seen to it. */
const keepSlotRunning = Effect.fnUntraced(function* (slot: WorkerSlot, { startWorker }: WorkerLifecycle) {
  let pause = 0
  while (true) {
    const watchedWorker = slot.current
    const startedAt = yield* Clock.currentTimeMillis
    const end = yield* watchedWorker.awaitEnd
    if (slot.current !== watchedWorker) continue
    pause = computeRestartPauseMs((yield* Clock.currentTimeMillis) - startedAt, pause)
    yield* incrementCounter(workersDied.withLabels({}))
    const next = pause === 0 ? "now" : `in ${pause / 1_000} s`
    yield* Effect.logWarning(
      `worker ${slot.number} (process ${watchedWorker.pid}) ended ${describeEnd(end)}; another starts ${next}`
    )
    yield* Effect.sleep(pause)
    const startNext = Effect.suspend(() =>
      slot.current === watchedWorker
        ? Effect.tap(startWorker, (worker) => {
            slot.current = worker
            return Effect.logInfo(`worker ${slot.number} is process ${worker.pid}`)
          })
        : Effect.void
    )
    yield* slot.replacementLock.withPermit(startNext)
  }
})

/** A new worker in the place, the last one asked to go once it serves; whether it came to that. */
const replaceWorker = (slot: WorkerSlot, { startWorker, awaitEndOrKill }: WorkerLifecycle) =>
  Effect.gen(function* () {
    const next = yield* startWorker
    const isReady = yield* Effect.isSuccess(Effect.timeout(awaitStartMessage(next), WORKER_START_TIMEOUT_MS))
    if (!isReady) {
      yield* Effect.andThen(next.kill, next.awaitEnd)
      return false
    }
    const previous = slot.current
    slot.current = next
    yield* Effect.andThen(previous.retire, awaitEndOrKill(previous))
    yield* Effect.logInfo(`worker ${slot.number} is process ${next.pid}, replacing ${previous.pid}`)
    return true
  }).pipe(slot.replacementLock.withPermit)

const restartAll = Effect.fnUntraced(function* (slots: ReadonlyArray<WorkerSlot>, lifecycle: WorkerLifecycle) {
  yield* Effect.logInfo(`the rolling restart of ${slots.length} workers begins`)
  for (const slot of slots) {
    if (yield* replaceWorker(slot, lifecycle)) continue
    yield* Effect.logError(
      `the rolling restart stopped at worker ${slot.number}: its new process did not start serving; the other workers keep running`
    )
    return
  }
  yield* Effect.logInfo("the rolling restart finished: all workers are new")
})

interface SupervisedWorkers {
  /** What the first worker printed when it served. */
  readonly startMessage: string
  /**
   * Puts a new worker in the place of each, one after the other and the new one first: somebody always serves. Where a new one
   * does not come to serve, the others stay as they are.
   */
  readonly restartWorkers: Effect.Effect<void>
}

/**
 * Keeps so many workers at work until the scope closes, which stops them all and waits for it. The first starts alone: it
 * brings the database up to date, and where it cannot serve, nobody could.
 */
export const superviseWorkers = Effect.fnUntraced(function* (workers: number, drainSeconds: number) {
  const lifecycle = yield* makeWorkerLifecycle(drainSeconds)
  const first = yield* lifecycle.startWorker
  const startMessage = yield* awaitStartMessage(first)
  const slots = [yield* makeSlot(1, first)]
  while (slots.length < workers) slots.push(yield* makeSlot(slots.length + 1, yield* lifecycle.startWorker))
  for (const slot of slots) yield* Effect.forkScoped(keepSlotRunning(slot, lifecycle))
  return { startMessage, restartWorkers: restartAll(slots, lifecycle) } satisfies SupervisedWorkers
})
