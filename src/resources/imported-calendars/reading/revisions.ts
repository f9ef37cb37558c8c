import type { CalendarEvent } from "./event.ts"
import type { Report } from "./report.ts"

// Several events with one UID: revisions of the same event, and events that stand for single occurrences of it.

/** By what revisions of one event are found: their UID, and the occurrence they stand for. */
const keyOf = ({ uid, replaces }: CalendarEvent): string => {
  if (replaces === undefined) return `${uid}`
  const { isDate, wall, clock } = replaces.time
  const at = isDate || clock === undefined ? `wall ${wall}` : `instant ${clock.instantOf(wall)}`
  return `${uid} ${at} ${isDate} ${replaces.andLater}`
}

/** An event counts as a revision only if all of it is readable: else it takes no other's place, and none takes its own. */
const isRevision = ({ uid, sequence, isWhole }: CalendarEvent): boolean =>
  uid !== undefined && sequence !== undefined && isWhole

/** Returns events without those of which a later revision is there. Revisions with the same SEQUENCE all count. */
export const latestRevisions = (events: ReadonlyArray<CalendarEvent>): ReadonlyArray<CalendarEvent> => {
  const latest = new Map<string, number>()
  for (const event of events) {
    if (!isRevision(event)) continue
    const key = keyOf(event)
    latest.set(key, Math.max(latest.get(key) ?? 0, event.sequence ?? 0))
  }
  return events.filter((event) => !isRevision(event) || (event.sequence ?? 0) >= (latest.get(keyOf(event)) ?? 0))
}

/** Returns the readable events that stand for occurrences of others, by their UIDs. */
export const replacementsByUid = (
  events: ReadonlyArray<CalendarEvent>
): ReadonlyMap<string, ReadonlyArray<CalendarEvent>> =>
  Map.groupBy(
    events.filter(({ uid, replaces, isWhole }) => uid !== undefined && replaces !== undefined && isWhole),
    ({ uid = "" }) => uid
  )

/**
 * Reports events that move all later occurrences of a series, if it is not there, or if their own revision is unknown: where those
 * occurrences take place is unknown then.
 */
export const reportLostSeries = (events: ReadonlyArray<CalendarEvent>, report: Report): void => {
  const series = new Set(events.flatMap(({ uid, replaces }) => (replaces === undefined ? [uid] : [])))
  for (const { uid, replaces, sequence, line } of events) {
    if (replaces?.andLater !== true) continue
    if (uid === undefined || !series.has(uid)) report(`VEVENT in line ${line} moves an event that is not there`)
    else if (sequence === undefined) report(`VEVENT in line ${line} has an unknown SEQUENCE`)
  }
}
