import { Context, Effect, Layer, Semaphore } from "effect"
import { ServerError } from "../../../contract/errors.ts"
import { releasePermitWhile } from "../../../contract/permit-release.ts"
import {
  ANONYMOUS_HASHES_MAX,
  KNOWN_BROWSER_HASHES_MAX,
  NETWORK_HASHES_MAX,
  QUEUED_HASHES_MAX
} from "../../../platform/limits.ts"

export interface HashingBusy {
  readonly _tag: "Busy"
}

const hashingBusy: HashingBusy = { _tag: "Busy" }

/** `isKnown` is true for a signed-in person and for a browser that signed in before. */
export interface HashingSource {
  readonly key: string
  readonly isKnown: boolean
}

export const operatorHashingSource = (operatorId: number): HashingSource => ({
  key: `operator ${operatorId}`,
  isKnown: true
})

const makeHashingLimiter = (concurrency: number) => {
  const semaphore = Semaphore.makeUnsafe(concurrency)
  const countsByKey = new Map<string, number>()
  let total = 0
  const admit = (key: string): boolean => {
    const countOfKey = countsByKey.get(key) ?? 0
    if (total >= concurrency + QUEUED_HASHES_MAX || countOfKey >= NETWORK_HASHES_MAX) return false
    total += 1
    countsByKey.set(key, countOfKey + 1)
    return true
  }
  const release = (key: string): void => {
    total -= 1
    const countOfKey = (countsByKey.get(key) ?? 0) - 1
    if (countOfKey > 0) countsByKey.set(key, countOfKey)
    else countsByKey.delete(key)
  }
  return <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | HashingBusy, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | HashingBusy, R> => {
        if (!admit(key)) return Effect.fail(hashingBusy)
        return Effect.ensuring(
          restore(semaphore.withPermit(work)),
          Effect.sync(() => release(key))
        )
      })
    )
}

/**
 * Limits concurrent and queued hashes, in total and per source. Known sources have separate permits, which anonymous
 * callers cannot exhaust.
 */
export class HashingLimiter extends Context.Service<
  HashingLimiter,
  {
    readonly withPermit: <A, E, R>(
      source: HashingSource,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | HashingBusy, R>
  }
>()("latchkey/domain/access/sign-in/HashingLimiter") {
  static readonly layer = Layer.sync(HashingLimiter, () => {
    const [unknownSources, knownSources] = [
      makeHashingLimiter(ANONYMOUS_HASHES_MAX),
      makeHashingLimiter(KNOWN_BROWSER_HASHES_MAX)
    ]
    return HashingLimiter.of({
      withPermit: ({ key, isKnown }, work) => (isKnown ? knownSources : unknownSources)(key, work)
    })
  })
}

export const hashReleasingPermit = <A, E, R>(
  limiter: HashingLimiter["Service"],
  source: HashingSource,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | HashingBusy, R> =>
  Effect.mapError(releasePermitWhile(limiter.withPermit(source, work)), (error) =>
    error instanceof ServerError ? hashingBusy : error
  )
