import { Console, Effect, Latch } from "effect"
import { supervising } from "./supervising.ts"

/** Opened by each SIGHUP from now on, which does nothing else to this process. */
const hangUps = Effect.gen(function* () {
  const hungUp = yield* Latch.make()
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const open = () => void hungUp.openUnsafe()
      process.on("SIGHUP", open)
      return open
    }),
    (open) => Effect.sync(() => process.off("SIGHUP", open))
  )
  return hungUp
})

/**
 * The process that has the port and so many workers: it starts those that ended anew, replaces all at each SIGHUP, counts
 * for them, and ends when it is interrupted and they have ended. One SIGHUP that comes during a rolling restart, or several, lead to one
 * more after it.
 */
export const parent = Effect.fnUntraced(function* (workers: number, drainSeconds: number) {
  const hungUp = yield* hangUps
  const { greeting, roll } = yield* supervising(workers, drainSeconds)
  yield* Console.log(greeting)
  return yield* Effect.forever(Effect.andThen(hungUp.await, Effect.andThen(hungUp.close, roll)))
}, Effect.scoped)
