export interface FailedCallKey {
  readonly operatorId: number
  readonly accountId: number
  /** The token's name, or `Latchkey` for a sign-in. */
  readonly application: string
  readonly operation: string
  readonly errorCode: number
}

/** `hour` is the start of the hour, in milliseconds. */
export interface FailedCallCount extends FailedCallKey {
  readonly hour: number
  readonly times: number
}

export const HOUR_MS = 60 * 60 * 1000

export const startOfHour = (instant: number): number => Math.floor(instant / HOUR_MS) * HOUR_MS

/** Once `maxKeys` different keys are stored, calls with other keys are only counted in total. */
export const makeFailedCallCounts = (maxKeys: number) => {
  const counts = new Map<string, FailedCallCount>()
  let uncounted = 0
  return {
    add: (count: FailedCallCount): void => {
      const { operatorId, accountId, application, operation, errorCode, hour } = count
      const key = JSON.stringify([operatorId, accountId, operation, errorCode, hour, application])
      const existing = counts.get(key)
      if (existing !== undefined) counts.set(key, { ...existing, times: existing.times + count.times })
      else if (counts.size < maxKeys) counts.set(key, count)
      else uncounted += count.times
    },
    takeBatch: (maxCounts: number): ReadonlyArray<FailedCallCount> => {
      const taken: Array<FailedCallCount> = []
      for (const [key, count] of counts) {
        if (taken.length >= maxCounts) break
        counts.delete(key)
        taken.push(count)
      }
      return taken
    },
    clear: (): void => {
      counts.clear()
      uncounted = 0
    },
    takeUncounted: (): number => {
      const taken = uncounted
      uncounted = 0
      return taken
    }
  }
}
