// Times are seconds since 1970 on the property's clock. Days are days since 1970 without a zone.

export const DAY_SECONDS = 86_400

/**
 * An event from this hour or later until noon of the same day blocks no night, because it is a check-out or a cleaning.
 */
const MORNING_HOUR = 6

const CHECK_OUT_HOUR = 12

const EVENING_HOUR = 18

/** `before` is exclusive. */
export interface NightSpan {
  readonly from: number
  readonly before: number
}

export const timeOfDay = (at: number): number => at - Math.floor(at / DAY_SECONDS) * DAY_SECONDS

/**
 * Except for morning events, an event blocks its first night. It blocks the night of its last day only if it ends after
 * noon, and also after 18:00 or `arrival`.
 *
 * The time `arrival` is in seconds, and 0 for whole days of another zone, which have no check-in time.
 */
export const nightsBetween = (start: number, end: number, arrival = timeOfDay(start)): NightSpan => {
  const from = Math.floor(start / DAY_SECONDS)
  const last = Math.floor(end / DAY_SECONDS)
  const departure = timeOfDay(end)
  if (from === last && end > start && timeOfDay(start) >= MORNING_HOUR * 3600 && departure <= CHECK_OUT_HOUR * 3600)
    return { from, before: from }
  const isNight = departure > CHECK_OUT_HOUR * 3600 && departure > Math.min(arrival, EVENING_HOUR * 3600)
  return { from, before: Math.max(from + 1, isNight ? last + 1 : last) }
}

/** Returns sorted days without duplicates. `first` and `last` are inclusive. */
export const daysInSpans = (spans: Iterable<NightSpan>, first: number, last: number): ReadonlyArray<number> => {
  const changes = new Int32Array(Math.max(0, last - first + 2))
  for (const { from, before } of spans) {
    const [begins, ends] = [Math.max(from, first), Math.min(before, last + 1)]
    if (begins >= ends) continue
    changes[begins - first] = (changes[begins - first] ?? 0) + 1
    changes[ends - first] = (changes[ends - first] ?? 0) - 1
  }
  const days: Array<number> = []
  let openSpans = 0
  for (let day = first; day <= last; day++) {
    openSpans += changes[day - first] ?? 0
    if (openSpans > 0) days.push(day)
  }
  return days
}
