import { Effect, Latch } from "effect"
import type { CommonCounts } from "../../admission/windows/RateWindows.ts"
import type { Bucket } from "../../admission/windows/window.ts"
import { type Ask, sent, type Told } from "./words.ts"

/** Longest a call waits for the parent to count it, in milliseconds. It does nothing else, so this is a parent that was stopped. */
export const PARENT_PATIENCE = 200
/** Looks at what waits in that time: a pause of this process is one look late instead of the whole wait gone. */
const LOOKS = 4

/** How a worker asks its parent. */
export interface Asking {
  readonly say: (asks: ReadonlyArray<Ask>) => void
  /** Hands over what the parent says from now on. */
  readonly hear: (heard: (told: ReadonlyArray<Told>) => void) => void
}

interface Waiting {
  /** Looks before it. */
  readonly since: number
  readonly answer: (counts: ReadonlyArray<number> | undefined) => void
}

/**
 * Counts at the parent, with that of its other workers. Steps of one turn of the event loop go in one message. A parent
 * that does not answer in time is not asked again until it has answered: calls wait once, and what waits is bounded.
 */
export const makeCommonCounts = Effect.fnUntraced(function* ({ say, hear }: Asking) {
  const waiting = new Map<number, Waiting>()
  const someWait = yield* Latch.make()
  let unsaid: Array<Ask> = []
  let nextId = 0
  let silent = false
  let looks = 0

  hear((told) => {
    silent = false
    for (const { id, counts } of told) {
      waiting.get(id)?.answer(counts)
      waiting.delete(id)
    }
  })

  const flush = () => {
    const asks = unsaid
    unsaid = []
    say(asks)
  }

  const step = (act: Ask["act"], buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket>, now: number) =>
    Effect.callback<ReadonlyArray<number> | undefined>((resume) => {
      if (silent) return resume(Effect.succeed(undefined))
      const id = nextId++
      waiting.set(id, { since: looks, answer: (counts) => resume(Effect.succeed(counts)) })
      someWait.openUnsafe()
      if (unsaid.length === 0) setImmediate(flush)
      unsaid.push({ id, act, buckets: buckets.map(sent), peek: peek.map(sent), now })
      return Effect.sync(() => waiting.delete(id))
    })

  const look = Effect.gen(function* () {
    yield* someWait.await
    yield* Effect.sleep(PARENT_PATIENCE / LOOKS)
    looks++
    const [oldest] = waiting.values()
    if (oldest === undefined) return yield* someWait.close
    if (looks - oldest.since <= LOOKS) return
    silent = true
    for (const { answer } of waiting.values()) answer(undefined)
    waiting.clear()
    yield* Effect.logWarning(
      "the primary process does not respond: this worker counts its own rate-limit windows until it does"
    )
  })
  yield* Effect.forkScoped(Effect.forever(look))

  return {
    admitting: (buckets, peek, now) => step("admit", buckets, peek, now),
    always: (buckets, now) => step("count", buckets, [], now),
    givingBack: (buckets, now) => step("give back", buckets, [], now)
  } satisfies CommonCounts
})
