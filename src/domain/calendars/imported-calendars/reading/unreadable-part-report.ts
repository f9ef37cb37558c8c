import { CALENDAR_UNREADABLE_REASONS_MAX } from "../../../../platform/limits.ts"

// A clause names an unreadable part of a feed: "DTEND in line 8 is unreadable". It must contain only line numbers, and
// names of properties and time zones, because other values may be guest data.

export type ReportUnreadablePart = (clause: string) => void

/** Limits memory: a feed may have a million broken lines. */
export const MAX_COUNTED_PARTS = 1_000

/** `listParts` returns the first clauses. A last clause gives the number of the others. */
export const makeUnreadablePartReport = (): {
  readonly report: ReportUnreadablePart
  readonly listParts: () => ReadonlyArray<string>
} => {
  const all = new Set<string>()
  let hasMore = false
  return {
    report: (clause) => {
      if (all.size < MAX_COUNTED_PARTS) all.add(clause)
      else if (!all.has(clause)) hasMore = true
    },
    listParts: () => {
      const first = Array.from(all).slice(0, CALENDAR_UNREADABLE_REASONS_MAX)
      const others = all.size - first.length
      if (others === 0) return first
      return [...first, hasMore ? `and more than ${others} more` : `and ${others} more`]
    }
  }
}
