import { Cause, Effect } from "effect"
import { WEBHOOK_TROUBLE_MS } from "../limits.ts"

/** Looks again and again whatever goes wrong. Looks leave no spans: several a second would bury everything else. */
export const again = <R>(what: string, look: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  look.pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.andThen(
          Effect.logWarning(`webhooks: ${what} failed and is tried again`, cause),
          Effect.sleep(WEBHOOK_TROUBLE_MS)
        )
    ),
    Effect.forever
  )
