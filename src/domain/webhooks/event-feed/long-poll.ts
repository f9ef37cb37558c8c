import { Clock, Effect, type Latch, Option } from "effect"
import { RateLimited, type ServerError } from "../../../contract/errors.ts"
import { releasePermitWhile } from "../../../contract/permit-release.ts"
import type { NewEvents } from "../../../jobs/events/NewEvents.ts"
import type { Shutdown } from "../../../jobs/Shutdown.ts"
import { FEED_WAITING_READS } from "../../../platform/limits.ts"

/** Milliseconds between two looks of one call that waits; what comes meanwhile is found together. */
export const FEED_POLL_GAP_MS = 100

/** What waits for events stands on. */
export interface LongPollContext {
  readonly news: NewEvents["Service"]
  readonly stopping: Shutdown["Service"]
  readonly seats: LongPollPermits
}

/** Who waits at once in this process: so many calls of each operator. */
export class LongPollPermits {
  readonly #taken = new Map<number, number>()

  /** Runs it in a seat of the operator; fails when there is none. */
  readonly withPermit = <A, E, R>(operator: number, poll: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const taken = this.#taken.get(operator) ?? 0
        if (taken >= FEED_WAITING_READS) return tooManyWaiting
        this.#taken.set(operator, taken + 1)
        return Effect.void
      }),
      () => poll,
      () => Effect.sync(() => this.#leave(operator))
    )

  #leave(operator: number): void {
    const left = (this.#taken.get(operator) ?? 0) - 1
    if (left <= 0) this.#taken.delete(operator)
    else this.#taken.set(operator, left)
  }
}

const tooManyWaiting = Effect.fail(
  new RateLimited({
    message: `wait: ${FEED_WAITING_READS} calls of this operator already wait for events; retry later or without wait.`,
    headers: { "retry-after": "1" }
  })
)

/** One look at the feed: what it found, and whether that is worth an answer. */
interface PollResult<Page> {
  readonly found: Page
  readonly answers: boolean
}

/**
 * Looks until there is something to answer, for so many seconds, and then answers what there is. `poll` is given what the
 * one before it found. The first word of something new is looked after at once, from then on FEED_POLL_GAP_MS lie between two
 * looks. Ends at once when the process is asked to stop. Holds no place while it waits.
 */
export const longPoll = <Page, E>(
  { news, stopping, seats: permits }: LongPollContext,
  operator: number,
  seconds: number,
  poll: (previous: Page | undefined) => Effect.Effect<PollResult<Page>, E>
): Effect.Effect<Page, E | RateLimited | ServerError> =>
  Effect.gen(function* () {
    const latch = yield* news.latch(operator)
    const first = yield* poll(undefined)
    if (first.answers) return first.found
    const deadline = (yield* Clock.currentTimeMillis) + seconds * 1000
    return yield* permits.withPermit(operator, pollUntilDeadline(first.found, { latch, stopping, deadline }, poll))
  }).pipe(Effect.scoped)

interface LongPollDeadline {
  readonly latch: Latch.Latch
  readonly stopping: Shutdown["Service"]
  readonly deadline: number
}

const pollUntilDeadline = <Page, E>(
  first: Page,
  { latch, stopping, deadline }: LongPollDeadline,
  poll: (previous: Page | undefined) => Effect.Effect<PollResult<Page>, E>
): Effect.Effect<Page, E | ServerError> =>
  Effect.gen(function* () {
    let page = first
    let notBefore = 0
    while (true) {
      const left = deadline - (yield* Clock.currentTimeMillis)
      const wakeUp = Effect.raceFirst(
        Effect.as(awaitNews(latch, notBefore), true),
        Effect.as(stopping.awaitBegin, false)
      )
      const woken = yield* releasePermitWhile(Effect.timeoutOption(wakeUp, Math.max(left, 0)))
      if (!Option.getOrElse(woken, () => false)) return page
      // Closed before looking: what comes from here on is told again.
      yield* latch.close
      const next = yield* poll(page)
      if (next.answers) return next.found
      page = next.found
      notBefore = (yield* Clock.currentTimeMillis) + FEED_POLL_GAP_MS
    }
  })

/** Waits for word of something new, and until it is time to look. */
const awaitNews = (latch: Latch.Latch, notBefore: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* latch.await
    const now = yield* Clock.currentTimeMillis
    if (now < notBefore) yield* Effect.sleep(notBefore - now)
  })
