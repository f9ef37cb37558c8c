import { Effect } from "effect"

/** How many runs may be under way at once in this process. */
export interface SlotLimits {
  readonly ofOperator: number
  readonly ofAll: number
}

/** The limit that leaves no slot: that of the operator or that of all operators together. */
export type FullLimit = keyof SlotLimits

/**
 * Returns a function that runs an effect for an operator if a slot is free. Otherwise it runs `onFull` at once, with the limit that is
 * reached: nobody waits for a slot. An interrupted run frees its slot.
 */
export const makeOperatorSlots = (limits: SlotLimits) => {
  const countByOperator = new Map<number, number>()
  let totalCount = 0

  const tryBegin = (operatorId: number): FullLimit | undefined => {
    const operatorCount = countByOperator.get(operatorId) ?? 0
    if (operatorCount >= limits.ofOperator) return "ofOperator"
    if (totalCount >= limits.ofAll) return "ofAll"
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
    onFull: (limit: FullLimit) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.acquireUseRelease(
      Effect.sync(() => tryBegin(operatorId)),
      (limit): Effect.Effect<A | B, E | E2, R | R2> => (limit === undefined ? run : onFull(limit)),
      (limit) => (limit === undefined ? Effect.sync(() => end(operatorId)) : Effect.void)
    )
}
