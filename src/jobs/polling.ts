import { Effect, type Latch } from "effect"

/** Shortest pause between two polls. In a burst, one poll finds the jobs of several changes. */
export const POLL_GAP_MS = 10

/**
 * Polls once, then waits for a wake-up, at least `gapMs` and at most `pollMs`. If the poll returns true, the next one
 * follows at once. Run it in a loop.
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
  // The latch is closed before the poll, so that a change during the poll opens it again.
  return Effect.andThen(
    wakeUp.close,
    Effect.flatMap(poll, (hasMore) => (hasMore ? Effect.yieldNow : pause))
  )
}
