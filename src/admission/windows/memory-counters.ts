import { decideAdmission, hasRoom, type WindowsDecision } from "./admission.ts"
import { type Bucket, type CountedLimit, type RateWindow, windowIndex } from "./rate-window.ts"

/** Largest number of buckets of one window length that are always counted exactly. */
export const LIVE_BUCKETS = 100_000

interface Generations {
  index: number
  endSecond: number
  young: Map<string, number>
  old: Map<string, number>
}

/**
 * All windows of one length end together, so expiry drops whole maps without a timer. Memory is bounded: when
 * `capacity` buckets of a length are in the young generation, it replaces the old one, which is dropped.
 */
export class MemoryCounters {
  readonly #live: number
  readonly #byLength = new Map<number, Generations>()
  #sweepAt = 0

  constructor(capacity: number = LIVE_BUCKETS) {
    this.#live = capacity
  }

  /** Synchronous, so the check and the count are atomic. */
  admit(buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>, nowMillis: number): WindowsDecision {
    return decideAdmission(buckets, peek, this.countIfRoom(buckets, peek, nowMillis), nowMillis)
  }

  /** Returns the counts before this call, first of `buckets`, then of `peek`. */
  countIfRoom(
    buckets: ReadonlyArray<CountedLimit>,
    peek: ReadonlyArray<CountedLimit>,
    nowMillis: number
  ): ReadonlyArray<number> {
    this.#sweep(nowMillis)
    const all = peek.length === 0 ? buckets : [...buckets, ...peek]
    const counts = all.map((bucket) => this.#read(bucket, nowMillis))
    if (hasRoom(all, counts)) {
      buckets.forEach((bucket, index) => {
        this.#write(bucket, (counts[index] ?? 0) + 1, nowMillis)
      })
    }
    return counts
  }

  count(buckets: ReadonlyArray<CountedLimit>, nowMillis: number): void {
    this.#sweep(nowMillis)
    for (const bucket of buckets) this.#write(bucket, this.#read(bucket, nowMillis) + 1, nowMillis)
  }

  giveBack(buckets: ReadonlyArray<CountedLimit>, nowMillis: number): void {
    for (const bucket of buckets) {
      const count = this.#read(bucket, nowMillis)
      if (count > 0) this.#write(bucket, count - 1, nowMillis)
    }
  }

  clear(): void {
    this.#byLength.clear()
  }

  get size(): number {
    let size = 0
    for (const { young, old } of this.#byLength.values()) size += young.size + old.size
    return size
  }

  #read(bucket: CountedLimit, nowMillis: number): number {
    const { young, old } = this.#generations(bucket.window, nowMillis)
    const count = young.get(bucket.key)
    if (count !== undefined) return count
    const olderCount = old.get(bucket.key)
    if (olderCount === undefined) return 0
    // Moves the bucket to the young generation. A full bucket is only read, and must not be dropped while calls
    // continue.
    this.#write(bucket, olderCount, nowMillis)
    return olderCount
  }

  #write(bucket: CountedLimit, count: number, nowMillis: number): void {
    const generations = this.#generations(bucket.window, nowMillis)
    if (generations.young.size >= this.#live && !generations.young.has(bucket.key)) {
      generations.old = generations.young
      generations.young = new Map()
    }
    generations.young.set(bucket.key, count)
  }

  /**
   * Counts start anew in each window, also if the clock was set back. Otherwise counts of the future could reject calls
   * for years.
   */
  #generations(window: RateWindow, nowMillis: number): Generations {
    const index = windowIndex(window, nowMillis)
    const current = this.#byLength.get(window.seconds)
    if (current !== undefined && current.index === index) return current
    const fresh = { index, endSecond: (index + 1) * window.seconds, young: new Map(), old: new Map() }
    this.#byLength.set(window.seconds, fresh)
    return fresh
  }

  #sweep(nowMillis: number): void {
    const now = nowMillis / 1_000
    if (now < this.#sweepAt && this.#sweepAt - now <= 60) return
    this.#sweepAt = now + 60
    for (const [seconds, { endSecond }] of this.#byLength) if (endSecond <= now) this.#byLength.delete(seconds)
  }
}
