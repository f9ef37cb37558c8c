import { Clock, Effect, type Latch, Option } from "effect"
import { RateLimited, type ServerError } from "../../../contract/errors.ts"
import { releasePermitWhile } from "../../../contract/permit-release.ts"
import type { NewEventNotifier } from "../../../jobs/events/NewEventNotifier.ts"
import type { Shutdown } from "../../../jobs/Shutdown.ts"
import { FEED_WAITING_READS_MAX } from "../../../platform/limits.ts"

export const FEED_POLL_GAP_MS = 100

export interface LongPollContext {
  readonly newEvents: NewEventNotifier["Service"]
  readonly shutdown: Shutdown["Service"]
  readonly permits: LongPollPermits
}

export class LongPollPermits {
  readonly #heldByOperator = new Map<number, number>()

  readonly withPermit = <A, E, R>(operatorId: number, poll: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const held = this.#heldByOperator.get(operatorId) ?? 0
        if (held >= FEED_WAITING_READS_MAX) return failTooManyWaiting
        this.#heldByOperator.set(operatorId, held + 1)
        return Effect.void
      }),
      () => poll,
      () => Effect.sync(() => this.#release(operatorId))
    )

  #release(operatorId: number): void {
    const remaining = (this.#heldByOperator.get(operatorId) ?? 0) - 1
    if (remaining <= 0) this.#heldByOperator.delete(operatorId)
    else this.#heldByOperator.set(operatorId, remaining)
  }
}

const failTooManyWaiting = Effect.fail(
  new RateLimited({
    message: `wait: ${FEED_WAITING_READS_MAX} calls of this operator already wait for events; retry later or without wait.`,
    headers: { "retry-after": "1" }
  })
)

interface PollResult<Page> {
  readonly page: Page
  readonly isReady: boolean
}

/**
 * Returns the first ready page, or the last page after `seconds` or at shutdown. Releases the caller's concurrency
 * permit while it waits.
 */
export const longPoll = <Page, E>(
  { newEvents, shutdown, permits }: LongPollContext,
  operatorId: number,
  seconds: number,
  poll: (previous: Page | undefined) => Effect.Effect<PollResult<Page>, E>
): Effect.Effect<Page, E | RateLimited | ServerError> =>
  Effect.gen(function* () {
    const latch = yield* newEvents.latch(operatorId)
    const firstResult = yield* poll(undefined)
    if (firstResult.isReady) return firstResult.page
    const deadline = (yield* Clock.currentTimeMillis) + seconds * 1000
    return yield* permits.withPermit(
      operatorId,
      pollUntilDeadline(firstResult.page, { latch, shutdown, deadline }, poll)
    )
  }).pipe(Effect.scoped)

interface LongPollDeadline {
  readonly latch: Latch.Latch
  readonly shutdown: Shutdown["Service"]
  readonly deadline: number
}

const pollUntilDeadline = <Page, E>(
  first: Page,
  { latch, shutdown, deadline }: LongPollDeadline,
  poll: (previous: Page | undefined) => Effect.Effect<PollResult<Page>, E>
): Effect.Effect<Page, E | ServerError> =>
  Effect.gen(function* () {
    let page = first
    let notBefore = 0
    while (true) {
      const remainingMs = deadline - (yield* Clock.currentTimeMillis)
      const wakeUp = Effect.raceFirst(
        Effect.as(awaitNewEvents(latch, notBefore), true),
        Effect.as(shutdown.awaitBegin, false)
      )
      const wakeUpResult = yield* releasePermitWhile(Effect.timeoutOption(wakeUp, Math.max(remainingMs, 0)))
      if (!Option.getOrElse(wakeUpResult, () => false)) return page
      // Closed before the poll, so that later events open it again.
      yield* latch.close
      const nextResult = yield* poll(page)
      if (nextResult.isReady) return nextResult.page
      page = nextResult.page
      notBefore = (yield* Clock.currentTimeMillis) + FEED_POLL_GAP_MS
    }
  })

const awaitNewEvents = (latch: Latch.Latch, notBefore: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* latch.await
    const now = yield* Clock.currentTimeMillis
    if (now < notBefore) yield* Effect.sleep(notBefore - now)
  })
