import { Cause, DateTime, Effect, type Scope } from "effect"
import { AskedBy } from "../platform/database/measured.ts"
import { tellTrouble, troubleOf } from "../platform/database/trouble.ts"
import { whenWritable } from "../platform/database/Writing.ts"
import { backgroundFailures } from "../platform/telemetry/metrics/declared.ts"
import { countOne } from "../platform/telemetry/metrics/measuring.ts"

/** Milliseconds between two turns while they fail: the database is away. */
const TROUBLE_MS = 1_000

/** Takes turn after turn whatever goes wrong, while the database may be written to. Turns leave no spans: several a second would bury everything else. */
export const loop = <R>(what: string, turn: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  Effect.andThen(whenWritable, turn).pipe(
    Effect.withTracerEnabled(false),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.andThen(
          Effect.andThen(countOne(backgroundFailures.of({ work: what })), told(what, cause)),
          Effect.sleep(TROUBLE_MS)
        )
    ),
    Effect.forever,
    Effect.provideService(AskedBy, "background")
  )

/** Where the database is the reason, that is said once for all loops. */
const told = (what: string, cause: Cause.Cause<never>): Effect.Effect<void> => {
  const trouble = troubleOf(cause)
  return trouble === undefined
    ? Effect.logWarning(`background work: ${what} failed and is tried again`, cause)
    : tellTrouble(trouble)
}

/** Does something every so many milliseconds, the first time after the first of them, until the scope closes. */
export const periodically = <R>(
  what: string,
  everyMs: number,
  work: (now: Date) => Effect.Effect<void, never, R>
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.asVoid(
    Effect.forkScoped(
      loop(
        what,
        Effect.sleep(everyMs).pipe(
          Effect.andThen(whenWritable),
          Effect.andThen(Effect.flatMap(DateTime.nowAsDate, work))
        )
      )
    )
  )
