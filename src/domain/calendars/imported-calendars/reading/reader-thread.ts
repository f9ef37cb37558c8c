import { parentPort } from "node:worker_threads"
import { type FeedReadOptions, readFeed } from "./feed.ts"

// The program of a thread that reads feeds, one after the other (FeedReader.ts). It loads no more of Effect than it needs: what
// a thread has loaded it has to itself.

/** One feed to be read. */
export interface FeedReadRequest extends FeedReadOptions {
  readonly bytes: Uint8Array
}

parentPort?.on("message", ({ bytes, ...options }: FeedReadRequest) => parentPort?.postMessage(readFeed(bytes, options)))
