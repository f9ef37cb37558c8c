import { Worker } from "node:worker_threads"
import { Clock, Context, Effect, Exit, Layer, Option, Semaphore } from "effect"
import { CALENDAR_FEED_READ_MB, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import type { FeedReadResult } from "./reading/feed.ts"
import type { FeedReadRequest } from "./reading/reader-thread.ts"

/** With two threads, one slow feed does not delay the others. */
export const READING_THREADS = 2
const IDLE_THREAD_MS = 30_000
/** Less than the young generation of the main thread (bin/flags.js). */
const YOUNG_GENERATION_MB = 16

/**
 * Reads feeds in worker threads, so that a large feed never blocks the event loop. Ends a thread that exceeds its time
 * or memory limit.
 */
export class FeedReader extends Context.Service<
  FeedReader,
  { readonly read: (request: FeedReadRequest) => Effect.Effect<FeedReadResult> }
>()("latchkey/domain/calendars/imported-calendars/FeedReader") {
  static readonly layer = Layer.effect(
    FeedReader,
    Effect.gen(function* () {
      const threadPool = yield* makeThreadPool
      const permits = yield* Semaphore.make(READING_THREADS)
      const read = (request: FeedReadRequest) =>
        Effect.acquireUseRelease(threadPool.acquire, (thread) => readInThread(thread, request), threadPool.release)
      return FeedReader.of({
        read: (request) =>
          permits.withPermit(
            Effect.map(
              read(request),
              Option.getOrElse(() => TOO_SLOW_RESULT)
            )
          )
      })
    })
  )
}

const TOO_SLOW_RESULT: FeedReadResult = { outcome: "broken", reason: "it takes too long to read" }
const UNREADABLE_RESULT: FeedReadResult = { outcome: "broken", reason: "it cannot be read" }

interface IdleThread {
  readonly thread: Worker
  readonly since: number
}

const terminateThread = (thread: Worker) => Effect.promise(() => thread.terminate())

const makeThreadPool = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const idle: Array<IdleThread> = []
  let isCleanupRunning = false
  const terminateIdle = (idleSince: number) =>
    Effect.forEach(
      idle.splice(0, idle.findLastIndex(({ since }) => since <= idleSince) + 1),
      ({ thread }) => terminateThread(thread),
      {
        discard: true
      }
    )
  const terminateIdleLater = Effect.gen(function* () {
    while (idle.length > 0) {
      yield* Effect.sleep(IDLE_THREAD_MS)
      yield* terminateIdle((yield* Clock.currentTimeMillis) - IDLE_THREAD_MS)
    }
    isCleanupRunning = false
  })
  const park = (thread: Worker) =>
    Effect.gen(function* () {
      idle.push({ thread, since: yield* Clock.currentTimeMillis })
      if (isCleanupRunning) return
      isCleanupRunning = true
      yield* Effect.forkIn(terminateIdleLater, scope)
    })
  yield* Effect.addFinalizer(() => Effect.suspend(() => terminateIdle(Number.POSITIVE_INFINITY)))
  return {
    acquire: Effect.sync(() => idle.pop()?.thread ?? startThread()),
    /** A thread without a result is still busy or has crashed, so it is terminated. */
    release: (thread: Worker, exit: Exit.Exit<Option.Option<FeedReadResult>>) =>
      Exit.isSuccess(exit) && Option.exists(exit.value, (reading) => reading !== UNREADABLE_RESULT)
        ? park(thread)
        : terminateThread(thread)
  }
})

const startThread = (): Worker => {
  const thread = new Worker(new URL("./reading/reader-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: CALENDAR_FEED_READ_MB, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }
  })
  // Without a listener, an error would be uncaught and end the process.
  thread.on("error", () => {})
  return thread
}

const readInThread = (thread: Worker, request: FeedReadRequest): Effect.Effect<Option.Option<FeedReadResult>> =>
  Effect.callback<FeedReadResult>((resume) => {
    const removeListeners = () => thread.off("message", onMessage).off("exit", onExit)
    const onMessage = (reading: FeedReadResult) => {
      removeListeners()
      resume(Effect.succeed(reading))
    }
    const onExit = () => onMessage(UNREADABLE_RESULT)
    thread.on("message", onMessage).on("exit", onExit)
    thread.postMessage(request)
    return Effect.sync(removeListeners)
  }).pipe(Effect.timeoutOption(CALENDAR_FEED_READ_MS))
