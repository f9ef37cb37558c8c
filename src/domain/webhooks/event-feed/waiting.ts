import { Clock, Effect, type Latch, Option } from "effect"
import { awayFromPlace } from "../../../contract/away-from-place.ts"
import { RateLimited, type ServerError } from "../../../contract/errors.ts"
import type { NewEvents } from "../../../jobs/events/NewEvents.ts"
import type { Stopping } from "../../../jobs/Stopping.ts"
import { FEED_WAITS } from "../../../platform/limits.ts"

/** Milliseconds between two looks of one call that waits; what comes meanwhile is found together. */
export const FEED_LOOK_MS = 100

/** What waits for events stands on. */
export interface Waiting {
  readonly news: NewEvents["Service"]
  readonly stopping: Stopping["Service"]
  readonly seats: Seats
}

/** Who waits at once in this process: so many calls of each operator. */
export class Seats {
  readonly #taken = new Map<number, number>()

  /** Runs it in a seat of the operator; fails when there is none. */
  readonly within = <A, E, R>(operator: number, waiting: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const taken = this.#taken.get(operator) ?? 0
        if (taken >= FEED_WAITS) return tooMany
        this.#taken.set(operator, taken + 1)
        return Effect.void
      }),
      () => waiting,
      () => Effect.sync(() => this.#leave(operator))
    )

  #leave(operator: number): void {
    const left = (this.#taken.get(operator) ?? 0) - 1
    if (left <= 0) this.#taken.delete(operator)
    else this.#taken.set(operator, left)
  }
}

const tooMany = Effect.fail(
  new RateLimited({
    message: `wait: ${FEED_WAITS} calls of this operator already wait for events; retry later or without wait.`,
    headers: { "retry-after": "1" }
  })
)

/** One look at the feed: what it found, and whether that is worth an answer. */
interface Look<Found> {
  readonly found: Found
  readonly answers: boolean
}

/**
 * Looks until there is something to answer, for so many seconds, and then answers what there is. `look` is given what the
 * one before it found. The first word of something new is looked after at once, from then on FEED_LOOK_MS lie between two
 * looks. Ends at once when the process is asked to stop. Holds no place while it waits.
 */
export const waitFor = <Found, E>(
  { news, stopping, seats }: Waiting,
  operator: number,
  seconds: number,
  look: (before: Found | undefined) => Effect.Effect<Look<Found>, E>
): Effect.Effect<Found, E | RateLimited | ServerError> =>
  Effect.gen(function* () {
    const latch = yield* news.latch(operator)
    const first = yield* look(undefined)
    if (first.answers) return first.found
    const until = (yield* Clock.currentTimeMillis) + seconds * 1000
    return yield* seats.within(operator, again(first.found, { latch, stopping, until }, look))
  }).pipe(Effect.scoped)

interface Until {
  readonly latch: Latch.Latch
  readonly stopping: Stopping["Service"]
  readonly until: number
}

const again = <Found, E>(
  first: Found,
  { latch, stopping, until }: Until,
  look: (before: Found | undefined) => Effect.Effect<Look<Found>, E>
): Effect.Effect<Found, E | ServerError> =>
  Effect.gen(function* () {
    let found = first
    let notBefore = 0
    while (true) {
      const left = until - (yield* Clock.currentTimeMillis)
      const told = Effect.raceFirst(Effect.as(wordOf(latch, notBefore), true), Effect.as(stopping.begun, false))
      const news = yield* awayFromPlace(Effect.timeoutOption(told, Math.max(left, 0)))
      if (!Option.getOrElse(news, () => false)) return found
      // Closed before looking: what comes from here on is told again.
      yield* latch.close
      const next = yield* look(found)
      if (next.answers) return next.found
      found = next.found
      notBefore = (yield* Clock.currentTimeMillis) + FEED_LOOK_MS
    }
  })

/** Waits for word of something new, and until it is time to look. */
const wordOf = (latch: Latch.Latch, notBefore: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* latch.await
    const now = yield* Clock.currentTimeMillis
    if (now < notBefore) yield* Effect.sleep(notBefore - now)
  })
