import { Effect, type Latch, Layer } from "effect"
import { Readiness } from "../../platform/database/Readiness.ts"
import { ownSnapshot } from "../../platform/telemetry/metrics/Snapshots.ts"
import type { FromWorker } from "./words.ts"

/** Milliseconds after which a worker says by itself what it counted: so much is lost at most with one that dies. */
const TOLD_EVERY_MS = 10_000
/** Milliseconds that its database gets to answer before it is told not to: less than the parent waits. */
const READY_WITHIN_MS = 700

/** Says what this worker counted, when it is asked, from time to time, and as it ends. */
export const layerTellingMeasures = (asked: Latch.Latch, say: (words: FromWorker) => void) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { answers } = yield* Readiness
      const isReady = Effect.timeoutOrElse(answers, {
        duration: READY_WITHIN_MS,
        orElse: () => Effect.succeed(false)
      })
      const tell = (ready: boolean) => Effect.map(ownSnapshot, (measured) => say({ measured, ready }))
      yield* Effect.addFinalizer(() => tell(false))
      const turn = Effect.raceFirst(asked.await, Effect.sleep(TOLD_EVERY_MS)).pipe(
        Effect.andThen(asked.close),
        Effect.andThen(Effect.flatMap(isReady, tell)),
        Effect.withTracerEnabled(false)
      )
      yield* Effect.forkScoped(Effect.forever(turn))
    })
  )
