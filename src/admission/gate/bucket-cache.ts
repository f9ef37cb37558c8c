import { bucketsOf, type CallBuckets, type RateLimitedCall } from "../windows/call-buckets.ts"
import type { StoredToken } from "./Tokens.ts"

const CACHED_BUCKETS = 5_000

/**
 * Caches the buckets of a token for each route. A new `StoredToken` object may have other limits, so its buckets are
 * computed again.
 */
export const makeBucketCache = (capacity: number = CACHED_BUCKETS) => {
  const cache = new Map<string, { readonly token: StoredToken; readonly buckets: CallBuckets }>()

  const makeBuckets = (
    token: StoredToken,
    call: Pick<RateLimitedCall, "route" | "limits" | "conversationId">
  ): CallBuckets =>
    bucketsOf({
      operatorId: token.operatorId,
      tokenId: token.tokenId,
      route: call.route,
      limits: call.limits,
      conversationId: call.conversationId,
      tokenLimits: token.tokenLimits ?? undefined,
      overrides: token.overrides ?? undefined
    })

  const bucketsFor = (
    token: StoredToken,
    call: Pick<RateLimitedCall, "route" | "limits" | "conversationId">
  ): CallBuckets => {
    if (call.conversationId !== undefined) return makeBuckets(token, call)
    const key = `${token.tokenId} ${call.route}`
    const cached = cache.get(key)
    if (cached?.token === token) return cached.buckets
    const buckets = makeBuckets(token, call)
    if (cached === undefined && cache.size >= capacity) {
      const [first] = cache.keys()
      if (first !== undefined) cache.delete(first)
    }
    cache.set(key, { token, buckets })
    return buckets
  }

  return {
    get: bucketsFor,
    get size() {
      return cache.size
    }
  }
}
