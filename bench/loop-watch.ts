import { performance } from "node:perf_hooks"

// Loaded before a server that the bench starts: tells, when asked, how long the event loop was held longest since it was
// asked last. A timer that is due every few milliseconds sees how late it comes, and what the thread did meanwhile.

const EVERY_MS = 2

export interface Hold {
  /** As others waited for it, in milliseconds; on a busy machine that is the neighbours' doing too. */
  readonly wall: number
  /** What the thread itself computed in one go, in milliseconds. */
  readonly processor: number
}

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let longest: Hold = { wall: 0, processor: 0 }
let before = { wall: performance.now(), processor: processorMs() }

setInterval(() => {
  const now = { wall: performance.now(), processor: processorMs() }
  longest = {
    wall: Math.max(longest.wall, now.wall - before.wall),
    processor: Math.max(longest.processor, now.processor - before.processor)
  }
  before = now
}, EVERY_MS).unref()

process.on("message", (message) => {
  if (message !== "longest hold") return
  // Once more through the loop: the timer must have seen what just ended.
  setTimeout(() => {
    process.send?.(longest)
    longest = { wall: 0, processor: 0 }
  }, 2 * EVERY_MS)
})
process.channel?.unref()
