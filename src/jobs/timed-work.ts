import { DateTime, Effect, FiberSet, Latch, Schedule } from "effect"
import { loop } from "./loop.ts"

// Timed work done once: something is due at a time, and is to be done once, by whichever process is there by then.
//
// It waits in a table of its kind, with `due_at`, `attempts` and `settled_at` (null: it waits). Whatever the kind, its
// statements keep four rules; this module keeps the rest.
// - Taking what is due counts its attempts up and puts its due_at off to the end of the lease (lease.ts). So it is out of
//   reach for others meanwhile, and due again by itself if the worker dies. Rows another worker has locked are skipped.
// - Settling sets settled_at; a failure that may be tried again sets due_at instead (retries.ts). Either is written down
//   only where settled_at is null and attempts are still the number that was taken: a worker that comes back after its
//   lease finds another number. An end that is true whoever reports it (it was done) need not ask for the number.
// - Handing back an attempt that was not begun makes it due, under the same condition. Attempts stay as they are: whoever
//   takes it next has another number. Only where they number the tries that are told (deliveries) they are counted down.
// - Each is one statement, and done twice (the database's answer was lost) it is done once.

/** Milliseconds between two polls for what time alone makes due: work, ends of leases. */
export const DUE_POLL_MS = 1_000
/** Tries to write down how an attempt ended, and the milliseconds between them: together less than the lease leaves. */
export const SETTLE_RETRIES = 8
export const SETTLE_RETRY_MS = 500
/** Milliseconds that what is under way gets when the process ends: then it is handed back. */
export const SHUTDOWN_MS = 1_500

/**
 * One attempt of what was taken. How it ended is written down even when the worker is being stopped; stopped before
 * that, it is handed back. When the database cannot be reached the lease runs out and it is attempted again.
 */
export const attemptOnce = <End, A, S, H>(work: {
  readonly attempt: Effect.Effect<End, never, A>
  readonly settle: (end: End) => Effect.Effect<void, never, S>
  readonly handBack: Effect.Effect<void, never, H>
}): Effect.Effect<void, never, A | S | H> =>
  Effect.uninterruptibleMask((restore) =>
    restore(work.attempt).pipe(
      Effect.onInterrupt(() => Effect.exit(work.handBack)),
      Effect.flatMap((end) => retried(work.settle(end)))
    )
  )

/** A connection that was cut is replaced within milliseconds; a longer absence is waited out by the lease. */
const retried = <R>(settling: Effect.Effect<void, never, R>) =>
  Effect.sandbox(settling).pipe(
    Effect.retry(Schedule.spaced(SETTLE_RETRY_MS).pipe(Schedule.upTo({ times: SETTLE_RETRIES }))),
    Effect.catch(Effect.failCause)
  )

/** A kind of timed work, as its worker needs to know it. */
export interface TimedWork<Taken, R> {
  /** For log lines: "taking deliveries". */
  readonly what: string
  /** How much of it may be under way at once in a process. */
  readonly room: number
  /** Takes up to `room` of what is due. */
  readonly take: (
    now: Date,
    room: number,
    underWay: ReadonlySet<Taken>
  ) => Effect.Effect<ReadonlyArray<Taken>, never, R>
  /** Attempts it once (`attemptOnce`). */
  readonly run: (taken: Taken) => Effect.Effect<void, never, R>
  /** Milliseconds between two polls, where it is not `DUE_POLL_MS`; and those at least, whatever changed or ended meanwhile. */
  readonly pollMs?: number
  readonly gapMs?: number
}

/**
 * The worker of a kind in one process. When the scope closes, what is under way gets a moment to end; the rest is handed
 * back, to be taken by whoever comes next.
 */
export const makeTimedWork = Effect.fnUntraced(function* <Taken, R>(kind: TimedWork<Taken, R>) {
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), SHUTDOWN_MS))
  const underWay = new Set<Taken>()
  const presently: ReadonlySet<Taken> = underWay
  // Opened by whatever may have made an attempt possible, so that the next poll need not wait for its turn.
  const changed = yield* Latch.make()
  const room = Effect.sync(() => Math.max(kind.room - underWay.size, 0))

  const start = (taken: Taken) =>
    Effect.suspend(() => {
      underWay.add(taken)
      return kind.run(taken).pipe(
        Effect.withTracerEnabled(true),
        Effect.interruptible,
        Effect.ensuring(
          Effect.sync(() => {
            underWay.delete(taken)
            changed.openUnsafe()
          })
        ),
        (running) => FiberSet.run(fibers, running)
      )
    })

  /** Not interrupted in between: what is taken is also started. */
  const startAll = (taking: Effect.Effect<ReadonlyArray<Taken>, never, R>) =>
    Effect.uninterruptible(Effect.flatMap(taking, (due) => Effect.forEach(due, start, { discard: true })))

  /** Starts what is due, as far as there is room. */
  const takeDue = Effect.gen(function* () {
    yield* changed.close
    const free = yield* room
    if (free > 0) yield* startAll(Effect.flatMap(DateTime.nowAsDate, (now) => kind.take(now, free, underWay)))
  })

  const { gapMs = 0, pollMs = DUE_POLL_MS } = kind
  const rested = Effect.andThen(
    Effect.sleep(gapMs),
    Effect.raceFirst(changed.await, Effect.sleep(Math.max(pollMs - gapMs, 0)))
  )

  return {
    takeDue,
    startAll,
    room,
    underWay: presently,
    /** Says that something may be due that was not. */
    changed: changed.open,
    /** Polls whenever something changed or ended, and from time to time; until the scope closes. */
    polling: Effect.forkScoped(loop(kind.what, Effect.andThen(takeDue, rested))),
    /** Waits until nothing is under way. */
    idle: FiberSet.awaitEmpty(fibers)
  }
})
