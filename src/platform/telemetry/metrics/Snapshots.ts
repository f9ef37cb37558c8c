import { Context, Effect, Layer } from "effect"
import { findGaugeAggregation } from "./metric-definitions.ts"
import { type MetricsSnapshot, mergeSnapshots, takeSnapshot, withoutGauges } from "./metrics-snapshot.ts"

export const takeOwnSnapshot: Effect.Effect<MetricsSnapshot> = takeSnapshot(findGaugeAggregation)

/** Metrics of this process, or of all workers of this machine. */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** One snapshot per process, the latest known. Responds in bounded time. */
    readonly all: Effect.Effect<ReadonlyArray<MetricsSnapshot>>
  }
>()("latchkey/platform/telemetry/metrics/Snapshots") {
  static readonly layerProcess: Layer.Layer<Snapshots> = Layer.succeed(Snapshots, {
    all: Effect.map(takeOwnSnapshot, (own) => [own])
  })
}

/** The last snapshot of each worker, and the counts of ended workers. */
export class WorkerSnapshots {
  readonly #last = new Map<number, MetricsSnapshot>()
  #gone: MetricsSnapshot = []

  /** Worker numbers are not reused. */
  update(worker: number, snapshot: MetricsSnapshot): void {
    this.#last.set(worker, snapshot)
  }

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
