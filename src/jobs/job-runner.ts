import { Cause, DateTime, Effect, Option, Random, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type RootSpan, recordFailure, withRootSpan } from "../platform/telemetry/spans.ts"
import type { ClaimedJob } from "./job-queue.ts"
import { makeJobWorker, type WorkerPolling } from "./job-worker.ts"
import { repeatForever } from "./loop.ts"
import { findNextDueJob } from "./next-due.ts"
import { type Backoff, backoffMs, nextAttemptAt } from "./retries.ts"
import { WakeUp } from "./WakeUp.ts"

/** All attempts to store an outcome must fit into the rest of the lease. */
export const COMPLETION_RETRIES = 8
export const COMPLETION_RETRY_MS = 500

export interface Backlog<Label extends string> {
  readonly kind: Label
  readonly statement: (sql: SqlClient.SqlClient, time: { readonly now: Date }) => Fragment
}

export interface AttemptEnd {
  readonly now: Date
  /** From 0 to 1. */
  readonly random: number
  /** Returns when a failed job is due again: after its backoff, and after at least `minMs`. */
  readonly nextAttempt: (minMs?: number) => Date
  /** As `nextAttempt`, but undefined if the job had its last attempt and is a dead letter. */
  readonly nextAttemptOrDeadLetter: (minMs?: number) => Date | undefined
}

/** The registry (service/job-kinds.ts) lists all kinds. Any number of processes may run a kind. */
export interface JobKind<Job extends ClaimedJob, Outcome, Q, A, C, Label extends string = string>
  extends WorkerPolling {
  /** For log lines and metrics, such as "sending messages". */
  readonly name: string
  readonly maxInProgress: number
  /** `maxAttempts` is unlimited by default. */
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
  /** Must take less time than the lease. */
  readonly attempt: (job: Job) => Effect.Effect<Outcome, never, A>
  /** Default: the job waits for the end of its lease. */
  readonly onDefect?: (cause: Cause.Cause<never>) => Effect.Effect<Outcome>
  /** Completes the job, postpones it or makes it a dead letter. Must be idempotent. */
  readonly complete: (job: Job, outcome: Outcome, end: AttemptEnd) => Effect.Effect<void, never, C>
  readonly toRootSpan: (job: Job, now: Date) => Omit<RootSpan<void, never>, "attributesAtEnd">
  readonly toLogAnnotations?: (job: Job) => Readonly<Record<string, unknown>>
  readonly notStoredMessage: string
  /** Default: polls by time only. */
  readonly wakeUpLoop?: { readonly name: string; readonly gapMs: number }
  readonly backlog: ReadonlyArray<Backlog<Label>>
}

export const defineJobs = <Job extends ClaimedJob, Outcome, Q, A, C, Label extends string>(
  kind: JobKind<Job, Outcome, Q, A, C, Label>
): JobKind<Job, Outcome, Q, A, C, Label> => kind

/**
 * The outcome is stored even at shutdown. If shutdown interrupts the attempt, the job is released. If the database is
 * unreachable, the job runs again after its lease.
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
  const toOutcome = (cause: Cause.Cause<never>): Effect.Effect<Option.Option<Outcome>> =>
    onDefect === undefined ? Effect.as(reportDefect(cause), Option.none()) : Effect.asSome(onDefect(cause))
  const work = attemptOnce({
    // `suspend` also catches an exception of `kind.attempt` itself.
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

export const makeJobRunner = <Job extends ClaimedJob, Outcome, Q, A, C>(kind: JobKind<Job, Outcome, Q, A, C>) =>
  Effect.flatMap(Effect.all([kind.queue, SqlClient.SqlClient]), ([{ claim }, sql]) =>
    makeJobWorker({
      ...kind,
      claim,
      run: (job: Job) => runJob(kind, job),
      findNextDue: (until) => findNextDueJob(sql, kind.backlog, until)
    })
  )

interface WakeableWorker<R> {
  readonly startPolling: Effect.Effect<unknown, never, R>
  readonly notifyChanged: Effect.Effect<unknown>
}

export const startWhenWoken = <R>(
  { startPolling, notifyChanged }: WakeableWorker<R>,
  { name, gapMs }: { readonly name: string; readonly gapMs: number }
): Effect.Effect<void, never, R | WakeUp | Scope.Scope> =>
  Effect.gen(function* () {
    const wakeUp = yield* Effect.flatMap(WakeUp, ({ latch }) => latch)
    yield* startPolling
    // The latch is closed before the poll, so that a change during the poll opens it again.
    const onWakeUp = Effect.andThen(wakeUp.await, Effect.andThen(wakeUp.close, notifyChanged))
    yield* Effect.forkScoped(repeatForever(name, Effect.andThen(onWakeUp, Effect.sleep(gapMs))))
  })

export const startJobs = <Job extends ClaimedJob, Outcome, Q, A, C>(kind: JobKind<Job, Outcome, Q, A, C>) =>
  Effect.flatMap(makeJobRunner(kind), (runner) =>
    kind.wakeUpLoop === undefined ? Effect.asVoid(runner.startPolling) : startWhenWoken(runner, kind.wakeUpLoop)
  )
