import { Deferred, Effect } from "effect"
import type { MetricsSnapshot } from "../../platform/telemetry/metrics/metrics-snapshot.ts"
import { type Snapshots, WorkerSnapshots } from "../../platform/telemetry/metrics/Snapshots.ts"

/** After this time, the last snapshot of a worker is used. */
export const WORKER_METRICS_TIMEOUT_MS = 1_000

interface MonitoredWorker {
  readonly requestSnapshot: () => void
  ready: boolean
  answer: Deferred.Deferred<void> | undefined
}

/** Includes the metrics of workers that have ended. */
export class WorkerMetrics {
  readonly #snapshots = new WorkerSnapshots()
  readonly #workers = new Map<number, MonitoredWorker>()

  /** The id `worker` must never be reused. */
  addWorker(worker: number, requestSnapshot: () => void): void {
    this.#workers.set(worker, { requestSnapshot, ready: false, answer: undefined })
  }

  receiveSnapshot(worker: number, snapshot: MetricsSnapshot, ready: boolean): void {
    const monitored = this.#workers.get(worker)
    // A late report of an ended worker would count twice.
    if (monitored === undefined) return
    this.#snapshots.update(worker, snapshot)
    monitored.ready = ready
    if (monitored.answer !== undefined) Deferred.doneUnsafe(monitored.answer, Effect.void)
    monitored.answer = undefined
  }

  removeWorker(worker: number): void {
    this.#snapshots.remove(worker)
    const monitored = this.#workers.get(worker)
    this.#workers.delete(worker)
    if (monitored?.answer !== undefined) Deferred.doneUnsafe(monitored.answer, Effect.void)
  }

  readonly isReady: Effect.Effect<boolean> = Effect.suspend(() =>
    Effect.map(this.#snapshotsReceived, () => Array.from(this.#workers.values()).some(({ ready }) => ready))
  )

  readonly all: Snapshots["Service"]["all"] = Effect.suspend(() =>
    Effect.map(this.#snapshotsReceived, () => this.#snapshots.snapshots)
  )

  /** Concurrent callers share one request to each worker. */
  get #snapshotsReceived(): Effect.Effect<void> {
    const answers = Array.from(this.#workers.values(), (worker) => {
      if (worker.answer === undefined) {
        worker.answer = Deferred.makeUnsafe<void>()
        worker.requestSnapshot()
      }
      return Deferred.await(worker.answer)
    })
    return Effect.asVoid(
      Effect.timeoutOption(Effect.all(answers, { concurrency: "unbounded", discard: true }), WORKER_METRICS_TIMEOUT_MS)
    )
  }
}
