import { Struct } from "effect"

// Fixed windows. The layers in these comments are those of the specification (Limits). Boundaries are multiples of the
// window's length since 1970-01-01T00:00Z, so all processes agree on them.

const secondsByLabel = {
  "5s": 5,
  "60s": 60,
  "1m": 60,
  "10m": 600,
  "30m": 1_800,
  "1h": 3_600,
  "2h": 7_200,
  "24h": 86_400
} as const

/** Values of X-RateLimit-Window. Layer 1 counts "1 minute" and layer 3 "60 seconds", so both labels exist. */
export type WindowLabel = keyof typeof secondsByLabel

export const WINDOW_LABELS = Struct.keys(secondsByLabel)

export interface RateWindow {
  readonly label: WindowLabel
  readonly seconds: number
}

export const windowOf = <const Label extends WindowLabel>(label: Label) =>
  ({ label, seconds: secondsByLabel[label] }) as const

/** The specification has no name for the scope of layer 3, so `conversation` is our own. */
export type LimitScope =
  | "user"
  | "endpoint"
  | "token"
  | "conversation"
  | "endpoint_error"
  | "share_link"
  | "property_feed"
  | "guest_page"
  | "console"
  | "connector"
  | "image"
  | "oauth"
  | "registration"
  | "webhook_test"

/** Allows at most `max` calls with this `key` in each window. Key and window identify the counter. */
export interface Bucket {
  readonly key: string
  readonly scope: LimitScope
  readonly window: RateWindow
  readonly max: number
}

export type CountedLimit = Pick<Bucket, "key" | "window" | "max">

export const windowIndex = (window: RateWindow, nowMillis: number): number =>
  Math.floor(nowMillis / 1_000 / window.seconds)

/** Returns the end in seconds since 1970. */
export const windowEndSecond = (window: RateWindow, nowMillis: number): number =>
  (windowIndex(window, nowMillis) + 1) * window.seconds

export const retryAfterSeconds = (window: RateWindow, nowMillis: number): number =>
  windowEndSecond(window, nowMillis) - Math.floor(nowMillis / 1_000)

export const bucketsStillOpen = (
  buckets: ReadonlyArray<Bucket>,
  sinceMillis: number,
  nowMillis: number
): ReadonlyArray<Bucket> =>
  buckets.filter(({ window }) => windowIndex(window, sinceMillis) === windowIndex(window, nowMillis))
