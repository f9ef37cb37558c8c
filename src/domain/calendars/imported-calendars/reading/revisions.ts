import type { CalendarEvent } from "./calendar-event.ts"
import { type CalendarClocks, toAllDayDate } from "./calendar-time.ts"
import type { ReportUnreadablePart } from "./unreadable-part-report.ts"

// Events with the same UID are revisions of one event, or replace single occurrences of it.

const revisionKeyOf = ({ uid, replaces }: CalendarEvent): string => {
  if (replaces === undefined) return JSON.stringify([uid])
  const { isDate, wall, clock } = replaces.time
  const hasInstant = !isDate && clock !== undefined
  return JSON.stringify([uid, hasInstant, hasInstant ? clock.instantOf(wall) : wall, isDate, replaces.andLater])
}

/** Only a fully readable event may replace another one or be replaced. */
const isRevision = ({ uid, sequence, isFullyReadable }: CalendarEvent): boolean =>
  uid !== undefined && sequence !== undefined && isFullyReadable

/** Of the revisions of one event, keeps those with the highest SEQUENCE. Keeps every event that is not a revision. */
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
 * A replacement frees the day of the occurrence that it replaces. So it is dropped and reported if that day is
 * uncertain.
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

/** Reports THISANDFUTURE events without a series or with an unknown SEQUENCE. They move occurrences to unknown dates. */
export const reportLostSeries = (events: ReadonlyArray<CalendarEvent>, report: ReportUnreadablePart): void => {
  const series = new Set(events.flatMap(({ uid, replaces }) => (replaces === undefined ? [uid] : [])))
  for (const { uid, replaces, sequence, lineNumber } of events) {
    if (replaces?.andLater !== true) continue
    if (uid === undefined || !series.has(uid)) report(`VEVENT in line ${lineNumber} moves an event that does not exist`)
    else if (sequence === undefined) report(`VEVENT in line ${lineNumber} has an unknown SEQUENCE`)
  }
}
