import { Cause, Context, Effect, Exit, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { statementDuration, statementsFailed } from "../telemetry/metrics/metric-definitions.ts"
import { updateSeries } from "../telemetry/metrics/metric-updates.ts"

export type PoolName = "request" | "background"

export const CurrentPool = Context.Reference<PoolName>("latchkey/platform/database/CurrentPool", {
  defaultValue: () => "request"
})

const inFlight: Record<PoolName, number> = { request: 0, background: 0 }

export const countStatementsInFlight = (pool: PoolName): number => inFlight[pool]

const durations = {
  request: statementDuration.withLabels({ pool: "request" }),
  background: statementDuration.withLabels({ pool: "background" })
}

const findFailureType = (exit: Exit.Exit<unknown, SqlError>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Cause.findErrorOption(exit.cause)
  return Option.isSome(error) ? error.value.reason._tag : undefined
}

/** The duration includes the wait for a connection. */
export const measureStatement = <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
  Effect.withFiber((fiber) => {
    const pool = fiber.getRef(CurrentPool)
    const startedAt = performance.now()
    inFlight[pool] += 1
    return Effect.onExit(statement, (exit) => {
      inFlight[pool] -= 1
      updateSeries(fiber, durations[pool], (performance.now() - startedAt) / 1000)
      const failureType = findFailureType(exit)
      if (failureType !== undefined)
        updateSeries(fiber, statementsFailed.withLabels({ pool, error_type: failureType }), 1)
      return Effect.void
    })
  })
