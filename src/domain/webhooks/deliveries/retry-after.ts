import type { IncomingHttpHeaders } from "node:http"

// RFC 9110, 5.6.7. `Date.parse` alone also accepts "-5" and "1.5".
const HTTP_DATE_PATTERN = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** The oldest form of an HTTP date has no time zone. */
const addTimeZone = (date: string): string => (date.endsWith(" GMT") ? date : `${date} GMT`)

/** Returns milliseconds from `now`, at most `longestMs`. Undefined for a missing or invalid header. */
export const parseRetryAfter = (headers: IncomingHttpHeaders, now: number, longestMs: number): number | undefined => {
  const value = headers["retry-after"]?.trim()
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs)
  const at = HTTP_DATE_PATTERN.test(value) ? Date.parse(addTimeZone(value)) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestMs)
}
