import { Clock, Duration, Effect } from "effect"

/** The real clock, on which no wait longer than that ever ends: what comes all the same did not depend on one. */
export const makeShortWaitClock = (milliseconds: number): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  return Object.assign(Object.create(real), {
    sleep: (duration: Duration.Duration) =>
      Duration.toMillis(duration) > milliseconds ? Effect.never : real.sleep(duration)
  })
}
