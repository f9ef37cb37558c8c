import { CALENDAR_UNREADABLE_REASONS_MAX } from "../../../../platform/limits.ts"

// The unreadable parts of a feed, for the host. A clause names a line, a property or an unknown time zone, and no other value:
// other values may be about guests.

/** Notes one part that could not be read, as a short clause: "DTEND in line 8 is unreadable". */
export type ReportUnreadablePart = (clause: string) => void

/** Different clauses that are counted. A feed may have a million broken lines, and each clause takes memory. */
export const MAX_COUNTED_PARTS = 1_000

/** Collects clauses, each once. `clauses` returns the first few, and a last one that says how many more there were. */
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
