import type { WindowsDecision } from "../../../../src/admission/windows/admission.ts"
import type { Bucket } from "../../../../src/admission/windows/rate-window.ts"

/** What the rate windows must answer, written as plainly as possible and never forgetting anything. */
export class RateWindowModel {
  readonly #counts = new Map<string, number>()

  admit(buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>, nowMillis: number): WindowsDecision {
    const wait = ({ window }: Bucket) => window.seconds - (Math.floor(nowMillis / 1_000) % window.seconds)
    const full = [...buckets, ...peek].filter((bucket) => this.#count(bucket, nowMillis) >= bucket.max)
    const longest = Math.max(...full.map(wait))
    const reported = full.find((bucket) => wait(bucket) === longest)
    if (reported !== undefined) return { _tag: "Refused", bucket: reported, retryAfterSeconds: longest }
    this.count(buckets, nowMillis)
    return {
      _tag: "Admitted",
      at: nowMillis,
      remaining: buckets.map((bucket) => ({
        bucket,
        remaining: bucket.max - this.#count(bucket, nowMillis),
        resetSeconds: wait(bucket)
      }))
    }
  }

  count(buckets: ReadonlyArray<Bucket>, nowMillis: number): void {
    for (const bucket of buckets) {
      this.#counts.set(toCellKey(bucket, nowMillis), this.#count(bucket, nowMillis) + 1)
    }
  }

  giveBack(buckets: ReadonlyArray<Bucket>, countedMillis: number): void {
    for (const bucket of buckets) {
      const cellKey = toCellKey(bucket, countedMillis)
      this.#counts.set(cellKey, Math.max((this.#counts.get(cellKey) ?? 0) - 1, 0))
    }
  }

  #count(bucket: Bucket, nowMillis: number): number {
    return this.#counts.get(toCellKey(bucket, nowMillis)) ?? 0
  }
}

const toCellKey = ({ key, window }: Bucket, nowMillis: number) =>
  `${key} ${window.label} ${Math.floor(nowMillis / 1_000 / window.seconds)}`
