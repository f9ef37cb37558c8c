import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../contract/caller.ts"
import { repeatPeriodically } from "../jobs/WorkSchedule.ts"
import { jsonParameter } from "../platform/database/parameters.ts"
import { clearAfterReset } from "../platform/database/ResetListeners.ts"
import { REJECTION_KINDS_MAX } from "../platform/limits.ts"
import { anonymousFailedCalls } from "../platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../platform/telemetry/metrics/metric-updates.ts"
import { type FailedCallCount, type FailedCallKey, makeFailedCallCounts, startOfHour } from "./failed-call-counts.ts"

export const FAILED_CALLS_WRITE_MS = 5_000
export const FAILED_CALLS_TIMEOUT_MS = 10_000
const FINAL_WRITE_MS = 500
export const FAILED_CALLS_BATCH_ROWS = 1_000

const SIGN_IN = { application: "Latchkey", operation: "sign_in", errorCode: 401 }

const anonymousFailures = anonymousFailedCalls.withLabels({})

/** `caller` is undefined if the token is unknown. */
interface FailedCall {
  readonly caller: Pick<Caller, "operatorId" | "accountId" | "tokenName"> | undefined
  readonly operation: string
  readonly errorCode: number
}

/**
 * Counts failed calls per hour. Counts are saved every few seconds and at shutdown, so a killed process loses its
 * latest counts.
 */
export class FailedCallCounter extends Context.Service<
  FailedCallCounter,
  {
    readonly recordCall: (failedCall: FailedCall) => Effect.Effect<void>
    readonly recordSignIn: (account: Pick<Caller, "operatorId" | "accountId"> | undefined) => Effect.Effect<void>
  }
>()("latchkey/changes/FailedCallCounter") {
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
      // Finalizers run in reverse order. So this one runs after the loop has ended and has put its batch back.
      yield* Effect.addFinalizer(() => writeFinally(writeCounts))
      yield* clearAfterReset(Effect.sync(() => counts.clear()))
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

const writeFinally = (write: Effect.Effect<void>) =>
  write.pipe(Effect.interruptible, Effect.timeoutOption(FINAL_WRITE_MS), Effect.withTracerEnabled(false), Effect.exit)

// The rows are ordered, so that two processes that save the same counts do not deadlock.
const addCountsSql = (sql: SqlClient.SqlClient, counts: ReadonlyArray<FailedCallCount>) => sql`
  INSERT INTO refusals AS known (operator_id, hour, account_id, application, operation, error_code, times)
  SELECT "operatorId", to_timestamp(hour / 1000), "accountId", application, operation, "errorCode", times
  FROM jsonb_to_recordset(${jsonParameter(counts)}::jsonb) AS counted ("operatorId" bigint, hour bigint,
    "accountId" bigint, application text, operation text, "errorCode" integer, times bigint)
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (operator_id, hour, account_id, application, operation, error_code)
  DO UPDATE SET times = known.times + excluded.times`
