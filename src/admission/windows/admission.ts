import { type Bucket, type Counter, releaseSecond, retryAfter } from "./window.ts"

/** What is left of one bucket after an admitted call. */
export interface Remaining {
  readonly bucket: Bucket
  readonly remaining: number
  /** Whole seconds until the bucket starts anew. */
  readonly resetSeconds: number
}

export interface Admitted {
  readonly _tag: "Admitted"
  /** When it was counted, in milliseconds: what is given back is given back there. */
  readonly at: number
  /** One entry a counted bucket, in the order given. */
  readonly remaining: ReadonlyArray<Remaining>
}

export interface Refused {
  readonly _tag: "Refused"
  /** Of all full buckets the one that releases last, of several such the first given. */
  readonly bucket: Bucket
  readonly retryAfterSeconds: number
}

export type Admission = Admitted | Refused

/** Whether all of them had room for one more. */
export const hasRoom = (counters: ReadonlyArray<Counter>, counts: ReadonlyArray<number>): boolean =>
  counters.every(({ max }, at) => (counts[at] ?? 0) < max)

/**
 * The rule of admission, the same for every layer: refused if any bucket was full before this call. `counts` are the
 * calls so far in each bucket's present window, first of `buckets`, then of `peek`.
 */
export const decide = (
  buckets: ReadonlyArray<Bucket>,
  peek: ReadonlyArray<Bucket>,
  counts: ReadonlyArray<number>,
  nowMillis: number
): Admission => {
  let last: Bucket | undefined
  let lastRelease = 0
  const checkFull = (bucket: Bucket, count: number): void => {
    if (count < bucket.max) return
    const release = releaseSecond(bucket.window, nowMillis)
    if (release > lastRelease) {
      last = bucket
      lastRelease = release
    }
  }
  buckets.forEach((bucket, at) => {
    checkFull(bucket, counts[at] ?? 0)
  })
  peek.forEach((bucket, at) => {
    checkFull(bucket, counts[buckets.length + at] ?? 0)
  })
  if (last !== undefined) {
    return { _tag: "Refused", bucket: last, retryAfterSeconds: retryAfter(last.window, nowMillis) }
  }
  return {
    _tag: "Admitted",
    at: nowMillis,
    remaining: buckets.map((bucket, at) => ({
      bucket,
      remaining: bucket.max - (counts[at] ?? 0) - 1,
      resetSeconds: retryAfter(bucket.window, nowMillis)
    }))
  }
}
