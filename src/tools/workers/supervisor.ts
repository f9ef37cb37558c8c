import { Console, Effect, Latch, Layer } from "effect"
import { Readiness } from "../../platform/database/Readiness.ts"
import { warnSecretsInClear } from "../../platform/sealing/startup-check.ts"
import { layerSupervisorMetrics } from "../../platform/telemetry/metrics/process-metrics.ts"
import { Snapshots, takeOwnSnapshot } from "../../platform/telemetry/metrics/Snapshots.ts"
import { isMissingSecretKey, type Settings } from "../../service/configuration.ts"
import { layerMetricsPort } from "../../transports/metrics/metrics-endpoint.ts"
import { WorkerProcesses } from "./WorkerProcesses.ts"
import { superviseWorkers } from "./worker-supervision.ts"

const listenForHangUps = Effect.gen(function* () {
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

const layerWorkerMetrics = ({ metricsPort, host }: Settings) => {
  if (metricsPort === undefined) return Layer.empty
  const layerWorkerSnapshots = Layer.unwrap(
    Effect.map(WorkerProcesses, ({ metrics }) =>
      Layer.merge(
        Layer.succeed(Snapshots, {
          all: Effect.zipWith(metrics.all, takeOwnSnapshot, (workerSnapshots, own) => [...workerSnapshots, own])
        }),
        Layer.succeed(Readiness, { isReady: metrics.isReady })
      )
    )
  )
  return Layer.provide(layerMetricsPort({ port: metricsPort, host }), [layerWorkerSnapshots, layerSupervisorMetrics])
}

/** All SIGHUPs during a rolling restart together cause one more restart. */
export const runSupervisor = Effect.fnUntraced(function* (workers: number, settings: Settings) {
  const hungUp = yield* listenForHangUps
  const { startMessage, restartWorkers } = yield* superviseWorkers(workers, settings.drainSeconds)
  // Only warns. The first worker checks whether stored secrets need a key.
  if (isMissingSecretKey(settings)) yield* warnSecretsInClear
  yield* Layer.build(layerWorkerMetrics(settings))
  yield* Console.log(startMessage)
  return yield* Effect.forever(Effect.andThen(hungUp.await, Effect.andThen(hungUp.close, restartWorkers)))
}, Effect.scoped)
