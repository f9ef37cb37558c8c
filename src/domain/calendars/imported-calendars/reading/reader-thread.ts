import { parentPort } from "node:worker_threads"
import { type FeedReadOptions, readFeed } from "./feed.ts"

// Must import little of Effect, because every thread loads its own copy.

export interface FeedReadRequest extends FeedReadOptions {
  readonly bytes: Uint8Array
}

parentPort?.on("message", ({ bytes, ...options }: FeedReadRequest) => parentPort?.postMessage(readFeed(bytes, options)))
