import { Context, Data, Effect, type Latch, Layer, Random, Semaphore } from "effect"
import { clearAfterReset } from "../platform/database/ResetListeners.ts"
import { CurrentPool } from "../platform/database/statement-metrics.ts"
import { MovableClock } from "../platform/MovableClock.ts"
import { DUE_POLL_MS } from "./job-worker.ts"
import { repeatForever } from "./loop.ts"
import { WakeUp } from "./WakeUp.ts"
import { type NextDue, type ScheduledWork, WorkSchedule } from "./WorkSchedule.ts"

// Background work of a test server. One fiber runs all work in the order in which it is due. So moving the clock gives
// the same result in one step as in many. Only work that waits for something without a due time, such as the end
// of another lease, may be tried at other times.

const DAY_MS = 24 * 60 * 60 * 1000
/** Longest time that one call may advance. */
export const ADVANCE_MAX_MS = 400 * DAY_MS
/** Runs at one instant. At one more, work that makes itself due again at once ends with {@link WorkNeverEnds}. */
export const RUNS_PER_INSTANT_MAX = 1_000
/** Pause before due work that cannot run yet, such as an event that waits for another, is tried again. It doubles. */
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60 * 60 * 1000

const REPEATED_SEARCHES_MAX = 100

export class WorkNeverEnds extends Data.TaggedError("WorkNeverEnds")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    return `background work makes itself due again without end: ${this.names.join(", ")}`
  }
}

type AnyWork = Omit<ScheduledWork<never>, "iteration">

/** Work without a due time runs once a day, at midnight UTC. */
class RegisteredWork {
  readonly work: AnyWork
  #lastRunAt: number

  constructor(work: AnyWork, now: number) {
    this.work = work
    this.#lastRunAt = now
  }

  findNextDue(until: number): Effect.Effect<NextDue | undefined> {
    if (this.work.findNextDue !== undefined) return this.work.findNextDue(new Date(until))
    const midnight = (Math.floor(this.#lastRunAt / DAY_MS) + 1) * DAY_MS
    return Effect.succeed(midnight <= until ? { at: new Date(midnight), count: 1 } : undefined)
  }

  runDue(now: number): Effect.Effect<void> {
    return Effect.andThen(
      this.work.runDue,
      Effect.sync(() => {
        this.#lastRunAt = now
      })
    )
  }

  restartAt(now: number): void {
    this.#lastRunAt = now
  }
}

interface DueWork {
  readonly registered: RegisteredWork
  readonly next: NextDue
}

const byDueTime = (one: DueWork, other: DueWork): number =>
  one.next.at.getTime() - other.next.at.getTime() || (one.registered.work.name < other.registered.work.name ? -1 : 1)

const nameOf = ({ registered }: DueWork): string => registered.work.name

/** Concurrent, so that the database gets all statements at once. */
const findDue = (works: ReadonlyArray<RegisteredWork>, until: number): Effect.Effect<ReadonlyArray<DueWork>> =>
  Effect.forEach(
    works,
    (registered) =>
      Effect.map(registered.findNextDue(until), (next) => (next === undefined ? [] : [{ registered, next }])),
    { concurrency: "unbounded" }
  ).pipe(Effect.map((due) => due.flat().toSorted(byDueTime)))

const isSameDue = (one: NextDue, other: NextDue): boolean =>
  one.at.getTime() === other.at.getTime() && one.count === other.count

/** Counts the runs at one instant. */
class RunCounter {
  #runs = 0

  count(due: ReadonlyArray<DueWork>): Effect.Effect<void, WorkNeverEnds> {
    return Effect.suspend(() =>
      this.#runs++ < RUNS_PER_INSTANT_MAX ? Effect.void : new WorkNeverEnds({ names: due.map(nameOf) })
    )
  }
}

/**
 * Runs one work until nothing of it is due, or until a run changes nothing. Returns whether a run changed something. It
 * counts only what is due now: work that is due again tomorrow has made progress.
 */
const runWork = Effect.fnUntraced(function* (dueWork: DueWork, now: number, counter: RunCounter) {
  const { registered } = dueWork
  let next = yield* registered.findNextDue(now)
  let hasProgressed = false
  while (next !== undefined) {
    yield* counter.count([dueWork])
    yield* registered.runDue(now)
    const following: NextDue | undefined = yield* registered.findNextDue(now)
    if (following !== undefined && isSameDue(next, following)) break
    hasProgressed = true
    next = following
  }
  return hasProgressed
})

/** Jobs have no jitter, so that the times of a test are the same in each run. */
const NO_JITTER = Random.Random.of({ nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0.5 })

interface WorkContext {
  readonly clock: MovableClock["Service"]
  readonly works: ReadonlyArray<RegisteredWork>
  /** A change by a caller opens it. */
  readonly wakeUp: Latch.Latch
}

/**
 * Runs what is due until `target`, in order, and moves the clock from due time to due time. Due work that a run leaves
 * as it was, such as an event that waits for another, is tried again later. With a target in the past, it runs what is
 * due now and does not move the clock.
 */
const runUntil = Effect.fnUntraced(
  function* ({ clock, works, wakeUp }: WorkContext, target: number) {
    let due: ReadonlyArray<DueWork> = []
    let isOutdated = true
    let retryMs = FIRST_RETRY_MS
    let counter = new RunCounter()
    let repeatedSearches = 0
    while (true) {
      const now = yield* clock.now
      if (isOutdated || wakeUp.isOpen()) {
        // The latch is closed before the search, so that a change during the search opens it again.
        yield* wakeUp.close
        due = yield* findDue(works, Math.max(now, target))
      }
      const ready = due.filter(({ next }) => next.at.getTime() <= now)
      isOutdated = ready.length > 0
      let hasProgressed = false
      for (const dueWork of ready) hasProgressed = (yield* runWork(dueWork, now, counter)) || hasProgressed
      if (hasProgressed) continue
      // A caller has made a change during the search. Callers that never pause must not hold the clock.
      if (ready.length === 0 && wakeUp.isOpen() && repeatedSearches++ < REPEATED_SEARCHES_MAX) continue
      if (now >= target) return
      const retryAt = ready.length > 0 ? now + retryMs : target
      retryMs = ready.length > 0 ? Math.min(2 * retryMs, LAST_RETRY_MS) : FIRST_RETRY_MS
      counter = new RunCounter()
      repeatedSearches = 0
      yield* clock.stopAt(Math.min(target, retryAt, ...due.slice(ready.length).map(({ next }) => next.at.getTime())))
    }
  },
  Effect.provideService(Random.Random, NO_JITTER)
)

/** The work keeps the services of the layer that adds it, until that layer ends. */
const makeWorkSchedule = (
  works: Array<RegisteredWork>,
  clock: MovableClock["Service"]
): (typeof WorkSchedule)["Service"] => ({
  add: (work) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<Effect.Services<typeof work.runDue>>()
      const { findNextDue } = work
      const own: AnyWork = {
        name: work.name,
        runDue: Effect.provide(work.runDue, services),
        ...(findNextDue === undefined
          ? {}
          : { findNextDue: (until: Date) => Effect.provide(findNextDue(until), services) })
      }
      const registered = new RegisteredWork(own, yield* clock.now)
      yield* clearAfterReset(Effect.map(clock.now, (now) => registered.restartAt(now)))
      yield* Effect.acquireRelease(
        Effect.sync(() => works.push(registered)),
        () => Effect.sync(() => works.splice(works.indexOf(registered), 1))
      )
    })
})

/** Statements of background work have no spans. */
const asBackgroundWork = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  work.pipe(Effect.withTracerEnabled(false), Effect.provideService(CurrentPool, "background"))

export class OrderedWork extends Context.Service<
  OrderedWork,
  {
    /** Moves the clock and runs what becomes due on the way. Returns the new time in milliseconds. */
    readonly advance: (milliseconds: number) => Effect.Effect<number, WorkNeverEnds>
    /** Runs an effect while no background work runs. */
    readonly pauseFor: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("latchkey/jobs/OrderedWork") {
  /** Also provides the {@link WorkSchedule} that collects all work. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const clock = yield* MovableClock
      const works: Array<RegisteredWork> = []
      const lock = yield* Semaphore.make(1)
      const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
      const context: WorkContext = { clock, works, wakeUp }
      const advance = Effect.fnUntraced(
        function* (milliseconds: number) {
          const start = yield* clock.now
          yield* clock.stopAt(start)
          yield* runUntil(context, start + milliseconds)
          return yield* clock.now
        },
        Effect.ensuring(clock.run),
        asBackgroundWork,
        lock.withPermit
      )
      const runWhenWoken = Effect.andThen(
        lock.withPermit(Effect.orDie(runUntil(context, 0))),
        Effect.raceFirst(wakeUp.await, Effect.sleep(DUE_POLL_MS))
      )
      yield* Effect.forkScoped(repeatForever("running due work", runWhenWoken))
      return Context.empty().pipe(
        Context.add(OrderedWork, { advance, pauseFor: lock.withPermit }),
        Context.add(WorkSchedule, makeWorkSchedule(works, clock))
      )
    })
  )
}
