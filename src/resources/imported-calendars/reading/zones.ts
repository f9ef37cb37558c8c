import * as Result from "effect/Result"
import ICAL from "ical.js"

// Time zones by their names, as the runtime knows them.

/** Beginnings of quarters of an hour that are remembered of a zone: rules of zones change at none but these. */
const REMEMBERED = 20_000
const QUARTER_SECONDS = 900

const FIELDS = {
  calendar: "iso8601",
  numberingSystem: "latn",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric"
} as const

/** How many seconds the clock of a zone is ahead of UTC, at seconds since 1970. */
export type Ahead = (at: number) => number

const aheadIn = (clock: Intl.DateTimeFormat): Ahead => {
  const known = new Map<number, number>()
  const worked = (at: number): number => {
    const shown = new Map(clock.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0
    const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
    return wall / 1000 - at
  }
  return (at) => {
    const quarter = Math.floor(at / QUARTER_SECONDS) * QUARTER_SECONDS
    const remembered = known.get(quarter)
    if (remembered !== undefined) return remembered
    if (known.size >= REMEMBERED) known.clear()
    const ahead = worked(quarter)
    known.set(quarter, ahead)
    return ahead
  }
}

const zones = new Map<string, Ahead | undefined>()
/** Names that are remembered: there are some six hundred zones, and a feed may name anything. */
const NAMES = 1_000

/** The zone of that name; undefined where the runtime knows none. */
export const zoneNamed = (name: string): Ahead | undefined => {
  if (zones.has(name)) return zones.get(name)
  const clock = Result.try(() => new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name }))
  const ahead = Result.isSuccess(clock) ? aheadIn(clock.success) : undefined
  if (zones.size >= NAMES) zones.clear()
  zones.set(name, ahead)
  return ahead
}

/** The same for the library: a zone that its calendar names and does not describe. */
export class ZoneByName extends ICAL.Timezone {
  readonly #ahead: Ahead

  constructor(name: string, ahead: Ahead) {
    super({ tzid: name })
    this.#ahead = ahead
  }

  override utcOffset(time: ICAL.Time): number {
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second) / 1000
    // Asked for an instant near the one that is meant; the second answer is for that one, also beside a change of the clocks.
    return this.#ahead(wall - this.#ahead(wall))
  }
}
