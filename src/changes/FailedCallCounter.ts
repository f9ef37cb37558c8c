import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../contract/caller.ts"
import { repeatPeriodically } from "../jobs/loop.ts"
import { jsonParameter } from "../platform/database/parameters.ts"
import { REJECTION_KINDS_MAX } from "../platform/limits.ts"
import { anonymousFailedCalls } from "../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../platform/telemetry/metrics/metric-updates.ts"
import { type FailedCallCount, type FailedCallKey, makeFailedCallCounts, startOfHour } from "./failed-call-counts.ts"

/** Milliseconds between two times that counts are written down, what one of these may take, and what the last one gets. */
export const FAILED_CALLS_WRITE_MS = 5_000
export const FAILED_CALLS_TIMEOUT_MS = 10_000
const FINAL_WRITE_MS = 500
/** Counts one statement writes down. */
export const FAILED_CALLS_BATCH_ROWS = 1_000

/** Under what sign-ins that failed are counted: no token stands for the person, and the answer is what a call would get. */
const SIGN_IN = { application: "Latchkey", operation: "sign_in", errorCode: 401 }

/** Refusals that nobody can be named for. */
const anonymousFailures = anonymousFailedCalls.withLabels({})

/** A call that was refused; `by` is undefined where its token was never known. */
interface FailedCall {
  readonly caller: Pick<Caller, "operatorId" | "accountId" | "tokenName"> | undefined
  readonly operation: string
  readonly errorCode: number
}

/**
 * Counts what was refused, by operator, account, application, operation, error_code and hour. Counting waits for nothing
 * and cannot fail: the counts stand in memory, of a bounded number of kinds, and are written down every few seconds and
 * when the process ends. What a killed process had not written down is lost.
 */
export class FailedCallCounter extends Context.Service<
  FailedCallCounter,
  {
    readonly recordCall: (failedCall: FailedCall) => Effect.Effect<void>
    /** A sign-in that failed; undefined: no account has what was given as its name. */
    readonly recordSignIn: (account: Pick<Caller, "operatorId" | "accountId"> | undefined) => Effect.Effect<void>
  }
>()("latchkey/changes/FailedCallCounter") {
  /** Counts nothing. */
  static readonly layerNone = Layer.succeed(FailedCallCounter, {
    recordCall: () => Effect.void,
    recordSignIn: () => Effect.void
  })

  static readonly layer = Layer.effect(
    FailedCallCounter,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counts = makeFailedCallCounts(REJECTION_KINDS_MAX)
      const writeCounts = makeWriter(sql, counts)
      // Added before the loop begins, so that it runs after the loop has put back what it had in hand.
      yield* Effect.addFinalizer(() => writeFinally(writeCounts))
      yield* repeatPeriodically("saving refusals", FAILED_CALLS_WRITE_MS, () => writeCounts)

      const count = (kind: FailedCallKey) =>
        Effect.map(Clock.currentTimeMillis, (now) => counts.add({ ...kind, hour: startOfHour(now), times: 1 }))
      return FailedCallCounter.of({
        recordCall: ({ caller, operation, errorCode }) =>
          caller === undefined
            ? incrementCounter(anonymousFailures)
            : count({ ...toAccountKey(caller), application: caller.tokenName, operation, errorCode }),
        recordSignIn: (account) =>
          account === undefined ? incrementCounter(anonymousFailures) : count({ ...toAccountKey(account), ...SIGN_IN })
      })
    })
  )
}

const toAccountKey = ({ operatorId, accountId }: Pick<Caller, "operatorId" | "accountId">) => ({
  operatorId,
  accountId
})

/** Writes all counts down, a bounded number a statement; what could not be written down is counted on in memory. */
const makeWriter = (sql: SqlClient.SqlClient, counts: ReturnType<typeof makeFailedCallCounts>) => {
  const writeBatch = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const batch = counts.takeBatch(FAILED_CALLS_BATCH_ROWS)
      if (batch.length === 0) return Effect.succeed(0)
      return sql`${addCountsSql(sql, batch)}`.pipe(
        Effect.timeout(FAILED_CALLS_TIMEOUT_MS),
        restore,
        Effect.onError(() => Effect.sync(() => batch.forEach(counts.add))),
        Effect.as(batch.length),
        Effect.orDie
      )
    })
  )
  return Effect.gen(function* () {
    const uncountedTimes = counts.takeUncounted()
    if (uncountedTimes > 0)
      yield* Effect.annotateLogs(Effect.logWarning("refusals were counted without their details"), {
        times: uncountedTimes
      })
    while ((yield* writeBatch) >= FAILED_CALLS_BATCH_ROWS) yield* Effect.yieldNow
  })
}

/** When the process ends: nobody waits long for a count. */
const writeFinally = (write: Effect.Effect<void>) =>
  write.pipe(Effect.interruptible, Effect.timeoutOption(FINAL_WRITE_MS), Effect.withTracerEnabled(false), Effect.exit)

// In one order, so that two processes that write down the same counts never wait for each other in a circle.
const addCountsSql = (sql: SqlClient.SqlClient, counts: ReadonlyArray<FailedCallCount>) => sql`
  INSERT INTO refusals AS known (operator_id, hour, account_id, application, operation, error_code, times)
  SELECT "operatorId", to_timestamp(hour / 1000), "accountId", application, operation, "errorCode", times
  FROM jsonb_to_recordset(${jsonParameter(counts)}::jsonb) AS counted ("operatorId" bigint, hour bigint,
    "accountId" bigint, application text, operation text, "errorCode" integer, times bigint)
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (operator_id, hour, account_id, application, operation, error_code)
  DO UPDATE SET times = known.times + excluded.times`
