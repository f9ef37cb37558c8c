// Loaded before the service to cause LatchkeyMemory: after a while its heap is nearly full, as a leak would have it, and stays so.
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"
import { isMainThread } from "node:worker_threads"
import {
  computeHeapUtilization,
  computeYoungGenerationBytes,
  listProcessFlags
} from "../../src/platform/telemetry/metrics/heap-utilization.ts"

/** The share of the heap at which it stops: above the alert's 85 of 100, and with room to go on answering. */
const FULL = 0.88
/** Milliseconds until the service has started, and between two pieces of a mebibyte. */
const STARTED_MS = 6_000
const PIECE_MS = 2
const PIECE_NUMBERS = 2 ** 17

const held: Array<Array<number>> = []

const fill = (): void => {
  const most = getHeapStatistics().heap_size_limit - computeYoungGenerationBytes(listProcessFlags())
  if (computeHeapUtilization(getHeapSpaceStatistics(), most) < FULL) held.push(new Array(PIECE_NUMBERS).fill(0.5))
}

// Threads of the service load this too, and have little heaps of their own.
if (isMainThread) setTimeout(() => setInterval(fill, PIECE_MS).unref(), STARTED_MS).unref()
