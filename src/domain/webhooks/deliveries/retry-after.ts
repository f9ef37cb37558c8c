import type { IncomingHttpHeaders } from "node:http"

// An HTTP date (RFC 9110, 5.6.7) begins with the name of a day. `Date.parse` alone also accepts "-5" and "1.5".
const HTTP_DATE_PATTERN = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** Adds the time zone to the oldest form of an HTTP date, which has none. */
const addTimeZone = (date: string): string => (date.endsWith(" GMT") ? date : `${date} GMT`)

/**
 * Returns the `Retry-After` header in milliseconds from `now`, from 0 to `longestMs`. Returns undefined if the header is missing, or
 * is neither seconds nor an HTTP date.
 */
export const parseRetryAfter = (headers: IncomingHttpHeaders, now: number, longestMs: number): number | undefined => {
  const value = headers["retry-after"]?.trim()
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs)
  const at = HTTP_DATE_PATTERN.test(value) ? Date.parse(addTimeZone(value)) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestMs)
}
