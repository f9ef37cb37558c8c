import { Deferred, Effect } from "effect"
import type { MetricsSnapshot } from "../../platform/telemetry/metrics/metrics-snapshot.ts"
import { type Snapshots, WorkerSnapshots } from "../../platform/telemetry/metrics/Snapshots.ts"

/** Longest that who asks for metrics waits for workers, in milliseconds: one that is late is told as it was known last. */
export const WORKER_METRICS_TIMEOUT_MS = 1_000

/** A worker that can be asked what it counted. */
interface MonitoredWorker {
  readonly requestSnapshot: () => void
  ready: boolean
  /** Open while it has been asked and has not answered. */
  answer: Deferred.Deferred<void> | undefined
}

/** What a parent knows of what its workers counted, those among them that have ended. */
export class WorkerMetrics {
  readonly #snapshots = new WorkerSnapshots()
  readonly #workers = new Map<number, MonitoredWorker>()

  /** A worker of this number, which is not used again. */
  addWorker(worker: number, requestSnapshot: () => void): void {
    this.#workers.set(worker, { requestSnapshot, ready: false, answer: undefined })
  }

  receiveSnapshot(worker: number, snapshot: MetricsSnapshot, ready: boolean): void {
    const monitored = this.#workers.get(worker)
    // Of one that has ended all is told already: it would be told twice, and for ever.
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

  /** Whether any worker is ready to serve. */
  readonly isReady: Effect.Effect<boolean> = Effect.suspend(() =>
    Effect.map(this.#snapshotsReceived, () => Array.from(this.#workers.values()).some(({ ready }) => ready))
  )

  readonly all: Snapshots["Service"]["all"] = Effect.suspend(() =>
    Effect.map(this.#snapshotsReceived, () => this.#snapshots.snapshots)
  )

  /** Asks all, and waits for their answers. Who asks while another waits has the same answers. */
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
