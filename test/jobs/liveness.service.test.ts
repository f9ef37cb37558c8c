import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Fiber, Latch, Random, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../src/jobs/job-queue.ts"
import { type AttemptEnd, defineJobs, runJob } from "../../src/jobs/job-runner.ts"
import { layerOwnDatabase } from "../support/own-database.ts"

// A model of the job module: a kind of job on a table of its own, with partitions, and workers that claim, complete, fail, release and
// die in any interleaving. The statements of the module run on the database.

const NOW = Date.parse("2027-04-20T10:00:00Z")
const LEASE_MS = 10_000
const MAX_ATTEMPTS = 3
/** Partitions by their account, and the jobs of each. */
const PARTITION_ACCOUNTS = [1, 1, 2]
const JOBS_PER_PARTITION = 3

const TABLE: JobTable<"partition"> = {
  table: "model_jobs",
  keyColumn: "partition",
  pendingCondition: "pending <> '{}'",
  operatorLimit: 3,
  accountLimit: 2,
  leaseMs: LEASE_MS
}

const ModelJob = Schema.Struct({
  ...claimedJobFields,
  partition: Schema.Int,
  account_id: Schema.Int,
  /** The first job of the partition. */
  job: Schema.Int
})
type ModelJob = typeof ModelJob.Type

const makeModelQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const queue = makeJobQueue(sql, TABLE, ModelJob, {
    returning: sql`j.operator_id, j.partition, j.account_id, j.attempts, j.failures, j.pending[1] AS job`
  })
  const endSql = (
    { job, now, ...claimed }: JobClaim & { readonly job: number; readonly now: Date },
    column: "done" | "dead"
  ) => sql`
      UPDATE model_jobs SET pending = pending[2:], failures = 0, due_at = ${now}, attempts = attempts + 1,
        ${sql.literal(column)} = ${sql.literal(column)} || ${job}::integer, ended = ended || ${job}::integer
      WHERE ${isClaimedCondition(sql, TABLE, claimed)}`
  /** Ends the first job of a claimed partition: done, or a dead letter. */
  const end = (claimed: ModelJob, column: "done" | "dead", now: Date) =>
    Effect.asVoid(Effect.orDie(endSql({ ...queue.toClaim(claimed), job: claimed.job, now }, column)))
  return { ...queue, end }
})

type ModelQueue = Effect.Success<typeof makeModelQueue>

const makeKind = (queue: ModelQueue, attempt: Effect.Effect<"completed" | "failed">) =>
  defineJobs({
    name: "a model",
    maxInProgress: 10,
    backoff: { firstMs: 1_000, longestMs: 60_000, jitter: 0.25 },
    maxAttempts: MAX_ATTEMPTS,
    queue: Effect.succeed(queue),
    attempt: (_job: ModelJob) => attempt,
    complete: (job, outcome, { now, nextAttemptOrDeadLetter }: AttemptEnd) => {
      if (outcome === "completed") return queue.end(job, "done", now)
      const nextAttempt = nextAttemptOrDeadLetter()
      return nextAttempt === undefined ? queue.end(job, "dead", now) : queue.postpone(job, nextAttempt)
    },
    toRootSpan: () => ({ name: "model", kind: "internal", attributes: () => ({}) }),
    notStoredMessage: "the outcome of a model job could not be saved",
    backlog: []
  })

type ModelStep =
  | { readonly step: "claim"; readonly maxJobs: number }
  | { readonly step: "complete" | "fail" | "release" | "die"; readonly nth: number }
  /** A worker that was believed dead comes back. */
  | { readonly step: "return"; readonly nth: number; readonly outcome: "completed" | "failed" }
  | { readonly step: "wait"; readonly ms: number }

const arbitraryStep: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ step: fc.constant("claim" as const), maxJobs: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ step: fc.constantFrom("complete", "fail", "release", "die"), nth: fc.nat(3) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant("return" as const),
      nth: fc.nat(3),
      outcome: fc.constantFrom("completed" as const, "failed" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ step: fc.constant("wait" as const), ms: fc.constantFrom(1, 1_500, LEASE_MS - 1, LEASE_MS) })
  }
)

interface Model {
  readonly queue: ModelQueue
  /** Claims whose worker lives, and those whose worker is believed dead. */
  readonly claimed: Array<{ readonly job: ModelJob; readonly leaseEnd: number }>
  readonly lost: Array<{ readonly job: ModelJob; readonly leaseEnd: number }>
}

const emptyTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE IF NOT EXISTS model_jobs (operator_id bigint NOT NULL, account_id bigint NOT NULL, partition bigint NOT NULL,
      due_at timestamptz NOT NULL, attempts bigint NOT NULL DEFAULT 0, failures bigint NOT NULL DEFAULT 0,
      pending integer[] NOT NULL, done integer[] NOT NULL DEFAULT '{}', dead integer[] NOT NULL DEFAULT '{}',
      ended integer[] NOT NULL DEFAULT '{}', PRIMARY KEY (operator_id, partition))`
  yield* sql`TRUNCATE model_jobs`
  yield* TestClock.setTime(NOW)
  const pending = `{${Array.from({ length: JOBS_PER_PARTITION }, (_, nth) => nth + 1).join(",")}}`
  for (const [partition, account] of PARTITION_ACCOUNTS.entries()) {
    yield* sql`
      INSERT INTO model_jobs (operator_id, account_id, partition, due_at, pending)
      VALUES (1, ${account}, ${partition}, ${new Date(NOW)}, ${pending}::integer[])`
  }
}).pipe(Effect.orDie)

/** Claims due jobs, none of which another worker may have within its lease. */
const claim = Effect.fnUntraced(function* (model: Model, maxJobs: number) {
  const now = yield* DateTime.nowAsDate
  const claims = [...model.claimed, ...model.lost]
  for (const job of yield* model.queue.claim(
    now,
    maxJobs,
    model.claimed.map(({ job: { operator_id, account_id } }) => ({ operator_id, account_id }))
  )) {
    const others = claims.filter((each) => each.job.partition === job.partition && each.leaseEnd > now.getTime())
    assert.deepStrictEqual(others, [], "a job runs twice at once")
    model.claimed.push({ job, leaseEnd: now.getTime() + LEASE_MS })
  }
})

/** Makes the attempt of a claim, with this outcome. */
const attempt = (model: Model, job: ModelJob, outcome: "completed" | "failed") =>
  runJob(makeKind(model.queue, Effect.succeed(outcome)), job)

/** Begins the attempt of a claim and stops its worker meanwhile. */
const release = Effect.fnUntraced(function* (model: Model, job: ModelJob) {
  const began = yield* Latch.make()
  const running = yield* Effect.forkChild(runJob(makeKind(model.queue, Effect.andThen(began.open, Effect.never)), job))
  yield* began.await
  yield* Fiber.interrupt(running)
})

const applyStep = Effect.fnUntraced(function* (model: Model, step: ModelStep) {
  switch (step.step) {
    case "claim":
      return yield* claim(model, step.maxJobs)
    case "wait":
      return yield* TestClock.adjust(step.ms)
    case "return": {
      const [returned] = model.lost.splice(step.nth % Math.max(model.lost.length, 1), 1)
      return returned === undefined ? undefined : yield* attempt(model, returned.job, step.outcome)
    }
    default: {
      const [ended] = model.claimed.splice(step.nth % Math.max(model.claimed.length, 1), 1)
      if (ended === undefined) return
      if (step.step === "die") return void model.lost.push(ended)
      if (step.step === "release") return yield* release(model, ended.job)
      return yield* attempt(model, ended.job, step.step === "complete" ? "completed" : "failed")
    }
  }
})

interface PartitionRow {
  readonly pending: ReadonlyArray<number>
  readonly done: ReadonlyArray<number>
  readonly dead: ReadonlyArray<number>
  readonly ended: ReadonlyArray<number>
}

const loadPartitions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<PartitionRow>`SELECT pending, done, dead, ended FROM model_jobs ORDER BY partition`
).pipe(Effect.orDie)

const ALL_JOBS = Array.from({ length: JOBS_PER_PARTITION }, (_, nth) => nth + 1)

/** Each job is pending or ended, once, and a partition ends its jobs in their order. */
const checkPartitions = Effect.map(loadPartitions, (partitions) => {
  for (const { pending, done, dead, ended } of partitions) {
    assert.deepStrictEqual([...ended, ...pending], ALL_JOBS, "a job is lost, repeated or out of order")
    assert.sameMembers([...done, ...dead], [...ended])
  }
  return partitions
})

/** From now on every attempt fails, or completes, and no worker dies. Each job ends. */
const finish = Effect.fnUntraced(function* (model: Model, outcome: "completed" | "failed") {
  const endBy = (yield* Clock.currentTimeMillis) + 60 * 60 * 1000
  while ((yield* Clock.currentTimeMillis) < endBy) {
    yield* claim(model, 10)
    for (const { job } of model.claimed.splice(0)) yield* attempt(model, job, outcome)
    if ((yield* checkPartitions).every(({ pending }) => pending.length === 0)) return
    yield* TestClock.adjust(LEASE_MS)
  }
  assert.fail("a job neither completed nor became a dead letter")
})

const holds = Effect.fnUntraced(function* (steps: ReadonlyArray<ModelStep>, outcome: "completed" | "failed") {
  yield* emptyTable
  const model: Model = { queue: yield* makeModelQueue, claimed: [], lost: [] }
  for (const step of steps) {
    yield* applyStep(model, step)
    yield* checkPartitions
  }
  yield* finish(model, outcome)
})

const seed = Date.now() % 2 ** 31

layer(layerOwnDatabase)(`whatever befalls the workers of a kind of job (seed ${seed})`, (it) => {
  it.effect(
    "each job completes or becomes a dead letter, never runs twice at once, and keeps the order of its partition",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof holds>>>()
        const run = Effect.runPromiseWith(context)
        const property = fc.asyncProperty(
          fc.array(arbitraryStep, { minLength: 5, maxLength: 40, size: "max" }),
          fc.constantFrom("completed" as const, "failed" as const),
          (steps, outcome) => run(Random.withSeed(Effect.scoped(holds(steps, outcome)), seed))
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: 60, seed, endOnFailure: true }))
      }),
    180_000
  )
})
