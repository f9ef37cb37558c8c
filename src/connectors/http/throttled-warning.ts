import { Clock, Effect } from "effect"

const MINUTE_MS = 60_000

/**
 * A warning that is told once a minute of each kind, and how often it was not told since: what others do wrong must not fill
 * the log. Kinds are names of code and ids of connectors, so there are not many.
 */
export const makeThrottledWarning = (message: string) => {
  const lastLogged = new Map<string, { readonly since: number; readonly suppressedCount: number }>()
  return (kind: string, annotations: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = lastLogged.get(kind)
      if (last !== undefined && Math.abs(now - last.since) < MINUTE_MS) {
        lastLogged.set(kind, { ...last, suppressedCount: last.suppressedCount + 1 })
        return Effect.void
      }
      lastLogged.set(kind, { since: now, suppressedCount: 0 })
      const suppressed = last === undefined || last.suppressedCount === 0 ? {} : { untold: last.suppressedCount }
      return Effect.annotateLogs(Effect.logWarning(message), { ...annotations, ...suppressed })
    })
}
