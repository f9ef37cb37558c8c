import { MemoryCounters } from "../../admission/windows/memory-counters.ts"
import { type CountRequest, type CountResponse, decodeCounter } from "./worker-messages.ts"

/** A step is atomic, because it is synchronous. */
export const makeCountHandler = (): ((requests: ReadonlyArray<CountRequest>) => ReadonlyArray<CountResponse>) => {
  const counts = new MemoryCounters()
  const runStep = ({ act, buckets, peek, now }: CountRequest): ReadonlyArray<number> => {
    const counters = buckets.map(decodeCounter)
    if (act === "admit") return counts.countIfRoom(counters, peek.map(decodeCounter), now)
    if (act === "count") counts.count(counters, now)
    else counts.giveBack(counters, now)
    return []
  }
  return (requests) => requests.map((request) => ({ id: request.id, counts: runStep(request) }))
}
