import { Clock, Effect } from "effect"

const MINUTE_MS = 60_000

/** Logs at most one warning per minute and kind. Kinds are never forgotten, so there must be few. */
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
