import { Cause, Context, Effect, Exit, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { statementDuration, statementsFailed } from "../telemetry/metrics/declared.ts"
import { note } from "../telemetry/metrics/measuring.ts"

/** Which of the two sets of connections a statement goes to: on a server requests and the background have their own. */
export type PoolName = "request" | "background"

/** Whose statements are asked for here; the vocabulary of background work says when it is the background's. */
export const AskedBy = Context.Reference<PoolName>("latchkey/database/AskedBy", { defaultValue: () => "request" })

/** Statements of this process that were asked for and are not answered. */
const underWay: Record<PoolName, number> = { request: 0, background: 0 }

export const statementsUnderWay = (pool: PoolName): number => underWay[pool]

const durations = {
  request: statementDuration.of({ pool: "request" }),
  background: statementDuration.of({ pool: "background" })
}

const reasonOf = (exit: Exit.Exit<unknown, SqlError>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = Cause.findErrorOption(exit.cause)
  return Option.isSome(error) ? error.value.reason._tag : undefined
}

/** The statement, with the time it takes: waiting for a connection, there and back. */
export const measured = <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, SqlError, R> =>
  Effect.withFiber((fiber) => {
    const pool = fiber.getRef(AskedBy)
    const startedAt = performance.now()
    underWay[pool] += 1
    return Effect.onExit(statement, (exit) => {
      underWay[pool] -= 1
      note(fiber, durations[pool], (performance.now() - startedAt) / 1000)
      const reason = reasonOf(exit)
      if (reason !== undefined) note(fiber, statementsFailed.of({ pool, error_type: reason }), 1)
      return Effect.void
    })
  })
