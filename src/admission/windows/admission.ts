import { type Bucket, type CountedLimit, retryAfterSeconds, windowEndSecond } from "./rate-window.ts"

/** What is left of one bucket after an admitted call. */
interface BucketRemainder {
  readonly bucket: Bucket
  readonly remaining: number
  /** Whole seconds until the bucket starts anew. */
  readonly resetSeconds: number
}

interface WindowsAdmitted {
  readonly _tag: "Admitted"
  /** When it was counted, in milliseconds: what is given back is given back there. */
  readonly at: number
  /** One entry a counted bucket, in the order given. */
  readonly remaining: ReadonlyArray<BucketRemainder>
}

export interface WindowsRejected {
  readonly _tag: "Refused"
  /** Of all full buckets the one that releases last, of several such the first given. */
  readonly bucket: Bucket
  readonly retryAfterSeconds: number
}

export type WindowsDecision = WindowsAdmitted | WindowsRejected

/** Whether all of them had room for one more. */
export const hasRoom = (counters: ReadonlyArray<CountedLimit>, counts: ReadonlyArray<number>): boolean =>
  counters.every(({ max }, index) => (counts[index] ?? 0) < max)

/**
 * The rule of admission, the same for every layer: refused if any bucket was full before this call. `counts` are the
 * calls so far in each bucket's present window, first of `buckets`, then of `peek`.
 */
export const decideAdmission = (
  buckets: ReadonlyArray<Bucket>,
  peek: ReadonlyArray<Bucket>,
  counts: ReadonlyArray<number>,
  nowMillis: number
): WindowsDecision => {
  let lastFullBucket: Bucket | undefined
  let lastRelease = 0
  const checkFull = (bucket: Bucket, count: number): void => {
    if (count < bucket.max) return
    const release = windowEndSecond(bucket.window, nowMillis)
    if (release > lastRelease) {
      lastFullBucket = bucket
      lastRelease = release
    }
  }
  buckets.forEach((bucket, index) => {
    checkFull(bucket, counts[index] ?? 0)
  })
  peek.forEach((bucket, index) => {
    checkFull(bucket, counts[buckets.length + index] ?? 0)
  })
  if (lastFullBucket !== undefined) {
    return {
      _tag: "Refused",
      bucket: lastFullBucket,
      retryAfterSeconds: retryAfterSeconds(lastFullBucket.window, nowMillis)
    }
  }
  return {
    _tag: "Admitted",
    at: nowMillis,
    remaining: buckets.map((bucket, index) => ({
      bucket,
      remaining: bucket.max - (counts[index] ?? 0) - 1,
      resetSeconds: retryAfterSeconds(bucket.window, nowMillis)
    }))
  }
}
