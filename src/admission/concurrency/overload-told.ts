import { Effect, Latch, type Scope } from "effect"
import { placesRefused } from "../../platform/telemetry/metrics/declared.ts"
import { note } from "../../platform/telemetry/metrics/measuring.ts"
import type { NoRoom } from "./FairPlaces.ts"

// What is said of calls that are refused at once: not a line or a count each, as there may be thousands a second.

/** Whose places they are, as metrics tell it. */
export type PlacesOf = "operators" | "strangers" | "console"

/** Milliseconds between two looks whether calls were refused, and looks without any after which an overload is over. */
export const LOOK_MS = 1_000
export const QUIET_LOOKS = 5

/** Counts what is refused, by what it answers; the log has a line when calls begin to be for overload, and one when that is over. */
export const announced = Effect.fnUntraced(function* (
  of: PlacesOf
): Effect.fn.Return<(why: NoRoom) => void, never, Scope.Scope> {
  const series = {
    "too many": placesRefused.of({ of, why: "too_many" }),
    overloaded: placesRefused.of({ of, why: "overloaded" })
  }
  const refused = { "too many": 0, overloaded: 0 }
  /** Of the present overload: all that were refused, and looks in a row without any. */
  let [all, quiet, lasts] = [0, 0, false]

  const counted = Effect.withFiber((fiber) => {
    for (const why of ["too many", "overloaded"] as const) {
      if (refused[why] > 0) note(fiber, series[why], refused[why])
      refused[why] = 0
    }
    return Effect.void
  })
  const told = (since: number): Effect.Effect<void> => {
    if (since === 0 && !lasts) return Effect.void
    all += since
    quiet = since === 0 ? quiet + 1 : 0
    if (!lasts) {
      lasts = true
      return Effect.logWarning(BEGUN)
    }
    if (quiet < QUIET_LOOKS) return Effect.void
    const said = Effect.annotateLogs(Effect.logInfo(OVER), { calls: all })
    ;[all, quiet, lasts] = [0, 0, false]
    return said
  }
  const look = Effect.suspend(() => {
    const since = refused.overloaded
    return Effect.andThen(counted, told(since))
  })

  // Nothing is looked at while nobody is refused.
  const some = yield* Latch.make()
  const turn = Effect.gen(function* () {
    yield* some.await
    yield* Effect.sleep(LOOK_MS)
    // Before the look: who is refused during it is seen by the next.
    yield* some.close
    yield* look
    if (lasts) yield* some.open
  })
  yield* Effect.forkScoped(Effect.forever(turn))
  return (why) => {
    refused[why]++
    some.openUnsafe()
  }
})

const BEGUN = "overload began: this process rejects calls that would wait too long (500 with Retry-After)"
const OVER = "overload ended: this process rejected no call for overload in the last seconds"
