import { DAY_SECONDS } from "./event-nights.ts"

// Follows RFC 5545, 3.3 strictly, so that an invalid value is never read as another one.

export interface WrittenTime {
  readonly isDate: boolean
  /** Local time in seconds since 1970. */
  readonly wall: number
  /** Seconds ahead of UTC. Undefined if the text has no offset. */
  readonly utcOffset: number | undefined
}

/** Also accepts the dashes and colons of ISO 8601. */
const TIME_PATTERN = /^(\d{4})(-?)(\d\d)\2(\d\d)(?:T(\d\d)(:?)(\d\d)\6(\d\d)(?:(Z)|([+-])(\d\d):(\d\d))?)?$/

const dayStart = (year: number, month: number, day: number): number =>
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  new Date(0).setUTCFullYear(year, month - 1, day) / 1000

const isRealDate = (start: number, month: number, day: number): boolean => {
  const date = new Date(start * 1000)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

export const parseTime = (text: string): WrittenTime | undefined => {
  const match = TIME_PATTERN.exec(text.trim())
  if (match === null) return undefined
  const numberAt = (group: number) => Number(match[group] ?? 0)
  const start = dayStart(numberAt(1), numberAt(3), numberAt(4))
  if (!isRealDate(start, numberAt(3), numberAt(4))) return undefined
  if (match[5] === undefined) return { isDate: true, wall: start, utcOffset: undefined }
  const [hour, minute, second] = [numberAt(5), numberAt(7), numberAt(8)]
  if (hour > 23 || minute > 59 || second > 60 || numberAt(11) > 23 || numberAt(12) > 59) return undefined
  const offset = numberAt(11) * 3600 + numberAt(12) * 60
  const hasOffset = match[9] !== undefined || match[10] !== undefined
  return {
    isDate: false,
    wall: start + hour * 3600 + minute * 60 + second,
    utcOffset: hasOffset ? (match[10] === "-" ? -offset : offset) : undefined
  }
}

const padTwo = (number: number): string => String(number).padStart(2, "0")

/** Such as `20270501T150000Z`. */
export const formatBasicTime = ({ wall, isDate, utcOffset }: WrittenTime): string => {
  const at = new Date((wall - (utcOffset ?? 0)) * 1000)
  const date = `${String(at.getUTCFullYear()).padStart(4, "0")}${padTwo(at.getUTCMonth() + 1)}${padTwo(at.getUTCDate())}`
  if (isDate) return date
  const time = `${padTwo(at.getUTCHours())}${padTwo(at.getUTCMinutes())}${padTwo(at.getUTCSeconds())}`
  return `${date}T${time}${utcOffset === undefined ? "" : "Z"}`
}

const DURATION_PATTERN = /^\+?P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
/** With this limit, sums of seconds stay exact. */
const MAX_DURATION_SECONDS = 100_000 * DAY_SECONDS

/** Returns undefined for an invalid or negative duration. */
export const parseDurationSeconds = (text: string): number | undefined => {
  const match = DURATION_PATTERN.exec(text.trim())
  if (match === null) return undefined
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const total = (weeks * 7 + days) * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds
  return Math.min(total, MAX_DURATION_SECONDS)
}

/** Parses `+0100` or `-023000`. */
export const parseUtcOffset = (text: string): number | undefined => {
  const [, sign, hours, minutes, seconds = 0] = /^([+-])(\d\d)([0-5]\d)([0-5]\d)?$/.exec(text.trim()) ?? []
  if (sign === undefined || Number(hours) > 23) return undefined
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === "-" ? -total : total
}
