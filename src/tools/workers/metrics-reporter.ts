import { Effect, type Latch, Layer } from "effect"
import { Readiness } from "../../platform/database/Readiness.ts"
import { takeOwnSnapshot } from "../../platform/telemetry/metrics/Snapshots.ts"
import type { WorkerMessage } from "./worker-messages.ts"

/** A crashed worker loses at most the metrics of this time. */
const REPORT_INTERVAL_MS = 10_000
/** Must be shorter than WORKER_METRICS_TIMEOUT_MS of the primary. */
const READY_TIMEOUT_MS = 700

export const layerMetricsReporter = (requested: Latch.Latch, send: (message: WorkerMessage) => void) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { isReady: isDatabaseReady } = yield* Readiness
      const isReady = Effect.timeoutOrElse(isDatabaseReady, {
        duration: READY_TIMEOUT_MS,
        orElse: () => Effect.succeed(false)
      })
      const report = (ready: boolean) => Effect.map(takeOwnSnapshot, (measured) => send({ measured, ready }))
      yield* Effect.addFinalizer(() => report(false))
      const iteration = Effect.raceFirst(requested.await, Effect.sleep(REPORT_INTERVAL_MS)).pipe(
        Effect.andThen(requested.close),
        Effect.andThen(Effect.flatMap(isReady, report)),
        Effect.withTracerEnabled(false)
      )
      yield* Effect.forkScoped(Effect.forever(iteration))
    })
  )
