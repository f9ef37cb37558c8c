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
  readonly #heard = new WorkerSnapshots()
  readonly #alive = new Map<number, MonitoredWorker>()

  /** A worker of this number, which is not used again. */
  addWorker(worker: number, requestSnapshot: () => void): void {
    this.#alive.set(worker, { requestSnapshot, ready: false, answer: undefined })
  }

  receiveSnapshot(worker: number, snapshot: MetricsSnapshot, ready: boolean): void {
    const monitored = this.#alive.get(worker)
    // Of one that has ended all is told already: it would be told twice, and for ever.
    if (monitored === undefined) return
    this.#heard.update(worker, snapshot)
    monitored.ready = ready
    if (monitored.answer !== undefined) Deferred.doneUnsafe(monitored.answer, Effect.void)
    monitored.answer = undefined
  }

  removeWorker(worker: number): void {
    this.#heard.remove(worker)
    const monitored = this.#alive.get(worker)
    this.#alive.delete(worker)
    if (monitored?.answer !== undefined) Deferred.doneUnsafe(monitored.answer, Effect.void)
  }

  /** Whether any worker is ready to serve. */
  readonly ready: Effect.Effect<boolean> = Effect.suspend(() =>
    Effect.map(this.#asked, () => Array.from(this.#alive.values()).some(({ ready }) => ready))
  )

  readonly all: Snapshots["Service"]["all"] = Effect.suspend(() => Effect.map(this.#asked, () => this.#heard.snapshots))

  /** Asks all, and waits for their answers. Who asks while another waits has the same answers. */
  get #asked(): Effect.Effect<void> {
    const answers = Array.from(this.#alive.values(), (worker) => {
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
