import { decideAdmission, hasRoom, type WindowsDecision } from "./admission.ts"
import { type Bucket, type CountedLimit, type RateWindow, windowIndex } from "./rate-window.ts"

/**
 * Buckets of one window length a process remembers exactly (memory layer of the rate windows). Between this and twice
 * as many, the least recently used are forgotten first.
 */
export const LIVE_BUCKETS = 100_000

/** The counts of all buckets of one window length, for one window. */
interface Generations {
  index: number
  /** Until when, in seconds since 1970. */
  endSecond: number
  young: Map<string, number>
  old: Map<string, number>
}

/**
 * Counts of this process. All windows of one length end together, so expiry drops whole maps and no timer runs.
 *
 * The size is bounded whatever keys callers invent: once `live` buckets of one length are counted in one window, those
 * become the old generation, and the next time that happens the old ones not used since are forgotten. So up to `live`
 * distinct buckets of a length are counted exactly, and beyond that a forgotten one, which nobody used for at least `live`
 * others, starts again at 0. A bucket near its limit is in use and stays.
 */
export class MemoryCounters {
  readonly #live: number
  readonly #byLength = new Map<number, Generations>()
  #sweepAt = 0

  constructor(capacity: number = LIVE_BUCKETS) {
    this.#live = capacity
  }

  /** Checks all and counts `buckets` in one step: nothing runs between, for it is synchronous. */
  admit(buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>, nowMillis: number): WindowsDecision {
    return decideAdmission(buckets, peek, this.countIfRoom(buckets, peek, nowMillis), nowMillis)
  }

  /** The counts before this call, first of `buckets`, then of `peek`; `buckets` are counted if all had room. */
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

  /** Counts without asking whether there was room. */
  count(buckets: ReadonlyArray<CountedLimit>, nowMillis: number): void {
    this.#sweep(nowMillis)
    for (const bucket of buckets) this.#write(bucket, this.#read(bucket, nowMillis) + 1, nowMillis)
  }

  /** Takes back one count of each. */
  giveBack(buckets: ReadonlyArray<CountedLimit>, nowMillis: number): void {
    for (const bucket of buckets) {
      const count = this.#read(bucket, nowMillis)
      if (count > 0) this.#write(bucket, count - 1, nowMillis)
    }
  }

  /** Entries held, at most `live` a generation, two generations a window length. */
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
    // A full bucket is only read, never written, and must not be forgotten while its owner keeps knocking.
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

  /** A clock that was set back also starts anew: too lenient for one window, where keeping the future's counts could refuse for years. */
  #generations(window: RateWindow, nowMillis: number): Generations {
    const index = windowIndex(window, nowMillis)
    const current = this.#byLength.get(window.seconds)
    if (current !== undefined && current.index === index) return current
    const fresh = { index, endSecond: (index + 1) * window.seconds, young: new Map(), old: new Map() }
    this.#byLength.set(window.seconds, fresh)
    return fresh
  }

  /** Once a minute, what expired and was not asked for since. */
  #sweep(nowMillis: number): void {
    const now = nowMillis / 1_000
    if (now < this.#sweepAt && this.#sweepAt - now <= 60) return
    this.#sweepAt = now + 60
    for (const [seconds, { endSecond }] of this.#byLength) if (endSecond <= now) this.#byLength.delete(seconds)
  }
}
