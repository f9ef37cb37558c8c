import { GCProfiler, getHeapStatistics } from "node:v8"
import { allocatedBytes } from "./figures.ts"

// Loaded before a server that the bench starts: tells, when asked, how many bytes of objects the process made since it
// was told to count. V8 says what its heap held before and after each collection; what is outside the heap (the bytes of
// buffers) is not in it. A collection costs some hundred microseconds more while it counts, so it counts only when told.

export interface Allocated {
  readonly allocated: number
}

let counting: { readonly profiler: GCProfiler; readonly heap: number } | undefined

const usedHeap = (): number => getHeapStatistics().used_heap_size

process.on("message", (message) => {
  if (message === "count allocation") {
    counting?.profiler.stop()
    counting = { profiler: new GCProfiler(), heap: usedHeap() }
    counting.profiler.start()
  }
  if (message === "allocation" && counting !== undefined) {
    const collections = counting.profiler.stop().statistics.map(({ beforeGC, afterGC }) => ({
      before: beforeGC.heapStatistics.usedHeapSize,
      after: afterGC.heapStatistics.usedHeapSize
    }))
    process.send?.({ allocated: allocatedBytes(counting.heap, collections, usedHeap()) } satisfies Allocated)
    counting = undefined
  }
})
process.channel?.unref()
