import { Context, Effect, Layer } from "effect"
import { acrossOf } from "./declared.ts"
import { addedUp, leftBehind, type Snapshot, takeSnapshot } from "./snapshot.ts"

/** What this process counted until now. */
export const ownSnapshot: Effect.Effect<Snapshot> = takeSnapshot(acrossOf)

/** Whose metrics are told: those of this process, or of all workers of this machine. */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** One for each process that is heard of, as late as it is known. Answers in bounded time. */
    readonly all: Effect.Effect<ReadonlyArray<Snapshot>>
  }
>()("latchkey/telemetry/metrics/Snapshots") {
  /** This process alone. */
  static readonly layerProcess: Layer.Layer<Snapshots> = Layer.succeed(Snapshots, {
    all: Effect.map(ownSnapshot, (own) => [own])
  })
}

/**
 * What a parent knows of its workers: of each the last snapshot it sent, and what those counted that are gone. A worker that
 * does not answer in time is told as it was known last.
 */
export class WorkersHeard {
  readonly #last = new Map<number, Snapshot>()
  #gone: Snapshot = []

  /** Of the worker of this number, which is not used again. */
  heard(worker: number, snapshot: Snapshot): void {
    this.#last.set(worker, snapshot)
  }

  /** The worker has ended: its counts stay, its gauges go. */
  ended(worker: number): void {
    const last = this.#last.get(worker)
    if (last === undefined) return
    this.#last.delete(worker)
    this.#gone = addedUp([this.#gone, leftBehind(last)])
  }

  get snapshots(): ReadonlyArray<Snapshot> {
    return [this.#gone, ...this.#last.values()]
  }
}
