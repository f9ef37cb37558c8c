import { Clock, Effect, Semaphore } from "effect"
import { workersDied } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../platform/telemetry/metrics/metric-updates.ts"
import type { ProcessEnd, WorkerProcess } from "./WorkerProcesses.ts"
import { awaitStartMessage, makeWorkerLifecycle, type WorkerLifecycle } from "./worker-lifecycle.ts"

/** A worker that lived for this time is restarted without a pause. */
export const STABLE_MS = 10_000
/** Pause before a restart. It doubles after each early end. */
export const FIRST_RESTART_PAUSE_MS = 1_000
export const MAX_RESTART_PAUSE_MS = 30_000
/** A new worker may first have to migrate the database. */
export const WORKER_START_TIMEOUT_MS = 10 * 60_000

export const computeRestartPauseMs = (livedMs: number, lastPauseMs: number): number => {
  if (livedMs >= STABLE_MS) return 0
  return lastPauseMs === 0 ? FIRST_RESTART_PAUSE_MS : Math.min(MAX_RESTART_PAUSE_MS, 2 * lastPauseMs)
}

interface WorkerSlot {
  readonly number: number
  current: WorkerProcess
  readonly replacementLock: Semaphore.Semaphore
}

const makeSlot = (number: number, current: WorkerProcess): Effect.Effect<WorkerSlot> =>
  Effect.map(Semaphore.make(1), (replacementLock) => ({ number, current, replacementLock }))

const describeEnd = ({ code, signal }: ProcessEnd) => (signal === null ? `with status ${code}` : `by ${signal}`)

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
  readonly startMessage: string
  /** Replaces the workers one by one, each after its successor is ready. Stops at the first failure. */
  readonly restartWorkers: Effect.Effect<void>
}

/**
 * Keeps `workers` processes running until the scope closes. The first starts alone: it migrates the database, and if it
 * fails, all would.
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
