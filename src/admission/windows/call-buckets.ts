import type { CallLimits } from "../../contract/operation.ts"
import type { LimitOverrides, TokenLimits } from "./limit-overrides.ts"
import { type Bucket, type LimitScope, type RateWindow, type WindowLabel, windowOf } from "./rate-window.ts"

/** Longer conversation ids are cut, because keys must not grow with the input. */
export const CONVERSATION_KEY_LENGTH = 64

// Layers 1 to 4 of the specification (Limits), which calls the operator with all its accounts and tokens an "account".
// Operations declare the limits of single routes.

type Limits = { readonly [Label in WindowLabel]?: number }

/** Layer 1: per operator. */
const userLimits = { "1m": 1_200, "10m": 6_000, "1h": 20_000, "24h": 100_000 } as const satisfies CallLimits

/** Layer 2: per operator and route template, for routes without limits of their own. */
const endpointLimits = { "1m": 600, "10m": 3_000, "1h": 10_000, "24h": 50_000 } as const satisfies CallLimits

/** Layer 3: messages per conversation. */
export const conversationLimits = {
  "5s": 5,
  "60s": 10,
  "30m": 30,
  "2h": 60,
  "24h": 120
} as const satisfies Limits

/** Layer 4: calls that failed with 400 or 404, per operator and route template. */
const invalidCallLimits = { "1h": 500, "24h": 2_000 } as const satisfies Limits

export const UNMATCHED_ROUTE = "unmatched"

/** A 429 does not count towards layer 4, so it cannot prolong itself. */
export const countsAsInvalid = (errorCode: number): boolean => errorCode === 400 || errorCode === 404

/** True if nothing was sent. The call then does not count towards layer 3. */
export const countsAsUnsent = (errorCode: number): boolean =>
  errorCode === 400 || errorCode === 404 || errorCode === 422

const callWindows = [windowOf("1m"), windowOf("10m"), windowOf("1h"), windowOf("24h")] as const
const conversationWindows = [windowOf("5s"), windowOf("60s"), windowOf("30m"), windowOf("2h"), windowOf("24h")] as const
const invalidCallWindows = [windowOf("1h"), windowOf("24h")] as const
const tokenWindows = [windowOf("1m"), windowOf("1h")] as const

export interface RateLimitedCall {
  readonly operatorId: string | number | bigint
  readonly tokenId: string | number | bigint
  readonly route: string
  readonly limits?: CallLimits | undefined
  readonly conversationId?: string | number | bigint | undefined
  readonly tokenLimits?: TokenLimits | undefined
  readonly overrides?: LimitOverrides | undefined
}

export interface CallBuckets {
  /** Layers 1 to 3 and the token's own limits, checked and counted when the call arrives. */
  readonly call: ReadonlyArray<Bucket>
  /** Layer 3 alone. The counts are taken back if nothing was sent. */
  readonly conversation: ReadonlyArray<Bucket>
  /** Layer 4, checked when the call arrives and counted if its response `countsAsInvalid`. */
  readonly invalid: ReadonlyArray<Bucket>
}

/** All keys of an operator have one hash tag, so a Redis cluster stores them in one slot. */
export const bucketsOf = (call: RateLimitedCall): CallBuckets => {
  const { overrides, route } = call
  const operator = `{op:${call.operatorId}}`
  const buckets: Array<Bucket> = []
  const conversation: Array<Bucket> = []
  const invalid: Array<Bucket> = []

  addBuckets(buckets, "user", `${operator}:user`, callWindows, userLimits, overrides?.user)
  const endpoint = `${operator}:endpoint:${route}`
  addBuckets(buckets, "endpoint", endpoint, callWindows, call.limits ?? endpointLimits, endpointOverride(call))
  if (call.tokenLimits !== undefined) {
    const operatorLimits = { ...userLimits, ...overrides?.user }
    for (const window of tokenWindows) {
      const max = call.tokenLimits[window.label]
      if (max === undefined) continue
      const key = `${operator}:token:${call.tokenId}`
      buckets.push({ key, scope: "token", window, max: Math.min(max, operatorLimits[window.label]) })
    }
  }
  if (call.conversationId !== undefined) {
    const key = `${operator}:conversation:${String(call.conversationId).slice(0, CONVERSATION_KEY_LENGTH)}`
    addBuckets(conversation, "conversation", key, conversationWindows, conversationLimits, overrides?.conversation)
  }
  const key = `${operator}:endpoint_error:${route}`
  addBuckets(invalid, "endpoint_error", key, invalidCallWindows, invalidCallLimits, overrides?.endpoint_error)
  return { call: [...buckets, ...conversation], conversation, invalid }
}

const addBuckets = (
  buckets: Array<Bucket>,
  scope: LimitScope,
  key: string,
  windows: ReadonlyArray<RateWindow>,
  limits: Limits,
  override: Limits | undefined
): void => {
  for (const window of windows) {
    const max = override?.[window.label] ?? limits[window.label]
    if (max !== undefined) buckets.push({ key, scope, window, max })
  }
}

/**
 * The limits of an exact route override those of prefixes (`POST /listings/*`), and longer prefixes override shorter
 * ones. `*` covers routes without limits of their own.
 */
const endpointOverride = ({ route, limits, overrides }: RateLimitedCall): CallLimits | undefined => {
  const overridesByRoute = overrides?.endpoint
  if (overridesByRoute === undefined) return undefined
  const matchingTemplates = Object.keys(overridesByRoute).filter((row) =>
    row === "*" ? limits === undefined : row.endsWith("*") && route.startsWith(row.slice(0, -1))
  )
  const rows = [...matchingTemplates.sort((one, other) => one.length - other.length), route]
  return Object.assign({}, ...rows.map((row) => overridesByRoute[row]))
}
