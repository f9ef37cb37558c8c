import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../contract/caller.ts"
import { periodically } from "../jobs/loop.ts"
import { jsonParameter } from "../platform/database/parameters.ts"
import { REFUSALS_KINDS } from "../platform/limits.ts"
import { refusedOfNobody } from "../platform/telemetry/metrics/declared.ts"
import { countOne } from "../platform/telemetry/metrics/measuring.ts"
import { hourOf, makeCounts, type RefusalCount, type RefusalKind } from "./refusal-counts.ts"

/** Milliseconds between two times that counts are written down, what one of these may take, and what the last one gets. */
export const REFUSALS_WRITE_MS = 5_000
export const REFUSALS_PATIENCE_MS = 10_000
const REFUSALS_LAST_MS = 500
/** Counts one statement writes down. */
export const REFUSALS_ROWS = 1_000

/** Under what sign-ins that failed are counted: no token stands for the person, and the answer is what a call would get. */
const SIGN_IN = { application: "Latchkey", operation: "sign_in", errorCode: 401 }

/** Refusals that nobody can be named for. */
const ofNobody = refusedOfNobody.of({})

/** A call that was refused; `by` is undefined where its token was never known. */
export interface RefusedCall {
  readonly by: Pick<Caller, "operatorId" | "accountId" | "tokenName"> | undefined
  readonly operation: string
  readonly errorCode: number
}

/**
 * Counts what was refused, by operator, account, application, operation, error_code and hour. Counting waits for nothing
 * and cannot fail: the counts stand in memory, of a bounded number of kinds, and are written down every few seconds and
 * when the process ends. What a killed process had not written down is lost.
 */
export class Refusals extends Context.Service<
  Refusals,
  {
    readonly call: (refused: RefusedCall) => Effect.Effect<void>
    /** A sign-in that failed; undefined: no account has what was given as its name. */
    readonly signIn: (account: Pick<Caller, "operatorId" | "accountId"> | undefined) => Effect.Effect<void>
  }
>()("latchkey/changes/Refusals") {
  static readonly layer = Layer.effect(
    Refusals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counts = makeCounts(REFUSALS_KINDS)
      const write = writing(sql, counts)
      // Added before the loop begins, so that it runs after the loop has put back what it had in hand.
      yield* Effect.addFinalizer(() => lastWrite(write))
      yield* periodically("saving refusals", REFUSALS_WRITE_MS, () => write)

      const count = (kind: RefusalKind) =>
        Effect.map(Clock.currentTimeMillis, (now) => counts.add({ ...kind, hour: hourOf(now), times: 1 }))
      return Refusals.of({
        call: ({ by, operation, errorCode }) =>
          by === undefined
            ? countOne(ofNobody)
            : count({ ...whose(by), application: by.tokenName, operation, errorCode }),
        signIn: (account) => (account === undefined ? countOne(ofNobody) : count({ ...whose(account), ...SIGN_IN }))
      })
    })
  )
}

const whose = ({ operatorId, accountId }: Pick<Caller, "operatorId" | "accountId">) => ({ operatorId, accountId })

/** Writes all counts down, a bounded number a statement; what could not be written down is counted on in memory. */
const writing = (sql: SqlClient.SqlClient, counts: ReturnType<typeof makeCounts>) => {
  const writeSome = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const some = counts.take(REFUSALS_ROWS)
      if (some.length === 0) return Effect.succeed(0)
      return sql`${adding(sql, some)}`.pipe(
        Effect.timeout(REFUSALS_PATIENCE_MS),
        restore,
        Effect.onError(() => Effect.sync(() => some.forEach(counts.add))),
        Effect.as(some.length),
        Effect.orDie
      )
    })
  )
  return Effect.gen(function* () {
    const beyond = counts.takeBeyond()
    if (beyond > 0)
      yield* Effect.annotateLogs(Effect.logWarning("refusals were counted without their details"), { times: beyond })
    while ((yield* writeSome) >= REFUSALS_ROWS) yield* Effect.yieldNow
  })
}

/** When the process ends: nobody waits long for a count. */
const lastWrite = (write: Effect.Effect<void>) =>
  write.pipe(Effect.interruptible, Effect.timeoutOption(REFUSALS_LAST_MS), Effect.withTracerEnabled(false), Effect.exit)

// In one order, so that two processes that write down the same counts never wait for each other in a circle.
const adding = (sql: SqlClient.SqlClient, counts: ReadonlyArray<RefusalCount>) => sql`
  INSERT INTO refusals AS known (operator_id, hour, account_id, application, operation, error_code, times)
  SELECT "operatorId", to_timestamp(hour / 1000), "accountId", application, operation, "errorCode", times
  FROM jsonb_to_recordset(${jsonParameter(counts)}::jsonb) AS counted ("operatorId" bigint, hour bigint,
    "accountId" bigint, application text, operation text, "errorCode" integer, times bigint)
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (operator_id, hour, account_id, application, operation, error_code)
  DO UPDATE SET times = known.times + excluded.times`
