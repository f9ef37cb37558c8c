/** What refusals are counted together by. */
export interface RefusalKind {
  readonly operatorId: number
  readonly accountId: number
  /** The token's name, or the part of the service that refused a sign-in. */
  readonly application: string
  readonly operation: string
  readonly errorCode: number
}

/** How often something was refused in the hour that begins at `hour` (milliseconds). */
export interface RefusalCount extends RefusalKind {
  readonly hour: number
  readonly times: number
}

export const HOUR_MS = 60 * 60 * 1000

/** The beginning of the hour an instant is in, both in milliseconds. */
export const hourOf = (instant: number): number => Math.floor(instant / HOUR_MS) * HOUR_MS

/** Counts in memory, of `most` kinds at once; what is of yet another kind is one number. */
export const makeCounts = (most: number) => {
  const counts = new Map<string, RefusalCount>()
  let beyond = 0
  return {
    add: (count: RefusalCount): void => {
      const { operatorId, accountId, application, operation, errorCode, hour } = count
      const key = JSON.stringify([operatorId, accountId, operation, errorCode, hour, application])
      const known = counts.get(key)
      if (known !== undefined) counts.set(key, { ...known, times: known.times + count.times })
      else if (counts.size < most) counts.set(key, count)
      else beyond += count.times
    },
    /** Takes out some of the counts, those that are there for longest. */
    take: (some: number): ReadonlyArray<RefusalCount> => {
      const taken: Array<RefusalCount> = []
      for (const [key, count] of counts) {
        if (taken.length >= some) break
        counts.delete(key)
        taken.push(count)
      }
      return taken
    },
    /** Takes out the number of those that were not told apart. */
    takeBeyond: (): number => {
      const taken = beyond
      beyond = 0
      return taken
    }
  }
}
