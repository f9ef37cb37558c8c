import { Effect, Latch, type Scope } from "effect"
import { permitRejections } from "../../platform/telemetry/metrics/metric-definitions.ts"
import { updateSeries } from "../../platform/telemetry/metrics/metric-updates.ts"
import type { NoRoom } from "./FairPlaces.ts"

// What is said of calls that are refused at once: not a line or a count each, as there may be thousands a second.

/** Whose places they are, as metrics tell it. */
export type PlacesOf = "operators" | "strangers" | "console"

/** Milliseconds between two looks whether calls were refused, and looks without any after which an overload is over. */
export const LOOK_MS = 1_000
const QUIET_LOOKS = 5

/** Counts what is refused, by what it answers; the log has a line when calls begin to be for overload, and one when that is over. */
export const announced = Effect.fnUntraced(function* (
  of: PlacesOf
): Effect.fn.Return<(reason: NoRoom) => void, never, Scope.Scope> {
  const series = {
    "too many": permitRejections.withLabels({ of, why: "too_many" }),
    overloaded: permitRejections.withLabels({ of, why: "overloaded" })
  }
  const rejectedCounts = { "too many": 0, overloaded: 0 }
  /** Of the present overload: all that were refused, and looks in a row without any. */
  let [totalRejected, quietPolls, isOverloaded] = [0, 0, false]

  const countRejections = Effect.withFiber((fiber) => {
    for (const reason of ["too many", "overloaded"] as const) {
      if (rejectedCounts[reason] > 0) updateSeries(fiber, series[reason], rejectedCounts[reason])
      rejectedCounts[reason] = 0
    }
    return Effect.void
  })
  const logOverload = (since: number): Effect.Effect<void> => {
    if (since === 0 && !isOverloaded) return Effect.void
    totalRejected += since
    quietPolls = since === 0 ? quietPolls + 1 : 0
    if (!isOverloaded) {
      isOverloaded = true
      return Effect.logWarning(BEGUN)
    }
    if (quietPolls < QUIET_LOOKS) return Effect.void
    const logEnd = Effect.annotateLogs(Effect.logInfo(OVER), { calls: totalRejected })
    ;[totalRejected, quietPolls, isOverloaded] = [0, 0, false]
    return logEnd
  }
  const poll = Effect.suspend(() => {
    const since = rejectedCounts.overloaded
    return Effect.andThen(countRejections, logOverload(since))
  })

  // Nothing is looked at while nobody is refused.
  const hasRejections = yield* Latch.make()
  const pollOnce = Effect.gen(function* () {
    yield* hasRejections.await
    yield* Effect.sleep(LOOK_MS)
    // Before the look: who is refused during it is seen by the next.
    yield* hasRejections.close
    yield* poll
    if (isOverloaded) yield* hasRejections.open
  })
  yield* Effect.forkScoped(Effect.forever(pollOnce))
  return (reason) => {
    rejectedCounts[reason]++
    hasRejections.openUnsafe()
  }
})

const BEGUN = "overload began: this process rejects calls that would wait too long (500 with Retry-After)"
const OVER = "overload ended: this process rejected no call for overload in the last seconds"
