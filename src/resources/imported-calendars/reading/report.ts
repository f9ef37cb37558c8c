import { CALENDAR_UNREADABLE_REASONS } from "../../../limits.ts"

// What of a feed could not be read, for the host. A clause names a line and a property, never a value: values are about guests.

/** Notes one thing that could not be read, as a short clause: "DTEND in line 8 is unreadable". */
export type Report = (clause: string) => void

/** Collects clauses: the first few of them, and how many more there were. */
export const makeReport = (): { readonly report: Report; readonly clauses: () => ReadonlyArray<string> } => {
  const first = new Set<string>()
  let more = 0
  return {
    report: (clause) => {
      if (first.size < CALENDAR_UNREADABLE_REASONS) first.add(clause)
      else if (!first.has(clause)) more += 1
    },
    clauses: () => (more === 0 ? [...first] : [...first, `and ${more} more`])
  }
}
