import { Context, DateTime, Effect, type Scope } from "effect"
import { awaitWritable } from "../platform/database/WriteAccess.ts"
import { repeatForever } from "./loop.ts"

/** The work that is due next. `count` tells whether a run made progress although `at` is the same. */
export interface NextDue {
  readonly at: Date
  readonly count: number
}

export interface ScheduledWork<R> {
  readonly name: string
  /** Includes its pauses, so that it can be repeated forever. */
  readonly iteration: Effect.Effect<void, never, R>
  /** Does what is due now and waits until it has ended. */
  readonly runDue: Effect.Effect<void, never, R>
  /**
   * The earliest due time, if it is not after `until`. It may be in the past. Absent for work that runs at intervals,
   * such as retention.
   */
  readonly findNextDue?: (until: Date) => Effect.Effect<NextDue | undefined, never, R>
}

/**
 * Starts background work. By default each work repeats in its own fiber. A test server collects the works instead
 * and runs them in the order in which they are due (OrderedWork.ts).
 */
export const WorkSchedule = Context.Reference<{
  readonly add: <R>(work: ScheduledWork<R>) => Effect.Effect<void, never, R | Scope.Scope>
}>("latchkey/jobs/WorkSchedule", {
  defaultValue: () => ({
    add: ({ name, iteration }) => Effect.asVoid(Effect.forkScoped(repeatForever(name, iteration)))
  })
})

export const scheduleWork = <R>(work: ScheduledWork<R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.flatMap(WorkSchedule, ({ add }) => add(work))

/** The first run is after `everyMs` milliseconds. */
export const repeatPeriodically = <R>(
  workName: string,
  everyMs: number,
  work: (now: Date) => Effect.Effect<void, never, R>,
  findNextDue?: ScheduledWork<R>["findNextDue"]
): Effect.Effect<void, never, R | Scope.Scope> => {
  const runDue = Effect.flatMap(DateTime.nowAsDate, work)
  return scheduleWork({
    name: workName,
    iteration: Effect.sleep(everyMs).pipe(Effect.andThen(awaitWritable), Effect.andThen(runDue)),
    runDue,
    ...(findNextDue === undefined ? {} : { findNextDue })
  })
}
