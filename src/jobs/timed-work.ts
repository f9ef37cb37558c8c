import { DateTime, Effect, FiberSet, Latch, Schedule } from "effect"
import { repeatForever } from "./loop.ts"

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
export const COMPLETION_RETRIES = 8
export const COMPLETION_RETRY_MS = 500
/** Milliseconds that what is under way gets when the process ends: then it is handed back. */
export const SHUTDOWN_MS = 1_500

/**
 * One attempt of what was taken. How it ended is written down even when the worker is being stopped; stopped before
 * that, it is handed back. When the database cannot be reached the lease runs out and it is attempted again.
 */
export const attemptOnce = <End, A, S, H>(work: {
  readonly attempt: Effect.Effect<End, never, A>
  readonly complete: (end: End) => Effect.Effect<void, never, S>
  readonly release: Effect.Effect<void, never, H>
}): Effect.Effect<void, never, A | S | H> =>
  Effect.uninterruptibleMask((restore) =>
    restore(work.attempt).pipe(
      Effect.onInterrupt(() => Effect.exit(work.release)),
      Effect.flatMap((end) => retryCompletion(work.complete(end)))
    )
  )

/** A connection that was cut is replaced within milliseconds; a longer absence is waited out by the lease. */
const retryCompletion = <R>(completion: Effect.Effect<void, never, R>) =>
  Effect.sandbox(completion).pipe(
    Effect.retry(Schedule.spaced(COMPLETION_RETRY_MS).pipe(Schedule.upTo({ times: COMPLETION_RETRIES }))),
    Effect.catch(Effect.failCause)
  )

/** A kind of timed work, as its worker needs to know it. */
interface TimedWork<Job, R> {
  /** For log lines: "taking deliveries". */
  readonly name: string
  /** How much of it may be under way at once in a process. */
  readonly maxInProgress: number
  /** Takes up to `freeSlots` of what is due. */
  readonly claim: (
    now: Date,
    freeSlots: number,
    inProgress: ReadonlySet<Job>
  ) => Effect.Effect<ReadonlyArray<Job>, never, R>
  /** Attempts it once (`attemptOnce`). */
  readonly run: (job: Job) => Effect.Effect<void, never, R>
  /** Milliseconds between two polls, where it is not `DUE_POLL_MS`; and those at least, whatever changed or ended meanwhile. */
  readonly pollMs?: number
  readonly gapMs?: number
}

/**
 * The worker of a kind in one process. When the scope closes, what is under way gets a moment to end; the rest is handed
 * back, to be taken by whoever comes next.
 */
export const makeTimedWorker = Effect.fnUntraced(function* <Job, R>(kind: TimedWork<Job, R>) {
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), SHUTDOWN_MS))
  const inProgress = new Set<Job>()
  const inProgressView: ReadonlySet<Job> = inProgress
  // Opened by whatever may have made an attempt possible, so that the next poll need not wait for its turn.
  const wakeUp = yield* Latch.make()
  const countFreeSlots = Effect.sync(() => Math.max(kind.maxInProgress - inProgress.size, 0))

  const startJob = (job: Job) =>
    Effect.suspend(() => {
      inProgress.add(job)
      return kind.run(job).pipe(
        Effect.withTracerEnabled(true),
        Effect.interruptible,
        Effect.ensuring(
          Effect.sync(() => {
            inProgress.delete(job)
            wakeUp.openUnsafe()
          })
        ),
        (runningJob) => FiberSet.run(fibers, runningJob)
      )
    })

  /** Not interrupted in between: what is taken is also started. */
  const startClaimed = (claim: Effect.Effect<ReadonlyArray<Job>, never, R>) =>
    Effect.uninterruptible(Effect.flatMap(claim, (jobs) => Effect.forEach(jobs, startJob, { discard: true })))

  /** Starts what is due, as far as there is room. */
  const claimDue = Effect.gen(function* () {
    yield* wakeUp.close
    const freeSlots = yield* countFreeSlots
    if (freeSlots > 0)
      yield* startClaimed(Effect.flatMap(DateTime.nowAsDate, (now) => kind.claim(now, freeSlots, inProgress)))
  })

  const { gapMs = 0, pollMs = DUE_POLL_MS } = kind
  const pause = Effect.andThen(
    Effect.sleep(gapMs),
    Effect.raceFirst(wakeUp.await, Effect.sleep(Math.max(pollMs - gapMs, 0)))
  )

  return {
    claimDue,
    startClaimed,
    countFreeSlots,
    inProgress: inProgressView,
    /** Says that something may be due that was not. */
    notifyChanged: wakeUp.open,
    /** Polls whenever something changed or ended, and from time to time; until the scope closes. */
    startPolling: Effect.forkScoped(repeatForever(kind.name, Effect.andThen(claimDue, pause))),
    /** Waits until nothing is under way. */
    awaitIdle: FiberSet.awaitEmpty(fibers)
  }
})
