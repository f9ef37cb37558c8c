import { Effect, type Latch } from "effect"

/**
 * Milliseconds between the end of a poll and the next one, however often it is woken, unless said otherwise: in a burst a poll then finds the
 * work of several changes, and polling takes a bounded part of the database from those who make them.
 */
export const POLL_GAP_MS = 10

/**
 * One turn of a loop: polls, then waits until it is woken, `gapMs` at least and `pollMs` at most. A poll that answers true has
 * left work behind, and the next one follows at once.
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
  // Closed before polling: whoever wakes from here on may have changed what this poll does not see any more.
  return Effect.andThen(
    wakeUp.close,
    Effect.flatMap(poll, (hasMore) => (hasMore ? Effect.yieldNow : pause))
  )
}
