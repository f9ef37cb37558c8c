import { CONVERSATION_KEY } from "../../limits.ts"
import type { LimitOverrides, TokenLimits } from "./limit-overrides.ts"
import { type Bucket, type LimitScope, type Window, type WindowLabel, windowOf } from "./window.ts"

// The numbers of the specification's chapter Limits, layers 1 to 4. This file is their only home.

type Limits = { readonly [Label in WindowLabel]?: number }

/** Layer 1: per account, over all its tokens. */
export const userLimits = { "1m": 1_200, "10m": 6_000, "1h": 20_000, "24h": 100_000 } as const satisfies Limits

/**
 * Layer 2: per account and route template. The first row that fits gives a route its numbers; routes that share a row
 * (`POST /listings/*`) still have a bucket each. `GET …/airbnb/price_and_rules` reads live from the marketplace.
 */
export const endpointLimits: ReadonlyArray<{ readonly route: string; readonly limits: Limits }> = [
  { route: "POST /availabilities", limits: { "1m": 120 } },
  { route: "POST /listings/*", limits: { "1m": 120 } },
  { route: "GET /listings/airbnb/price_and_rules", limits: { "1m": 120 } },
  { route: "POST /reservations", limits: { "1m": 60 } },
  { route: "*", limits: { "1m": 600, "10m": 3_000, "1h": 10_000, "24h": 50_000 } }
]

/** Layer 3: messages per conversation, whoever of the operator's accounts sends them. */
export const conversationLimits = {
  "5s": 5,
  "60s": 10,
  "30m": 30,
  "2h": 60,
  "24h": 120
} as const satisfies Limits

/** Layer 4: calls that failed with 400 or 404, per account and route template. */
export const invalidCallLimits = { "1h": 500, "24h": 2_000 } as const satisfies Limits

/** The route of a path that no operation has. All such calls of an account share its buckets. */
export const UNMATCHED = "unmatched"

/** Whether an answer with this error_code uses up layer 4. A 429 never does, so it cannot extend a ban. */
export const countsAsInvalid = (errorCode: number): boolean => errorCode === 400 || errorCode === 404

const callWindows = [windowOf("1m"), windowOf("10m"), windowOf("1h"), windowOf("24h")] as const
const conversationWindows = [windowOf("5s"), windowOf("60s"), windowOf("30m"), windowOf("2h"), windowOf("24h")] as const
const invalidCallWindows = [windowOf("1h"), windowOf("24h")] as const
const tokenWindows = [windowOf("1m"), windowOf("1h")] as const

const fits = (row: string, route: string): boolean =>
  row.endsWith("*") ? route.startsWith(row.slice(0, -1)) : row === route

const sendsMessage = (route: string): boolean => /^POST \/conversations\/\{\w+\}$/.test(route)

export interface GatedCall {
  readonly operatorId: string | number | bigint
  readonly accountId: string | number | bigint
  readonly tokenId: string | number | bigint
  /** Method and path template below /v3, such as `POST /conversations/{conversation_id}`, or `unmatched`. */
  readonly route: string
  /** Only the route that sends messages looks at it. */
  readonly conversationId?: string | number | bigint | undefined
  readonly tokenLimits?: TokenLimits | undefined
  readonly overrides?: LimitOverrides | undefined
}

export interface CallBuckets {
  /** Layers 1 to 3 and the token's own: checked and counted when the call arrives. */
  readonly call: ReadonlyArray<Bucket>
  /** Layer 4: checked when the call arrives, counted when its answer `countsAsInvalid`. */
  readonly invalid: ReadonlyArray<Bucket>
}

/** The buckets of one call. All keys of an operator carry one hash tag, so a Redis cluster keeps them in one slot. */
export const bucketsOf = (call: GatedCall): CallBuckets => {
  const { overrides, route } = call
  const operator = `{op:${call.operatorId}}`
  const buckets: Array<Bucket> = []
  const invalid: Array<Bucket> = []

  add(buckets, "user", `${operator}:user:${call.accountId}`, callWindows, userLimits, overrides?.user)
  addEndpoint(buckets, `${operator}:endpoint:${call.accountId}:${route}`, route, overrides?.endpoint)
  if (call.tokenLimits !== undefined) {
    const ofAccount = { ...userLimits, ...overrides?.user }
    for (const window of tokenWindows) {
      const max = call.tokenLimits[window.label]
      if (max === undefined) continue
      const key = `${operator}:token:${call.tokenId}`
      buckets.push({ key, scope: "token", window, max: Math.min(max, ofAccount[window.label]) })
    }
  }
  if (call.conversationId !== undefined && sendsMessage(route)) {
    const key = `${operator}:conversation:${String(call.conversationId).slice(0, CONVERSATION_KEY)}`
    add(buckets, "conversation", key, conversationWindows, conversationLimits, overrides?.conversation)
  }
  const key = `${operator}:endpoint_error:${call.accountId}:${route}`
  add(invalid, "endpoint_error", key, invalidCallWindows, invalidCallLimits, overrides?.endpoint_error)
  return { call: buckets, invalid }
}

const add = (
  into: Array<Bucket>,
  scope: LimitScope,
  key: string,
  windows: ReadonlyArray<Window>,
  limits: Limits,
  override: Limits | undefined
): void => {
  for (const window of windows) {
    const max = override?.[window.label] ?? limits[window.label]
    if (max !== undefined) into.push({ key, scope, window, max })
  }
}

/** An override of the route itself comes before one of its row in the table. */
const addEndpoint = (into: Array<Bucket>, key: string, route: string, overrides: LimitOverrides["endpoint"]): void => {
  const row = endpointLimits.find((candidate) => fits(candidate.route, route))
  if (row === undefined) return
  const override = overrides === undefined ? undefined : { ...overrides[row.route], ...overrides[route] }
  add(into, "endpoint", key, callWindows, row.limits, override)
}
