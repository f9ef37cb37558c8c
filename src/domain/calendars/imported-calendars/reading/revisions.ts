import type { CalendarEvent } from "./calendar-event.ts"
import { type CalendarClocks, toAllDayDate } from "./calendar-time.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"

// Several events with one UID: revisions of the same event, and events that stand for single occurrences of it.

/** Returns the key that revisions of one event share: their UID, and the occurrence that they stand for. */
const revisionKeyOf = ({ uid, replaces }: CalendarEvent): string => {
  if (replaces === undefined) return JSON.stringify([uid])
  const { isDate, wall, clock } = replaces.time
  const hasInstant = !isDate && clock !== undefined
  return JSON.stringify([uid, hasInstant, hasInstant ? clock.instantOf(wall) : wall, isDate, replaces.andLater])
}

/** Returns whether an event may replace another revision, or be replaced by one: only if all of it is readable. */
const isRevision = ({ uid, sequence, isFullyReadable }: CalendarEvent): boolean =>
  uid !== undefined && sequence !== undefined && isFullyReadable

/** Returns the events that have no later revision. Revisions with the same SEQUENCE all count. */
export const keepLatestRevisions = (events: ReadonlyArray<CalendarEvent>): ReadonlyArray<CalendarEvent> => {
  const latest = new Map<string, number>()
  for (const event of events) {
    if (!isRevision(event)) continue
    const key = revisionKeyOf(event)
    latest.set(key, Math.max(latest.get(key) ?? 0, event.sequence ?? 0))
  }
  return events.filter(
    (event) => !isRevision(event) || (event.sequence ?? 0) >= (latest.get(revisionKeyOf(event)) ?? 0)
  )
}

/** Returns the readable events that stand for occurrences of others, by their UIDs. */
export const groupReplacementsByUid = (
  events: ReadonlyArray<CalendarEvent>
): ReadonlyMap<string, ReadonlyArray<CalendarEvent>> =>
  Map.groupBy(
    events.filter(
      ({ uid, replaces, isFullyReadable }) => uid !== undefined && replaces !== undefined && isFullyReadable
    ),
    ({ uid = "" }) => uid
  )

/**
 * Returns the events that stand for occurrences of an all-day series, with the dates of those occurrences. Reports and leaves out
 * an event whose RECURRENCE-ID means no certain date: it opens no day.
 */
export const resolveReplacedDates = (
  replacements: ReadonlyArray<CalendarEvent>,
  clocks: CalendarClocks,
  report: ReportUnreadablePart
): ReadonlyArray<CalendarEvent> =>
  replacements.flatMap((event) => {
    if (event.replaces === undefined) return []
    const time = toAllDayDate(event.replaces.time, clocks)
    if (time !== undefined) return [{ ...event, replaces: { ...event.replaces, time } }]
    report(`RECURRENCE-ID of VEVENT in line ${event.lineNumber} names no day`)
    return []
  })

/**
 * Reports events that move all later occurrences of a series, if it is not there, or if their own revision is unknown: where those
 * occurrences take place is unknown then.
 */
export const reportLostSeries = (events: ReadonlyArray<CalendarEvent>, report: ReportUnreadablePart): void => {
  const series = new Set(events.flatMap(({ uid, replaces }) => (replaces === undefined ? [uid] : [])))
  for (const { uid, replaces, sequence, lineNumber } of events) {
    if (replaces?.andLater !== true) continue
    if (uid === undefined || !series.has(uid)) report(`VEVENT in line ${lineNumber} moves an event that does not exist`)
    else if (sequence === undefined) report(`VEVENT in line ${lineNumber} has an unknown SEQUENCE`)
  }
}
