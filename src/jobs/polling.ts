import { Effect, type Latch } from "effect"

/**
 * Default milliseconds between two polls, however many wake-ups come. In a burst, one poll then finds the jobs of several changes, and
 * polling takes a bounded part of the database from the requests that make the changes.
 */
export const POLL_GAP_MS = 10

/**
 * Polls once, then waits for a wake-up, at least `gapMs` and at most `pollMs`. If the poll returns true there are more jobs, and the next
 * poll follows at once. Run it in a loop.
 */
export const pollWhenWoken = <R>(
  wakeUp: Latch.Latch,
  poll: Effect.Effect<boolean, never, R>,
  pollMs: number,
  gapMs = POLL_GAP_MS
): Effect.Effect<void, never, R> => {
  const pause = Effect.andThen(
    Effect.sleep(gapMs),
    Effect.raceFirst(wakeUp.await, Effect.sleep(Math.max(pollMs - gapMs, 0)))
  )
  // Closed before the poll: a later wake-up may be for a change that this poll does not see.
  return Effect.andThen(
    wakeUp.close,
    Effect.flatMap(poll, (hasMore) => (hasMore ? Effect.yieldNow : pause))
  )
}
