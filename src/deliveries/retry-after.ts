import type { IncomingHttpHeaders } from "node:http"

// An HTTP date (RFC 9110, 5.6.7) begins with the name of a day. `Date.parse` alone would also take "-5" or "1.5" for a date.
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** An HTTP date is in UTC; its oldest form does not say so. */
const inUtc = (date: string): string => (date.endsWith(" GMT") ? date : `${date} GMT`)

/**
 * Returns how many milliseconds from `now` a host asks to be left alone by its `Retry-After` header: from 0 to `longestMs`.
 * Undefined: it has no such header, or one that is neither seconds nor an HTTP date.
 */
export const retryAfterOf = (headers: IncomingHttpHeaders, now: number, longestMs: number): number | undefined => {
  const value = headers["retry-after"]?.trim()
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestMs)
  const at = HTTP_DATE.test(value) ? Date.parse(inUtc(value)) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestMs)
}
