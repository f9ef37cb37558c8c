import type { Caller } from "../../contract/caller.ts"
import { REJECTED_TOKEN_MS, REJECTED_TOKENS_MAX } from "../../platform/limits.ts"
import { computeDigestHex, readToken } from "./credentials.ts"

type Headers = Readonly<Record<string, string | undefined>>

interface RecentRejection {
  readonly caller: Caller
  readonly until: number
}

/**
 * Callers whose calls were rejected for overload in the last REJECTED_TOKEN_MS. Keyed by digest, so that no token stays
 * in memory.
 */
export class RecentRejections {
  readonly #most: number
  readonly #byDigest = new Map<string, RecentRejection>()

  constructor(capacity: number = REJECTED_TOKENS_MAX) {
    this.#most = capacity
  }

  record(headers: Headers, caller: Caller, now: number): void {
    const token = readToken(headers)
    if (token === undefined) return
    const digest = computeDigestHex(token)
    this.#byDigest.delete(digest)
    for (const [oldest, { until }] of this.#byDigest) {
      if (this.#byDigest.size < this.#most && until > now) break
      this.#byDigest.delete(oldest)
    }
    this.#byDigest.set(digest, { caller, until: now + REJECTED_TOKEN_MS })
  }

  clear(): void {
    this.#byDigest.clear()
  }

  find(headers: Headers, now: number): Caller | undefined {
    if (this.#byDigest.size === 0) return undefined
    const token = readToken(headers)
    const rejection = token === undefined ? undefined : this.#byDigest.get(computeDigestHex(token))
    return rejection !== undefined && rejection.until > now ? rejection.caller : undefined
  }
}
