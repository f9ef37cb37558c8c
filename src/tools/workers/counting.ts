import { MemoryCounts } from "../../admission/windows/memory-counts.ts"
import { type Ask, received, type Told } from "./words.ts"

/**
 * Counts for all workers of a parent: exact on this machine, and forgotten when the parent ends. A step is one function
 * that waits for nothing, so no other worker's comes between.
 */
export const makeCounting = (): ((asks: ReadonlyArray<Ask>) => ReadonlyArray<Told>) => {
  const counts = new MemoryCounts()
  const step = ({ act, buckets, peek, now }: Ask): ReadonlyArray<number> => {
    const counters = buckets.map(received)
    if (act === "admit") return counts.counted(counters, peek.map(received), now)
    if (act === "count") counts.count(counters, now)
    else counts.giveBack(counters, now)
    return []
  }
  return (asks) => asks.map((ask) => ({ id: ask.id, counts: step(ask) }))
}
