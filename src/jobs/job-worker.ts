import { DateTime, Effect, FiberSet, Latch } from "effect"
import { type ScheduledWork, scheduleWork } from "./WorkSchedule.ts"

export const DUE_POLL_MS = 1_000
export const SHUTDOWN_MS = 1_500
/** Claims of a run of what is due. A job that is due again at once must not hold the run forever. */
export const CLAIMS_PER_RUN_MAX = 1_000

export interface WorkerPolling {
  readonly pollMs?: number
  readonly gapMs?: number
}

interface JobSource<Job, R> extends WorkerPolling {
  readonly name: string
  readonly maxInProgress: number
  readonly claim: (
    now: Date,
    freeSlots: number,
    inProgress: ReadonlySet<Job>
  ) => Effect.Effect<ReadonlyArray<Job>, never, R>
  readonly run: (job: Job) => Effect.Effect<void, never, R>
  readonly findNextDue?: ScheduledWork<R>["findNextDue"]
}

const pausePolling = ({ gapMs = 0, pollMs = DUE_POLL_MS }: WorkerPolling, wakeUp: Latch.Latch) =>
  Effect.andThen(Effect.sleep(gapMs), Effect.raceFirst(wakeUp.await, Effect.sleep(Math.max(pollMs - gapMs, 0))))

/** When the scope closes, jobs in progress get `SHUTDOWN_MS` to end, and are then released for any worker. */
export const makeJobWorker = Effect.fnUntraced(function* <Job, R>(kind: JobSource<Job, R>) {
  const fibers = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), SHUTDOWN_MS))
  const inProgress = new Set<Job>()
  const inProgressView: ReadonlySet<Job> = inProgress
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

  /** Uninterruptible, so that every claimed job is started. Returns the number of jobs. */
  const startClaimed = (claim: Effect.Effect<ReadonlyArray<Job>, never, R>): Effect.Effect<number, never, R> =>
    Effect.uninterruptible(
      Effect.flatMap(claim, (jobs) => Effect.as(Effect.forEach(jobs, startJob, { discard: true }), jobs.length))
    )

  const claimAtMost = Effect.fnUntraced(function* (maxJobs: number) {
    yield* wakeUp.close
    const slots = Math.min(yield* countFreeSlots, maxJobs)
    return slots === 0
      ? 0
      : yield* startClaimed(Effect.flatMap(DateTime.nowAsDate, (now) => kind.claim(now, slots, inProgress)))
  })
  const claimDue = claimAtMost(kind.maxInProgress)

  /**
   * Runs one job at a time, so that each run of a test has the same order. A job may make the next one due, such as
   * the next delivery of the same record.
   */
  const runDue = claimAtMost(1).pipe(
    // Also waits for jobs that another trigger started.
    Effect.tap(FiberSet.awaitEmpty(fibers)),
    Effect.repeat({ until: (count) => count === 0, times: CLAIMS_PER_RUN_MAX - 1 }),
    Effect.asVoid
  )

  return {
    claimDue,
    startClaimed,
    countFreeSlots,
    inProgress: inProgressView,
    notifyChanged: wakeUp.open,
    startPolling: scheduleWork({
      name: kind.name,
      iteration: Effect.andThen(claimDue, pausePolling(kind, wakeUp)),
      runDue,
      ...(kind.findNextDue === undefined ? {} : { findNextDue: kind.findNextDue })
    }),
    awaitIdle: FiberSet.awaitEmpty(fibers)
  }
})
