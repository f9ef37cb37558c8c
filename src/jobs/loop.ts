import { Cause, Effect } from "effect"
import { CurrentPool } from "../platform/database/statement-metrics.ts"
import { findStorageFailure, logStorageFailure } from "../platform/database/storage-failure.ts"
import { awaitWritable } from "../platform/database/WriteAccess.ts"
import { backgroundFailures } from "../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../platform/telemetry/metrics/metric-updates.ts"

const RETRY_MS = 1_000

/**
 * Logs failures, and waits while the database is read-only. Iterations have no spans, because there are several per
 * second.
 */
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

/** A full disk and an unreachable database are logged once for all loops. */
const logFailure = (workName: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const storageFailure = findStorageFailure(cause)
  return storageFailure === undefined
    ? Effect.logWarning(`background work: ${workName} failed and is tried again`, cause)
    : logStorageFailure(storageFailure)
}
