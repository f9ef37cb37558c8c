import { Console, Effect, Latch, Layer } from "effect"
import { Readiness } from "../../platform/database/Readiness.ts"
import { warnUnsealed } from "../../platform/sealing/start.ts"
import { layerParentMetrics } from "../../platform/telemetry/metrics/process.ts"
import { ownSnapshot, Snapshots } from "../../platform/telemetry/metrics/Snapshots.ts"
import { type Settings, wantsKey } from "../../service/configuration.ts"
import { layerMetricsPort } from "../../transports/metrics/metrics.ts"
import { supervising } from "./supervising.ts"
import { WorkerProcesses } from "./WorkerProcesses.ts"

/** Opened by each SIGHUP from now on, which does nothing else to this process. */
const hangUps = Effect.gen(function* () {
  const hungUp = yield* Latch.make()
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const open = () => void hungUp.openUnsafe()
      process.on("SIGHUP", open)
      return open
    }),
    (open) => Effect.sync(() => process.off("SIGHUP", open))
  )
  return hungUp
})

/** Where Prometheus comes by: what all workers counted, those that have ended among them. */
const layerMetricsOfWorkers = ({ metricsPort, host }: Settings) => {
  if (metricsPort === undefined) return Layer.empty
  const ofWorkers = Layer.unwrap(
    Effect.map(WorkerProcesses, ({ measured }) =>
      Layer.merge(
        Layer.succeed(Snapshots, {
          all: Effect.zipWith(measured.all, ownSnapshot, (ofWorkers, own) => [...ofWorkers, own])
        }),
        Layer.succeed(Readiness, { answers: measured.ready })
      )
    )
  )
  return Layer.provide(layerMetricsPort({ port: metricsPort, host }), [ofWorkers, layerParentMetrics])
}

/**
 * The process that has the port and so many workers: it starts those that ended anew, replaces all at each SIGHUP, counts
 * for them, and ends when it is interrupted and they have ended. One SIGHUP that comes during a rolling restart, or several, lead to one
 * more after it.
 */
export const parent = Effect.fnUntraced(function* (workers: number, settings: Settings) {
  const hungUp = yield* hangUps
  const { greeting, roll } = yield* supervising(workers, settings.drainSeconds)
  // Not before the first of them serves: it has looked whether the database's secrets need a key.
  if (wantsKey(settings)) yield* warnUnsealed
  yield* Layer.build(layerMetricsOfWorkers(settings))
  yield* Console.log(greeting)
  return yield* Effect.forever(Effect.andThen(hungUp.await, Effect.andThen(hungUp.close, roll)))
}, Effect.scoped)
