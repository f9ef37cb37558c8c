/** What refusals are counted together by. */
export interface FailedCallKey {
  readonly operatorId: number
  readonly accountId: number
  /** The token's name, or the part of the service that refused a sign-in. */
  readonly application: string
  readonly operation: string
  readonly errorCode: number
}

/** How often something was refused in the hour that begins at `hour` (milliseconds). */
export interface FailedCallCount extends FailedCallKey {
  readonly hour: number
  readonly times: number
}

export const HOUR_MS = 60 * 60 * 1000

/** The beginning of the hour an instant is in, both in milliseconds. */
export const startOfHour = (instant: number): number => Math.floor(instant / HOUR_MS) * HOUR_MS

/** Counts in memory, of `maxKeys` kinds at once; what is of yet another kind is one number. */
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
    /** Takes out some of the counts, those that are there for longest. */
    takeBatch: (maxCounts: number): ReadonlyArray<FailedCallCount> => {
      const taken: Array<FailedCallCount> = []
      for (const [key, count] of counts) {
        if (taken.length >= maxCounts) break
        counts.delete(key)
        taken.push(count)
      }
      return taken
    },
    /** Takes out the number of those that were not told apart. */
    takeUncounted: (): number => {
      const taken = uncounted
      uncounted = 0
      return taken
    }
  }
}
