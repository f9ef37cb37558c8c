import type { WindowsDecision, WindowsRejected } from "./admission.ts"
import type { Bucket } from "./rate-window.ts"

/** error_msg of the specification (Limits). */
export const rateLimitMessage = ({ bucket, retryAfterSeconds }: WindowsRejected): string => {
  switch (bucket.scope) {
    case "user":
    case "endpoint":
    case "token":
    case "share_link":
    case "property_feed":
    case "guest_page":
    case "console":
    case "connector":
    case "image":
    case "registration":
    case "webhook_test":
      return "Too Many Attempts."
    case "oauth":
      return "Too many attempts."
    case "conversation":
      return `Too many requests. Try again in ${retryAfterSeconds} seconds.`
    case "endpoint_error":
      return "Too many invalid requests to this endpoint. They cannot succeed as sent: fix them instead of retrying."
  }
}

export const rateLimitHeaders = (admission: WindowsDecision): Readonly<Record<string, string>> =>
  admission._tag === "Refused"
    ? { ...rejectionHeaders(admission), ...standardFields(admission) }
    : standardFields(admission)

const rejectionHeaders = ({ bucket, retryAfterSeconds }: WindowsRejected) => ({
  "Retry-After": String(retryAfterSeconds),
  "X-RateLimit-Scope": bucket.scope,
  "X-RateLimit-Window": bucket.window.label,
  "X-RateLimit-Reason": `${bucket.scope} rate limit exceeded: ${bucket.max} requests per ${bucket.window.label}`
})

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10) of the window with the fewest calls
 * left, so that `r` more calls pass now.
 */
const standardFields = (admission: WindowsDecision): Readonly<Record<string, string>> => {
  if (admission._tag === "Refused") return fieldsOf(admission.bucket, 0, admission.retryAfterSeconds)
  const [first, ...others] = admission.remaining
  if (first === undefined) return {}
  const tightest = others.reduce(
    (best, next) =>
      next.remaining < best.remaining || (next.remaining === best.remaining && next.resetSeconds > best.resetSeconds)
        ? next
        : best,
    first
  )
  return fieldsOf(tightest.bucket, tightest.remaining, tightest.resetSeconds)
}

const fieldsOf = ({ max, scope, window }: Bucket, remaining: number, resetSeconds: number) => ({
  RateLimit: `"${scope}-${window.label}";r=${remaining};t=${resetSeconds}`,
  "RateLimit-Policy": `"${scope}-${window.label}";q=${max};w=${window.seconds}`
})
