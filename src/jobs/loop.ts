import { Cause, DateTime, Effect, type Scope } from "effect"
import { CurrentPool } from "../platform/database/statement-metrics.ts"
import { findStorageFailure, logStorageFailure } from "../platform/database/storage-failure.ts"
import { awaitWritable } from "../platform/database/WriteAccess.ts"
import { backgroundFailures } from "../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../platform/telemetry/metrics/metric-updates.ts"

/** Milliseconds between two turns while they fail: the database is away. */
const RETRY_MS = 1_000

/** Takes turn after turn whatever goes wrong, while the database may be written to. Turns leave no spans: several a second would bury everything else. */
export const repeatForever = <R>(
  workName: string,
  iteration: Effect.Effect<void, never, R>
): Effect.Effect<never, never, R> =>
  Effect.andThen(awaitWritable, iteration).pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.andThen(
          Effect.andThen(
            incrementCounter(backgroundFailures.withLabels({ work: workName })),
            logFailure(workName, cause)
          ),
          Effect.sleep(RETRY_MS)
        )
    ),
    Effect.forever,
    Effect.provideService(CurrentPool, "background")
  )

/** Where the database is the reason, that is said once for all loops. */
const logFailure = (workName: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const storageFailure = findStorageFailure(cause)
  return storageFailure === undefined
    ? Effect.logWarning(`background work: ${workName} failed and is tried again`, cause)
    : logStorageFailure(storageFailure)
}

/** Does something every so many milliseconds, the first time after the first of them, until the scope closes. */
export const repeatPeriodically = <R>(
  workName: string,
  everyMs: number,
  work: (now: Date) => Effect.Effect<void, never, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.asVoid(
    Effect.forkScoped(
      repeatForever(
        workName,
        Effect.sleep(everyMs).pipe(
          Effect.andThen(awaitWritable),
          Effect.andThen(Effect.flatMap(DateTime.nowAsDate, work))
        )
      )
    )
  )
