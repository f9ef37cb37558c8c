import { Effect } from "effect"

export interface RunLimits {
  readonly perOperator: number
  readonly total: number
}

export const makeRunLimiter = (limits: RunLimits) => {
  const countByOperator = new Map<number, number>()
  let totalCount = 0

  const tryBegin = (operatorId: number): keyof RunLimits | undefined => {
    const operatorCount = countByOperator.get(operatorId) ?? 0
    if (operatorCount >= limits.perOperator) return "perOperator"
    if (totalCount >= limits.total) return "total"
    countByOperator.set(operatorId, operatorCount + 1)
    totalCount += 1
    return undefined
  }

  const end = (operatorId: number): void => {
    const operatorCount = (countByOperator.get(operatorId) ?? 0) - 1
    if (operatorCount > 0) countByOperator.set(operatorId, operatorCount)
    else countByOperator.delete(operatorId)
    totalCount -= 1
  }

  return <A, E, R, B, E2, R2>(
    operatorId: number,
    run: Effect.Effect<A, E, R>,
    onLimit: (limit: keyof RunLimits) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.acquireUseRelease(
      Effect.sync(() => tryBegin(operatorId)),
      (limit): Effect.Effect<A | B, E | E2, R | R2> => (limit === undefined ? run : onLimit(limit)),
      (limit) => (limit === undefined ? Effect.sync(() => end(operatorId)) : Effect.void)
    )
}
