import { Context, Data, Effect, Layer, Semaphore } from "effect"
import { CurrentPool } from "../platform/database/statement-metrics.ts"
import { MovableClock } from "../platform/MovableClock.ts"
import { DUE_POLL_MS } from "./job-worker.ts"
import { repeatForever } from "./loop.ts"
import { WakeUp } from "./WakeUp.ts"
import { type NextDue, type ScheduledWork, WorkSchedule } from "./WorkSchedule.ts"

// Background work of a server for tests: one fiber runs all work in the order in which it is due, so that moving the
// clock gives the same result in one step as in many.

const DAY_MS = 24 * 60 * 60 * 1000
/** Longest time that one call may advance. */
export const ADVANCE_MAX_MS = 400 * DAY_MS
/** Work that makes further work due at once, again and again, ends here. */
export const ROUNDS_PER_INSTANT_MAX = 1_000
/** Pause before due work that cannot run yet, such as an event that waits for another, is tried again. It doubles. */
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60 * 60 * 1000

export class WorkNeverEnds extends Data.TaggedError("WorkNeverEnds")<{ readonly names: ReadonlyArray<string> }> {
  override get message(): string {
    return `background work makes itself due again without end: ${this.names.join(", ")}`
  }
}

type AnyWork = Omit<ScheduledWork<never>, "iteration">

/** Work without a due time runs once a day, at midnight UTC. */
class CollectedWork {
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
}

interface DueWork {
  readonly collected: CollectedWork
  readonly next: NextDue
}

const byDueTime = (one: DueWork, other: DueWork): number =>
  one.next.at.getTime() - other.next.at.getTime() || (one.collected.work.name < other.collected.work.name ? -1 : 1)

const describeDue = (due: ReadonlyArray<DueWork>): string =>
  due.map(({ collected, next }) => `${collected.work.name} ${next.at.getTime()} ${next.count}`).join("; ")

const nameOf = ({ collected }: DueWork): string => collected.work.name

const findDue = Effect.fnUntraced(function* (works: ReadonlyArray<CollectedWork>, until: number) {
  const due: Array<DueWork> = []
  for (const collected of works) {
    const next = yield* collected.findNextDue(until)
    if (next !== undefined) due.push({ collected, next })
  }
  return due.toSorted(byDueTime)
})

type Clock = MovableClock["Service"]

/**
 * Runs what is due until `target`, in order, and moves the clock from due time to due time. Due work that a run leaves
 * as it was, such as an event that waits for another, is tried again later. With a target in the past, it runs what is
 * due now and does not move the clock.
 */
const runUntil = Effect.fnUntraced(function* (clock: Clock, works: ReadonlyArray<CollectedWork>, target: number) {
  let [lastReady, rounds, retryMs] = ["", 0, FIRST_RETRY_MS]
  while (true) {
    const now = yield* clock.now
    const due = yield* findDue(works, Math.max(now, target))
    const ready = due.filter(({ next }) => next.at.getTime() <= now)
    const description = describeDue(ready)
    if (ready.length > 0 && description !== lastReady) {
      if (rounds++ === ROUNDS_PER_INSTANT_MAX) return yield* new WorkNeverEnds({ names: ready.map(nameOf) })
      lastReady = description
      for (const { collected } of ready) yield* collected.runDue(now)
      continue
    }
    if (now >= target) return
    const isBlocked = ready.length > 0
    const retryAt = isBlocked ? now + retryMs : target
    retryMs = isBlocked ? Math.min(2 * retryMs, LAST_RETRY_MS) : FIRST_RETRY_MS
    ;[lastReady, rounds] = ["", 0]
    yield* clock.stopAt(Math.min(target, retryAt, ...due.slice(ready.length).map(({ next }) => next.at.getTime())))
  }
})

/** The work keeps the services of the layer that adds it, until that layer ends. */
const collectInto = (works: Array<CollectedWork>, clock: Clock): (typeof WorkSchedule)["Service"] => ({
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
      const collected = new CollectedWork(own, yield* clock.now)
      yield* Effect.acquireRelease(
        Effect.sync(() => works.push(collected)),
        () => Effect.sync(() => works.splice(works.indexOf(collected), 1))
      )
    })
})

/** Statements of background work have no spans. */
const asBackgroundWork = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  work.pipe(Effect.withTracerEnabled(false), Effect.provideService(CurrentPool, "background"))

export class SteeredWork extends Context.Service<
  SteeredWork,
  {
    /** Moves the clock and runs what becomes due on the way. Returns the new time in milliseconds. */
    readonly advance: (milliseconds: number) => Effect.Effect<number, WorkNeverEnds>
    /** Runs an effect while no background work runs. */
    readonly pauseFor: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("latchkey/jobs/SteeredWork") {
  /** Also provides the {@link WorkSchedule} that collects all work. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const clock = yield* MovableClock
      const works: Array<CollectedWork> = []
      const lock = yield* Semaphore.make(1)
      const advance = Effect.fnUntraced(
        function* (milliseconds: number) {
          const start = yield* clock.now
          yield* clock.stopAt(start)
          yield* runUntil(clock, works, start + milliseconds)
          return yield* clock.now
        },
        Effect.ensuring(clock.run),
        asBackgroundWork,
        lock.withPermit
      )
      const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
      const runWhenWoken = Effect.gen(function* () {
        yield* wakeUp.close
        yield* lock.withPermit(Effect.orDie(runUntil(clock, works, 0)))
        yield* Effect.raceFirst(wakeUp.await, Effect.sleep(DUE_POLL_MS))
      })
      yield* Effect.forkScoped(repeatForever("running due work", runWhenWoken))
      return Context.empty().pipe(
        Context.add(SteeredWork, { advance, pauseFor: lock.withPermit }),
        Context.add(WorkSchedule, collectInto(works, clock))
      )
    })
  )
}
