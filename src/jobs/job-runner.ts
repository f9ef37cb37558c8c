import { Cause, DateTime, Effect, Option, Random, Schedule, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type RootSpan, recordFailure, withRootSpan } from "../platform/telemetry/spans.ts"
import type { ClaimedJob } from "./job-queue.ts"
import { makeJobWorker, type WorkerPolling } from "./job-worker.ts"
import { repeatForever } from "./loop.ts"
import { type Backoff, backoffMs, nextAttemptAt } from "./retries.ts"
import { WakeUp } from "./WakeUp.ts"

/** Attempts to store an outcome, and the milliseconds between two of them: together less than the lease leaves. */
export const COMPLETION_RETRIES = 8
export const COMPLETION_RETRY_MS = 500

/** The due jobs that no worker has claimed. */
export interface Backlog<Label extends string> {
  /** Its label of the metrics. */
  readonly kind: Label
  /** Selects how many there are, and since when: a row `due`, `oldest_at`. */
  readonly statement: (sql: SqlClient, time: { readonly now: Date }) => Fragment
}

/** What the completion of an attempt may use. */
export interface AttemptEnd {
  readonly now: Date
  /** From 0 to 1. */
  readonly random: number
  /** When a failed job is due again: after the back-off of its kind, and after `minMs` milliseconds at least. */
  readonly nextAttempt: (minMs?: number) => Date
  /** The same; undefined if this was the last attempt that its kind allows, so that the job is a dead letter. */
  readonly nextAttemptOrDeadLetter: (minMs?: number) => Date | undefined
}

/**
 * A kind of job. One new file declares it; the registry (service/job-kinds.ts) lists it. Any number of processes on one database
 * may run it.
 */
export interface JobKind<Job extends ClaimedJob, Outcome, Q, A, C, Label extends string = string>
  extends WorkerPolling {
  /** For log lines and metrics: "sending messages". */
  readonly name: string
  /** Jobs in progress at once in a process. */
  readonly maxInProgress: number
  /** The pauses between the attempts of a failed job, and how many attempts it has (default: any number). */
  readonly backoff: Backoff
  readonly maxAttempts?: number
  readonly queue: Effect.Effect<
    {
      readonly claim: (
        now: Date,
        maxJobs: number,
        inProgress: ReadonlySet<Job>
      ) => Effect.Effect<ReadonlyArray<Job>, never, Q>
      readonly release: (job: Job, now: Date) => Effect.Effect<void, never, Q>
    },
    never,
    Q
  >
  /** Makes one attempt, in less time than the lease. */
  readonly attempt: (job: Job) => Effect.Effect<Outcome, never, A>
  /** Returns the outcome of an attempt that died. Default: the job waits for the end of its lease. */
  readonly onDefect?: (cause: Cause.Cause<never>) => Effect.Effect<Outcome>
  /** Stores the outcome: the job is complete, or postponed to its next attempt, or a dead letter. Idempotent. */
  readonly complete: (job: Job, outcome: Outcome, end: AttemptEnd) => Effect.Effect<void, never, C>
  /** The root span of an attempt. */
  readonly toRootSpan: (job: Job, now: Date) => Omit<RootSpan<void, never>, "attributesAtEnd">
  /** Annotates the log line of an outcome that could not be stored, and its text. */
  readonly toLogAnnotations?: (job: Job) => Readonly<Record<string, unknown>>
  readonly notStoredMessage: string
  /** The loop that polls when another process or request wakes this worker. Without it the worker polls by time only. */
  readonly wakeUpLoop?: { readonly name: string; readonly gapMs: number }
  readonly backlog: ReadonlyArray<Backlog<Label>>
}

/** Declares a kind of job. */
export const defineJobs = <Job extends ClaimedJob, Outcome, Q, A, C, Label extends string>(
  kind: JobKind<Job, Outcome, Q, A, C, Label>
): JobKind<Job, Outcome, Q, A, C, Label> => kind

/**
 * Attempts a job once. The outcome is stored even when the worker is being stopped; stopped before that, the job is released. When the
 * database cannot be reached, the lease runs out and the job is attempted again.
 */
export const attemptOnce = <Outcome, A, S, H>(work: {
  readonly attempt: Effect.Effect<Outcome, never, A>
  readonly complete: (outcome: Outcome) => Effect.Effect<void, never, S>
  readonly release: Effect.Effect<void, never, H>
}): Effect.Effect<void, never, A | S | H> =>
  Effect.uninterruptibleMask((restore) =>
    restore(work.attempt).pipe(
      Effect.onInterrupt(() => Effect.exit(work.release)),
      Effect.flatMap((outcome) => retryCompletion(work.complete(outcome)))
    )
  )

/** A connection that was cut is replaced within milliseconds; a longer absence is waited out by the lease. */
const retryCompletion = <R>(completion: Effect.Effect<void, never, R>) =>
  Effect.sandbox(completion).pipe(
    Effect.retry(Schedule.spaced(COMPLETION_RETRY_MS).pipe(Schedule.upTo({ times: COMPLETION_RETRIES }))),
    Effect.catch(Effect.failCause)
  )

const makeAttemptEnd = (
  { backoff, maxAttempts = Number.POSITIVE_INFINITY }: { readonly backoff: Backoff; readonly maxAttempts?: number },
  { failures }: ClaimedJob
) =>
  Effect.map(Effect.all([DateTime.nowAsDate, Random.next]), ([now, random]): AttemptEnd => {
    const nowMs = now.getTime()
    return {
      now,
      random,
      nextAttempt: (minMs = 0) => new Date(nowMs + Math.max(backoffMs(backoff, failures + 1, random), minMs)),
      nextAttemptOrDeadLetter: (minMs) => nextAttemptAt({ backoff, maxAttempts }, failures + 1, nowMs, random, minMs)
    }
  })

/** Makes one attempt of a claimed job, and stores its outcome. */
export const runJob = <Job extends ClaimedJob, Outcome, Q, A, C>(
  kind: JobKind<Job, Outcome, Q, A, C>,
  job: Job
): Effect.Effect<void, never, Q | A | C> => {
  const { onDefect } = kind
  const annotate = Effect.annotateLogs(kind.toLogAnnotations?.(job) ?? {})
  const reportDefect = (cause: Cause.Cause<never>) =>
    Effect.andThen(
      recordFailure("defect"),
      annotate(Effect.logError(`${kind.name}: an attempt failed with a defect`, cause))
    )
  // Without an outcome the job waits for the end of its lease.
  const toOutcome = (cause: Cause.Cause<never>): Effect.Effect<Option.Option<Outcome>> =>
    onDefect === undefined ? Effect.as(reportDefect(cause), Option.none()) : Effect.asSome(onDefect(cause))
  const work = attemptOnce({
    // A throw of `attempt` itself is a defect of the attempt, too.
    attempt: Effect.suspend(() => kind.attempt(job)).pipe(
      Effect.asSome,
      Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), toOutcome)
    ),
    complete: Option.match({
      onNone: () => Effect.void,
      onSome: (outcome) => Effect.flatMap(makeAttemptEnd(kind, job), (end) => kind.complete(job, outcome, end))
    }),
    release: Effect.flatMap(kind.queue, ({ release }) => Effect.flatMap(DateTime.nowAsDate, (now) => release(job, now)))
  })
  return Effect.flatMap(DateTime.nowAsDate, (now) => withRootSpan(kind.toRootSpan(job, now), work)).pipe(
    Effect.catchCause((cause) => annotate(Effect.logWarning(kind.notStoredMessage, cause)))
  )
}

/** Claims due jobs of a kind and runs them, as its worker is told to. */
export const makeJobRunner = <Job extends ClaimedJob, Outcome, Q, A, C>(kind: JobKind<Job, Outcome, Q, A, C>) =>
  Effect.flatMap(kind.queue, ({ claim }) => makeJobWorker({ ...kind, claim, run: (job: Job) => runJob(kind, job) }))

/** A worker, as far as waking it goes. */
interface WakeableWorker<R> {
  readonly startPolling: Effect.Effect<unknown, never, R>
  readonly notifyChanged: Effect.Effect<unknown>
}

/** Lets a worker poll until the scope closes, and when it is woken, then not again for `gapMs` however much changes. */
export const startWhenWoken = <R>(
  { startPolling, notifyChanged }: WakeableWorker<R>,
  { name, gapMs }: { readonly name: string; readonly gapMs: number }
): Effect.Effect<void, never, R | WakeUp | Scope.Scope> =>
  Effect.gen(function* () {
    const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    yield* startPolling
    // Closed before it polls: a change from here on may be one that the poll does not see. The next poll makes up for a lost wake-up.
    const onWakeUp = Effect.andThen(wakeUp.await, Effect.andThen(wakeUp.close, notifyChanged))
    yield* Effect.forkScoped(repeatForever(name, Effect.andThen(onWakeUp, Effect.sleep(gapMs))))
  })

/** Runs the jobs of a kind until the scope closes: it polls for what time makes due, and when it is woken. */
export const startJobs = <Job extends ClaimedJob, Outcome, Q, A, C>(kind: JobKind<Job, Outcome, Q, A, C>) =>
  Effect.flatMap(makeJobRunner(kind), (runner) =>
    kind.wakeUpLoop === undefined ? Effect.asVoid(runner.startPolling) : startWhenWoken(runner, kind.wakeUpLoop)
  )
