import { Clock, Effect } from "effect"

const MINUTE_MS = 60_000

/**
 * A warning that is told once a minute of each kind, and how often it was not told since: what others do wrong must not fill
 * the log. Kinds are names of code and ids of connectors, so there are not many.
 */
export const makeSparing = (message: string) => {
  const told = new Map<string, { readonly since: number; readonly untold: number }>()
  return (kind: string, about: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = told.get(kind)
      if (last !== undefined && Math.abs(now - last.since) < MINUTE_MS) {
        told.set(kind, { ...last, untold: last.untold + 1 })
        return Effect.void
      }
      told.set(kind, { since: now, untold: 0 })
      const more = last === undefined || last.untold === 0 ? {} : { untold: last.untold }
      return Effect.annotateLogs(Effect.logWarning(message), { ...about, ...more })
    })
}
