import { type Bucket, type CountedLimit, retryAfterSeconds, windowEndSecond } from "./rate-window.ts"

interface BucketRemainder {
  readonly bucket: Bucket
  readonly remaining: number
  readonly resetSeconds: number
}

interface WindowsAdmitted {
  readonly _tag: "Admitted"
  /** Time of the count in milliseconds, for `giveBack`. */
  readonly at: number
  readonly remaining: ReadonlyArray<BucketRemainder>
}

export interface WindowsRejected {
  readonly _tag: "Refused"
  /** The full bucket whose window ends last. */
  readonly bucket: Bucket
  readonly retryAfterSeconds: number
}

export type WindowsDecision = WindowsAdmitted | WindowsRejected

export const hasRoom = (counters: ReadonlyArray<CountedLimit>, counts: ReadonlyArray<number>): boolean =>
  counters.every(({ max }, index) => (counts[index] ?? 0) < max)

/** Rejects if any bucket was full before this call. `counts` has the counts of `buckets`, then of `peek`. */
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
