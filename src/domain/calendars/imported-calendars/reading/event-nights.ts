// Decides which nights an event takes. Moments are seconds since 1970 on the property's clock. Days are counted from 1970 too:
// 2027-05-01 is one number, whatever the zone.

export const DAY_SECONDS = 86_400

/** An event that begins at or after this hour and ends by noon blocks no night: a check-out or a cleaning. */
const MORNING_HOUR = 6

/** Check-outs end by this hour, so the night is free. */
const CHECK_OUT_HOUR = 12

/** An event that ends after this hour always takes the night. */
const EVENING_HOUR = 18

/** Days from one on and before another. */
export interface NightSpan {
  readonly from: number
  readonly before: number
}

/** Returns the seconds since the midnight before a moment. */
export const timeOfDay = (at: number): number => at - Math.floor(at / DAY_SECONDS) * DAY_SECONDS

/**
 * Returns the nights of an event from `start` to `end`: from the day on which it begins up to the day on which it ends. That
 * last day is one of them only if the event ends after noon, and either after 18:00 or later in the day than it began: check-in
 * at 14:00 and check-out at 14:00 leave the last day free. An event without a length is one day. An event within one morning
 * has no night.
 *
 * The time of day of the end is compared with `arrival`. It is 0 for an event that means whole days of another zone: such an
 * event has no check-in.
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

/** The days that are in one of the spans, from `first` to `last`, in order and each once. */
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
