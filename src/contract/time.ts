import { Clock, DateTime, Effect, Option } from "effect"

export const DAY_START_CACHE_SIZE = 10_000

// Dates are in the operator's time zone (specification, Transaction rule 5).

export const DAY_MS = 86_400_000
const MS_PER_MINUTE = 60_000

const DATE_LENGTH = 10
export const DAY_NUMBER_CACHE_SIZE = 10_000

// Caches, because a calendar of a listing converts more than 500 days several times.
const dayNumbers = new Map<string, number>()
const dayTexts = new Map<number, string>()

/** Days since 1970-01-01. */
export const toDayNumber = (date: string): number => {
  const cached = dayNumbers.get(date)
  if (cached !== undefined) return cached
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS
  if (dayNumbers.size >= DAY_NUMBER_CACHE_SIZE) dayNumbers.clear()
  if (date.length === DATE_LENGTH) dayNumbers.set(date, day)
  return day
}

export const fromDayNumber = (day: number): string => {
  const cached = dayTexts.get(day)
  if (cached !== undefined) return cached
  const date = new Date(day * DAY_MS).toISOString().slice(0, DATE_LENGTH)
  if (dayTexts.size >= DAY_NUMBER_CACHE_SIZE) dayTexts.clear()
  dayTexts.set(day, date)
  return date
}

/** Counts both ends. Returns zero or less if the range ends before it starts. */
export const daysInRange = (startDate: string, endDate: string): number =>
  toDayNumber(endDate) - toDayNumber(startDate) + 1

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS)

export const addDays = (date: string, days: number): string => fromDayNumber(toDayNumber(date) + days)

const wallClockToInstant = (wallClock: string, timeZone: string): Date =>
  DateTime.makeZoned(`${wallClock}Z`, { timeZone, adjustForTimeZone: true }).pipe(
    Option.map(DateTime.toDateUtc),
    // Callers have validated the wall clock and the zone.
    Option.getOrThrow
  )

/**
 * Returns midnight. If a clock change skips midnight, returns the end of the gap. If midnight occurs twice, returns the
 * earlier one.
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

// A cache, because zone rules are slow to compute.
const dayStarts = new Map<string, number>()

/** `until` is the first instant after the last day. */
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

export const toInstant = (text: string, timeZone: string): Date => {
  const iso = normalizeIso(text)
  return OFFSET.test(iso) ? new Date(Date.parse(iso)) : wallClockToInstant(iso, timeZone)
}

/** Returns the first instant at which the clock shows `time` or later that day. */
export const firstInstantAt = (date: string, time: string, timeZone: string): Date => {
  const key = `${timeZone} ${date} ${time}`
  const cached = firstInstants.get(key)
  if (cached !== undefined) return new Date(cached)
  const firstInstant = findFirstInstant(Date.parse(`${date}T${time}:00Z`), timeZone)
  if (firstInstants.size >= DAY_START_CACHE_SIZE) firstInstants.clear()
  firstInstants.set(key, firstInstant)
  return new Date(firstInstant)
}

const firstInstants = new Map<string, number>()

/** Expects at most one clock change between the day before and the day after. */
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

const wallClockMs = (instant: number, timeZone: string): number =>
  Date.parse(`${formatWallClock(new Date(instant), timeZone).replace(" ", "T")}Z`)

const bisectFirstInstant = (wantedClockMs: number, from: number, to: number, timeZone: string): number => {
  if (from >= to || wallClockMs(from, timeZone) >= wantedClockMs) return from
  const middle = from + Math.floor((to - from) / 2000) * 1000
  if (middle === from) return to
  return wallClockMs(middle, timeZone) >= wantedClockMs
    ? bisectFirstInstant(wantedClockMs, from, middle, timeZone)
    : bisectFirstInstant(wantedClockMs, middle, to, timeZone)
}

/** Without an offset, the instant is at most a day from the same time in UTC. */
export const instantBounds = (text: string): { readonly from: number; readonly to: number } => {
  const iso = normalizeIso(text)
  const hasOffset = OFFSET.test(iso)
  const instant = Date.parse(hasOffset ? iso : `${iso}Z`)
  const margin = hasOffset ? 0 : DAY_MS
  return { from: instant - margin, to: instant + margin }
}

export const truncateToSecond = (now: number): Date => new Date(Math.floor(now / 1000) * 1000)

/** The service's own times have whole seconds, so that the form `…:SSZ` loses nothing. */
export const currentSecond: Effect.Effect<Date> = Effect.map(Clock.currentTimeMillis, truncateToSecond)

const dropZeroMilliseconds = (iso: string): string => (iso.endsWith(".000Z") ? `${iso.slice(0, -5)}Z` : iso)

/** Whole seconds have no fraction (contract facts 0.3). */
export const formatUtcInstant = (instant: Date): string => dropZeroMilliseconds(instant.toISOString())

/** Shortens six decimals to three or none if that drops only zeros, as in responses. */
export const shortenFraction = (iso: string): string => dropZeroMilliseconds(iso.replace(/(\.\d{3})000Z$/, "$1Z"))

const FRACTION = /\.(\d{1,6})/

/** Keeps microseconds, which a Date would lose. */
export const toUtcInstantText = (text: string, timeZone: string): string => {
  const microseconds = (FRACTION.exec(text)?.[1] ?? "").padEnd(6, "0").slice(3)
  return shortenFraction(toInstant(text, timeZone).toISOString().replace("Z", `${microseconds}Z`))
}

/** Returns the form with `+00:00`, as in reservations, conversations and reviews (contract facts 0.3). */
export const formatInstantWithOffset = (instant: Date): string => formatUtcInstant(instant).replace("Z", "+00:00")

/** Returns the form `2031-05-04T09:00:00+01:00`. */
export const formatInstantInZone = (instant: Date, timeZone: string): string => {
  const second = truncateToSecond(instant.getTime()).getTime()
  const minutes = Math.round((wallClockMs(second, timeZone) - second) / MS_PER_MINUTE)
  const [hours, offsetMinutes] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(offsetMinutes).padStart(2, "0")}`
  return `${formatWallClock(new Date(second), timeZone).replace(" ", "T")}${offset}`
}

export const dateInZone = (instant: Date | number, timeZone: string): string =>
  DateTime.makeZoned(instant, { timeZone }).pipe(Option.map(DateTime.formatIsoDate), Option.getOrThrow)

export const dateOfWallClock = (wallClock: string): string => wallClock.slice(0, 10)

/** Returns the form `YYYY-MM-DD HH:mm:ss` (contract facts 0.3). */
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

// A cache, because a format is slow to create.
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
