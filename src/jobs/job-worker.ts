import { DateTime, Effect, FiberSet, Latch } from "effect"
import { repeatForever } from "./loop.ts"

/** Milliseconds between two polls for what time alone makes due: jobs, ends of leases. */
export const DUE_POLL_MS = 1_000
/** Milliseconds that jobs in progress get when the process ends: then they are released. */
export const SHUTDOWN_MS = 1_500

/** How often a worker polls. */
export interface WorkerPolling {
  /** Milliseconds between two polls. Default: `DUE_POLL_MS`. */
  readonly pollMs?: number
  /** Milliseconds between two polls at least, whatever changed or ended meanwhile. Default: 0. */
  readonly gapMs?: number
}

/** What a worker needs of a kind of job. */
interface JobSource<Job, R> extends WorkerPolling {
  /** For log lines and metrics: "sending messages". */
  readonly name: string
  /** Jobs in progress at once in a process. */
  readonly maxInProgress: number
  /** Claims up to `freeSlots` due jobs. */
  readonly claim: (
    now: Date,
    freeSlots: number,
    inProgress: ReadonlySet<Job>
  ) => Effect.Effect<ReadonlyArray<Job>, never, R>
  /** Attempts a job once. */
  readonly run: (job: Job) => Effect.Effect<void, never, R>
}

/**
 * Makes the worker of a kind of job in one process. When the scope closes, jobs in progress get `SHUTDOWN_MS` to end. Then they are
 * released, for any worker to claim.
 */
export const makeJobWorker = Effect.fnUntraced(function* <Job, R>(kind: JobSource<Job, R>) {
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), SHUTDOWN_MS))
  const inProgress = new Set<Job>()
  const inProgressView: ReadonlySet<Job> = inProgress
  // Opened by whatever may have made a job claimable, so that the next poll follows at once.
  const wakeUp = yield* Latch.make()
  const countFreeSlots = Effect.sync(() => Math.max(kind.maxInProgress - inProgress.size, 0))

  const startJob = (job: Job) =>
    Effect.suspend(() => {
      inProgress.add(job)
      return Effect.suspend(() => kind.run(job)).pipe(
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

  /** Not interrupted in between: a claimed job is also started. */
  const startClaimed = (claim: Effect.Effect<ReadonlyArray<Job>, never, R>) =>
    Effect.uninterruptible(Effect.flatMap(claim, (jobs) => Effect.forEach(jobs, startJob, { discard: true })))

  /** Starts due jobs, as far as there is room. */
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
    /** Says that a job may be due by now. */
    notifyChanged: wakeUp.open,
    /** Polls whenever something changed or ended, and from time to time; until the scope closes. */
    startPolling: Effect.forkScoped(repeatForever(kind.name, Effect.andThen(claimDue, pause))),
    /** Waits until no job is in progress. */
    awaitIdle: FiberSet.awaitEmpty(fibers)
  }
})
