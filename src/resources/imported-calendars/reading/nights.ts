// Which nights something takes that lasts from one moment to another. Moments are seconds since 1970 as the clock on the wall
// shows them where the property is, days are counted from there too: 2027-05-01 is one number, whatever the zone.

export const DAY_SECONDS = 86_400

/** Until this hour of a day somebody may leave without taking the night that begins on it: check-outs are at noon or before. */
export const LEAVING_HOUR = 12

/** Days from one on and before another. */
export interface Span {
  readonly from: number
  readonly before: number
}

/**
 * The nights of what lasts from one moment to another: from the day it begins on up to that on which it ends, which is one
 * of them only if it ends there after noon. At least the day it begins on, also where it ends before it begins.
 */
export const nightsBetween = (start: number, end: number): Span => {
  const from = Math.floor(start / DAY_SECONDS)
  const last = Math.floor(end / DAY_SECONDS)
  const stays = end - last * DAY_SECONDS > LEAVING_HOUR * 3600
  return { from, before: Math.max(from + 1, stays ? last + 1 : last) }
}

/** The days that are in one of the spans, from `first` to `last`, in order and each once. */
export const daysIn = (spans: Iterable<Span>, first: number, last: number): ReadonlyArray<number> => {
  const changes = new Int32Array(Math.max(0, last - first + 2))
  for (const { from, before } of spans) {
    const [begins, ends] = [Math.max(from, first), Math.min(before, last + 1)]
    if (begins >= ends) continue
    changes[begins - first] = (changes[begins - first] ?? 0) + 1
    changes[ends - first] = (changes[ends - first] ?? 0) - 1
  }
  const days: Array<number> = []
  let covering = 0
  for (let day = first; day <= last; day++) {
    covering += changes[day - first] ?? 0
    if (covering > 0) days.push(day)
  }
  return days
}
