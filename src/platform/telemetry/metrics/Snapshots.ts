import { Context, Effect, Layer } from "effect"
import { findGaugeAggregation } from "./metric-definitions.ts"
import { type MetricsSnapshot, mergeSnapshots, takeSnapshot, withoutGauges } from "./metrics-snapshot.ts"

/** What this process counted until now. */
export const takeOwnSnapshot: Effect.Effect<MetricsSnapshot> = takeSnapshot(findGaugeAggregation)

/** Whose metrics are told: those of this process, or of all workers of this machine. */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** One for each process that is heard of, as late as it is known. Answers in bounded time. */
    readonly all: Effect.Effect<ReadonlyArray<MetricsSnapshot>>
  }
>()("latchkey/platform/telemetry/metrics/Snapshots") {
  /** This process alone. */
  static readonly layerProcess: Layer.Layer<Snapshots> = Layer.succeed(Snapshots, {
    all: Effect.map(takeOwnSnapshot, (own) => [own])
  })
}

/**
 * What a parent knows of its workers: of each the last snapshot it sent, and what those counted that are gone. A worker that
 * does not answer in time is told as it was known last.
 */
export class WorkerSnapshots {
  readonly #last = new Map<number, MetricsSnapshot>()
  #gone: MetricsSnapshot = []

  /** Of the worker of this number, which is not used again. */
  update(worker: number, snapshot: MetricsSnapshot): void {
    this.#last.set(worker, snapshot)
  }

  /** The worker has ended: its counts stay, its gauges go. */
  remove(worker: number): void {
    const last = this.#last.get(worker)
    if (last === undefined) return
    this.#last.delete(worker)
    this.#gone = mergeSnapshots([this.#gone, withoutGauges(last)])
  }

  get snapshots(): ReadonlyArray<MetricsSnapshot> {
    return [this.#gone, ...this.#last.values()]
  }
}
