import { Effect, type Latch } from "effect"

/**
 * Milliseconds between the end of a look and the next one, however often it is woken: in a burst a look then finds the
 * work of several changes, and looking takes a bounded part of the database from those who make them.
 */
export const LOOK_GAP_MS = 10

/**
 * One turn of a loop: looks, then waits until it is woken, `pollMs` at most. A look that answers true has left work
 * behind, and the next one follows at once.
 */
export const whenWoken = <R>(
  woken: Latch.Latch,
  look: Effect.Effect<boolean, never, R>,
  pollMs: number
): Effect.Effect<void, never, R> => {
  const rest = Effect.andThen(
    Effect.sleep(LOOK_GAP_MS),
    Effect.raceFirst(woken.await, Effect.sleep(Math.max(pollMs - LOOK_GAP_MS, 0)))
  )
  // Closed before looking: whoever wakes from here on may have changed what this look does not see any more.
  return Effect.andThen(
    woken.close,
    Effect.flatMap(look, (more) => (more ? Effect.yieldNow : rest))
  )
}
