import { Clock, DateTime, Effect, Option } from "effect"

/** Beginnings of days in a time zone that a process remembers, and as many times of days. */
export const DAY_START_CACHE_SIZE = 10_000

// How days and instants meet: dates are read in the merchant's time zone (specification, Transaction rule 5).

export const DAY_MS = 86_400_000
const MS_PER_MINUTE = 60_000

/** Days since 1970-01-01 of a calendar date, and the date of so many. */
export const toDayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS
export const fromDayNumber = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** How many days a range covers, both ends included; zero or less when it ends before it starts. */
export const daysInRange = (startDate: string, endDate: string): number =>
  toDayNumber(endDate) - toDayNumber(startDate) + 1

/** The instant so many times 24 hours before. */
export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS)

/** The calendar date `days` later (earlier when negative). */
export const addDays = (date: string, days: number): string => fromDayNumber(toDayNumber(date) + days)

const wallClockToInstant = (wallClock: string, timeZone: string): Date =>
  DateTime.makeZoned(`${wallClock}Z`, { timeZone, adjustForTimeZone: true }).pipe(
    Option.map(DateTime.toDateUtc),
    // The wall clock was checked as a date and the zone when the operator was made.
    Option.getOrThrow
  )

/**
 * The first instant of a day in a zone. Where the clocks skip midnight that is the first instant after the gap, and
 * where midnight comes twice the earlier one, so a day holds every instant whose local date it is, be it 23, 24 or 25
 * hours long.
 */
export const startOfDay = (date: string, timeZone: string): Date => {
  const key = `${timeZone} ${date}`
  const cached = dayStarts.get(key)
  if (cached !== undefined) return new Date(cached)
  const start = wallClockToInstant(`${date}T00:00:00.000`, timeZone)
  if (dayStarts.size >= DAY_START_CACHE_SIZE) dayStarts.clear()
  dayStarts.set(key, start.getTime())
  return start
}

// Asking a zone for its rules takes longer than the rest of a search, and hosts ask for the same few days.
const dayStarts = new Map<string, number>()

/** The instants of an inclusive range of days: `from` is in it, `until` the first after it. */
export const toInstantRange = (
  startDate: string,
  endDate: string,
  timeZone: string
): { readonly from: Date; readonly until: Date } => ({
  from: startOfDay(startDate, timeZone),
  until: startOfDay(addDays(endDate, 1), timeZone)
})

const OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i

const normalizeIso = (text: string): string =>
  text
    .replace(" ", "T")
    .toUpperCase()
    .replace(/([+-]\d{2})(\d{2})$/, "$1:$2")

/** The instant an InstantText names; without an offset it is a wall-clock time in the merchant's zone. */
export const toInstant = (text: string, timeZone: string): Date => {
  const iso = normalizeIso(text)
  return OFFSET.test(iso) ? new Date(Date.parse(iso)) : wallClockToInstant(iso, timeZone)
}

/**
 * The first instant at which the clock of a zone shows `HH:mm` of that day, or a later time: where the clocks skip it that is
 * the first after the gap, and where it comes twice the earlier.
 */
export const firstInstantAt = (date: string, time: string, timeZone: string): Date => {
  const key = `${timeZone} ${date} ${time}`
  const cached = firstInstants.get(key)
  if (cached !== undefined) return new Date(cached)
  const firstInstant = findFirstInstant(Date.parse(`${date}T${time}:00Z`), timeZone)
  if (firstInstants.size >= DAY_START_CACHE_SIZE) firstInstants.clear()
  firstInstants.set(key, firstInstant)
  return new Date(firstInstant)
}

// Rules ask for the same few times of the same days, of one stay after the other.
const firstInstants = new Map<string, number>()

/** By the offsets of the day before and of the day after, between which the clock changes once at most. */
const findFirstInstant = (wantedClockMs: number, timeZone: string): number => {
  const offsets = [wantedClockMs - DAY_MS, wantedClockMs + DAY_MS].map(
    (nearbyInstant) => wallClockMs(nearbyInstant, timeZone) - nearbyInstant
  )
  return bisectFirstInstant(
    wantedClockMs,
    wantedClockMs - Math.max(...offsets),
    wantedClockMs - Math.min(...offsets),
    timeZone
  )
}

/** The clock of a zone as if it were that of UTC, in milliseconds. */
const wallClockMs = (instant: number, timeZone: string): number =>
  Date.parse(`${formatWallClock(new Date(instant), timeZone).replace(" ", "T")}Z`)

/** Halves what is between two instants, of which the later shows what is wanted, to the second. */
const bisectFirstInstant = (wantedClockMs: number, from: number, to: number, timeZone: string): number => {
  if (from >= to || wallClockMs(from, timeZone) >= wantedClockMs) return from
  const middle = from + Math.floor((to - from) / 2000) * 1000
  if (middle === from) return to
  return wallClockMs(middle, timeZone) >= wantedClockMs
    ? bisectFirstInstant(wantedClockMs, from, middle, timeZone)
    : bisectFirstInstant(wantedClockMs, middle, to, timeZone)
}

/** Milliseconds between which the instant of a text lies: without an offset a day around it, as no zone is further off. */
export const instantBounds = (text: string): { readonly from: number; readonly to: number } => {
  const iso = normalizeIso(text)
  const hasOffset = OFFSET.test(iso)
  const instant = Date.parse(hasOffset ? iso : `${iso}Z`)
  const margin = hasOffset ? 0 : DAY_MS
  return { from: instant - margin, to: instant + margin }
}

/** The second an instant is in. */
export const truncateToSecond = (now: number): Date => new Date(Math.floor(now / 1000) * 1000)

/** What is stored when the service itself says "now", so that `…:SSZ` loses nothing of it. */
export const currentSecond: Effect.Effect<Date> = Effect.map(Clock.currentTimeMillis, truncateToSecond)

const dropZeroMilliseconds = (iso: string): string => (iso.endsWith(".000Z") ? `${iso.slice(0, -5)}Z` : iso)

/** ISO 8601 UTC in the `…Z` form; a fraction appears only if the caller gave one (contract facts 0.3). */
export const formatUtcInstant = (instant: Date): string => dropZeroMilliseconds(instant.toISOString())

/** Shortens the six decimals of a time from the database to none, three or six, as responses show them. */
export const shortenFraction = (iso: string): string => dropZeroMilliseconds(iso.replace(/(\.\d{3})000Z$/, "$1Z"))

const FRACTION = /\.(\d{1,6})/

/** Returns an InstantText in UTC, with its microseconds, which a Date would lose. */
export const toUtcInstantText = (text: string, timeZone: string): string => {
  const microseconds = (FRACTION.exec(text)?.[1] ?? "").padEnd(6, "0").slice(3)
  return shortenFraction(toInstant(text, timeZone).toISOString().replace("Z", `${microseconds}Z`))
}

/** The same with a numeric offset, as times of reservations, conversations and reviews are written (contract facts 0.3). */
export const formatInstantWithOffset = (instant: Date): string => formatUtcInstant(instant).replace("Z", "+00:00")

/** The same on the clock of a zone, to the second, with its offset from UTC: `2031-05-04T09:00:00+01:00`. */
export const formatInstantInZone = (instant: Date, timeZone: string): string => {
  const second = truncateToSecond(instant.getTime()).getTime()
  const minutes = Math.round((wallClockMs(second, timeZone) - second) / MS_PER_MINUTE)
  const [hours, offsetMinutes] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(offsetMinutes).padStart(2, "0")}`
  return `${formatWallClock(new Date(second), timeZone).replace(" ", "T")}${offset}`
}

/** The calendar date of an instant in a zone. */
export const dateInZone = (instant: Date | number, timeZone: string): string =>
  DateTime.makeZoned(instant, { timeZone }).pipe(Option.map(DateTime.formatIsoDate), Option.getOrThrow)

/** Returns the date of what {@link formatWallClock} returns. */
export const dateOfWallClock = (wallClock: string): string => wallClock.slice(0, 10)

/** The clock of a zone at an instant, `YYYY-MM-DD HH:mm:ss` without the zone (contract facts 0.3). */
export const formatWallClock = (instant: Date, timeZone: string): string => {
  const [month, day, year, hour, minute, second] = wallClockFormatFor(timeZone).format(instant).match(/\d+/g) ?? []
  return `${year?.padStart(4, "0")}-${month}-${day} ${hour}:${minute}:${second}`
}

const wallClockFormatFor = (timeZone: string): Intl.DateTimeFormat => {
  const cached = wallClockFormats.get(timeZone)
  if (cached !== undefined) return cached
  const wallClockFormat = new Intl.DateTimeFormat("en-US", { timeZone, ...WALL_CLOCK_OPTIONS })
  wallClockFormats.set(timeZone, wallClockFormat)
  return wallClockFormat
}

// Making one takes as long as a search. As many as there are zones, which were checked when the operators were made.
const wallClockFormats = new Map<string, Intl.DateTimeFormat>()

const WALL_CLOCK_OPTIONS = {
  numberingSystem: "latn",
  hourCycle: "h23",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit"
} as const
