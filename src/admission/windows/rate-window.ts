import { Struct } from "effect"

// Fixed windows with boundary resets (specification, Limits). Boundaries are multiples of the window's length since
// 1970-01-01T00:00Z, so a day's window is the UTC day and every process agrees on them without talking.

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

/** What X-RateLimit-Window shows. Layer 3 counts "60 seconds" where layer 1 counts "1 minute", so both labels exist. */
export type WindowLabel = keyof typeof secondsByLabel

export const WINDOW_LABELS = Struct.keys(secondsByLabel)

export interface RateWindow {
  readonly label: WindowLabel
  readonly seconds: number
}

export const windowOf = <const Label extends WindowLabel>(label: Label) =>
  ({ label, seconds: secondsByLabel[label] }) as const

/**
 * `conversation` is ours: the specification does not say what a hit of layer 3 reports. Outside the layers `share_link` counts
 * who looks at a shared calendar, `property_feed` who reads the feed of a property, `connector` what a connector says, `image`
 * who looks at an image, `guest_page` who looks at the page of a stay or sends a form there, `console` what comes from one
 * address to its pages, and `webhook_test` who tries out a webhook. `oauth` counts secrets and verifiers that were wrong, and
 * `registration` who registers as a client.
 */
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

/**
 * One counter: at most `max` calls with this `key` in each window. The key says who is counted and where; the buckets of
 * one layer share it (a string hashed once), and with the window's length it names the counter.
 */
export interface Bucket {
  readonly key: string
  readonly scope: LimitScope
  readonly window: RateWindow
  readonly max: number
}

/** What counting needs of a bucket. */
export type CountedLimit = Pick<Bucket, "key" | "window" | "max">

export const windowIndex = (window: RateWindow, nowMillis: number): number =>
  Math.floor(nowMillis / 1_000 / window.seconds)

/** The first second of the next window, when all of this one's counts are forgotten. */
export const windowEndSecond = (window: RateWindow, nowMillis: number): number =>
  (windowIndex(window, nowMillis) + 1) * window.seconds

/** Whole seconds until the release. At least 1: a release lies on a whole second, strictly after now. */
export const retryAfterSeconds = (window: RateWindow, nowMillis: number): number =>
  windowEndSecond(window, nowMillis) - Math.floor(nowMillis / 1_000)

/** Those of `buckets` whose window has not ended since. */
export const bucketsStillOpen = (
  buckets: ReadonlyArray<Bucket>,
  sinceMillis: number,
  nowMillis: number
): ReadonlyArray<Bucket> =>
  buckets.filter(({ window }) => windowIndex(window, sinceMillis) === windowIndex(window, nowMillis))
