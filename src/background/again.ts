import { Cause, Effect } from "effect"

/** Milliseconds between two looks while they fail: the database is away. */
const TROUBLE_MS = 1_000

/** Looks again and again whatever goes wrong. Looks leave no spans: several a second would bury everything else. */
export const again = <R>(what: string, look: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  look.pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.andThen(
          Effect.logWarning(`background work: ${what} failed and is tried again`, cause),
          Effect.sleep(TROUBLE_MS)
        )
    ),
    Effect.forever
  )
