import { Worker } from "node:worker_threads"
import { Clock, Context, Effect, Exit, Layer, Option, Semaphore } from "effect"
import { CALENDAR_FEED_READ_MB, CALENDAR_FEED_READ_MS } from "../../../platform/limits.ts"
import type { Reading } from "./reading/feed.ts"
import type { ReadAsked } from "./reading/thread.ts"

/** Feeds that a process reads at once, each in a thread of its own: beside one that takes its time others go on. */
export const READING_THREADS = 2
/** Milliseconds a thread that has nothing to read is kept; what it has loaded and grown to goes with it. */
export const IDLE_THREAD_MS = 30_000
/** Megabytes of what a thread makes and drops at once: `serve` gives the process more than a feed is worth. */
const NURSERY_MB = 16

/**
 * Reads what calendars say, off the thread that answers calls: however much work a feed is, it takes the time of a thread that
 * is ended when it takes too long or too much room, and nobody else's.
 */
export class FeedReader extends Context.Service<
  FeedReader,
  { readonly read: (asked: ReadAsked) => Effect.Effect<Reading> }
>()("latchkey/resources/FeedReader") {
  static readonly layer = Layer.effect(
    FeedReader,
    Effect.gen(function* () {
      const threads = yield* makeThreads
      const turn = yield* Semaphore.make(READING_THREADS)
      const read = (asked: ReadAsked) =>
        Effect.acquireUseRelease(threads.take, (thread) => answerOf(thread, asked), threads.giveBack)
      return FeedReader.of({
        read: (asked) =>
          turn.withPermit(
            Effect.map(
              read(asked),
              Option.getOrElse(() => TOO_MUCH)
            )
          )
      })
    })
  )
}

const TOO_MUCH: Reading = { outcome: "broken", why: "it takes too long to read" }
const UNREADABLE: Reading = { outcome: "broken", why: "it cannot be read" }

interface Idle {
  readonly thread: Worker
  readonly since: number
}

const end = (thread: Worker) => Effect.promise(() => thread.terminate())

/** Threads that are made when they are needed, used again, and ended when nothing is read any more. */
const makeThreads = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const idle: Array<Idle> = []
  let isWatched = false
  const endIdle = (then: number) =>
    Effect.forEach(idle.splice(0, idle.findLastIndex(({ since }) => since <= then) + 1), ({ thread }) => end(thread), {
      discard: true
    })
  const endLater = Effect.gen(function* () {
    while (idle.length > 0) {
      yield* Effect.sleep(IDLE_THREAD_MS)
      yield* endIdle((yield* Clock.currentTimeMillis) - IDLE_THREAD_MS)
    }
    isWatched = false
  })
  const park = (thread: Worker) =>
    Effect.gen(function* () {
      idle.push({ thread, since: yield* Clock.currentTimeMillis })
      if (isWatched) return
      isWatched = true
      yield* Effect.forkIn(endLater, scope)
    })
  yield* Effect.addFinalizer(() => Effect.suspend(() => endIdle(Number.POSITIVE_INFINITY)))
  return {
    take: Effect.sync(() => idle.pop()?.thread ?? started()),
    /** One that has not answered is at work still, or broke. */
    giveBack: (thread: Worker, exit: Exit.Exit<Option.Option<Reading>>) =>
      Exit.isSuccess(exit) && Option.exists(exit.value, (reading) => reading !== UNREADABLE)
        ? park(thread)
        : end(thread)
  }
})

const started = (): Worker => {
  const thread = new Worker(new URL("./reading/thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: CALENDAR_FEED_READ_MB, maxYoungGenerationSizeMb: NURSERY_MB }
  })
  // What it fails with while nobody listens is found by whoever asks it next.
  thread.on("error", () => {})
  return thread
}

/** What a thread answers; none in the time there is. */
const answerOf = (thread: Worker, asked: ReadAsked): Effect.Effect<Option.Option<Reading>> =>
  Effect.callback<Reading>((resume) => {
    // It is asked again and again: what listens for one answer listens no longer than for that.
    const deaf = () => thread.off("message", answered).off("exit", ended)
    const answered = (reading: Reading) => {
      deaf()
      resume(Effect.succeed(reading))
    }
    // Out of memory, or something that the library did not expect.
    const ended = () => answered(UNREADABLE)
    thread.on("message", answered).on("exit", ended)
    thread.postMessage(asked)
    return Effect.sync(deaf)
  }).pipe(Effect.timeoutOption(CALENDAR_FEED_READ_MS))
