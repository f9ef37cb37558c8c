import { bucketsOf, type CallBuckets, type GatedCall } from "../windows/limit-table.ts"
import type { KnownToken } from "./Tokens.ts"

/** Buckets a process remembers, of one token and route each: the names of fourteen windows are long, and always the same. */
export const REMEMBERED_BUCKETS = 5_000

/**
 * The buckets of calls of a token to a route, made once for as long as its look-up is kept: limits may be others after
 * that. A conversation has its own and is not remembered. The first that was remembered is forgotten first.
 */
export const rememberBuckets = (most: number = REMEMBERED_BUCKETS) => {
  const remembered = new Map<string, { readonly token: KnownToken; readonly buckets: CallBuckets }>()

  const made = (token: KnownToken, call: Pick<GatedCall, "route" | "limits" | "conversationId">): CallBuckets =>
    bucketsOf({
      operatorId: token.operatorId,
      tokenId: token.tokenId,
      route: call.route,
      limits: call.limits,
      conversationId: call.conversationId,
      tokenLimits: token.tokenLimits ?? undefined,
      overrides: token.overrides ?? undefined
    })

  const of = (token: KnownToken, call: Pick<GatedCall, "route" | "limits" | "conversationId">): CallBuckets => {
    if (call.conversationId !== undefined) return made(token, call)
    const key = `${token.tokenId} ${call.route}`
    const known = remembered.get(key)
    if (known?.token === token) return known.buckets
    const buckets = made(token, call)
    if (known === undefined && remembered.size >= most) {
      const [first] = remembered.keys()
      if (first !== undefined) remembered.delete(first)
    }
    remembered.set(key, { token, buckets })
    return buckets
  }

  return {
    of,
    /** How many are remembered. */
    get size() {
      return remembered.size
    }
  }
}
