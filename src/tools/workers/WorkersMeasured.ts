import { Deferred, Effect } from "effect"
import { type Snapshots, WorkersHeard } from "../../platform/telemetry/metrics/Snapshots.ts"
import type { Snapshot } from "../../platform/telemetry/metrics/snapshot.ts"

/** Longest that who asks for metrics waits for workers, in milliseconds: one that is late is told as it was known last. */
export const MEASURED_WITHIN_MS = 1_000

/** A worker that can be asked what it counted. */
interface Asked {
  readonly ask: () => void
  ready: boolean
  /** Open while it has been asked and has not answered. */
  answer: Deferred.Deferred<void> | undefined
}

/** What a parent knows of what its workers counted, those among them that have ended. */
export class WorkersMeasured {
  readonly #heard = new WorkersHeard()
  readonly #alive = new Map<number, Asked>()

  /** A worker of this number, which is not used again. */
  began(worker: number, ask: () => void): void {
    this.#alive.set(worker, { ask, ready: false, answer: undefined })
  }

  said(worker: number, snapshot: Snapshot, ready: boolean): void {
    const asked = this.#alive.get(worker)
    // Of one that has ended all is told already: it would be told twice, and for ever.
    if (asked === undefined) return
    this.#heard.heard(worker, snapshot)
    asked.ready = ready
    if (asked.answer !== undefined) Deferred.doneUnsafe(asked.answer, Effect.void)
    asked.answer = undefined
  }

  ended(worker: number): void {
    this.#heard.ended(worker)
    const asked = this.#alive.get(worker)
    this.#alive.delete(worker)
    if (asked?.answer !== undefined) Deferred.doneUnsafe(asked.answer, Effect.void)
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
        worker.ask()
      }
      return Deferred.await(worker.answer)
    })
    return Effect.asVoid(
      Effect.timeoutOption(Effect.all(answers, { concurrency: "unbounded", discard: true }), MEASURED_WITHIN_MS)
    )
  }
}
