import { Context, Effect, Layer, Semaphore } from "effect"
import { awayFromPlace } from "../../../contract/away-from-place.ts"
import { ServerError } from "../../../contract/errors.ts"
import { HASHES, HASHES_OF_KNOWN, HASHES_OF_PLACE, HASHES_WAITING } from "../../../platform/limits.ts"

/** More passwords wait to be hashed than there is room for. */
export interface Busy {
  readonly _tag: "Busy"
}

const busy: Busy = { _tag: "Busy" }

/** Who wants a password hashed: from which place, and whether it is known there (a session, or a browser that signed in before). */
export interface From {
  readonly place: string
  readonly isKnown: boolean
}

/** A room of so many at once, so many that wait in turn, and of one place no more than a few of both. */
const makeRoom = (atOnce: number) => {
  const hashing = Semaphore.makeUnsafe(atOnce)
  const there = new Map<string, number>()
  let all = 0
  const come = (place: string): boolean => {
    const ofPlace = there.get(place) ?? 0
    if (all >= atOnce + HASHES_WAITING || ofPlace >= HASHES_OF_PLACE) return false
    all += 1
    there.set(place, ofPlace + 1)
    return true
  }
  const leave = (place: string): void => {
    all -= 1
    const ofPlace = (there.get(place) ?? 0) - 1
    if (ofPlace > 0) there.set(place, ofPlace)
    else there.delete(place)
  }
  return <A, E, R>(place: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Busy, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | Busy, R> => {
        if (!come(place)) return Effect.fail(busy)
        return Effect.ensuring(
          restore(hashing.withPermit(work)),
          Effect.sync(() => leave(place))
        )
      })
    )
}

/**
 * Who may have a password hashed. A flood of sign-ins waits behind itself, is told to come again, and leaves threads for everybody
 * else. Who is known has a room apart, which no stranger can fill.
 */
export class Hashing extends Context.Service<
  Hashing,
  { readonly within: <A, E, R>(from: From, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R> }
>()("latchkey/console/Hashing") {
  static readonly layer = Layer.sync(Hashing, () => {
    const [strangers, known] = [makeRoom(HASHES), makeRoom(HASHES_OF_KNOWN)]
    return Hashing.of({ within: ({ place, isKnown }, work) => (isKnown ? known : strangers)(place, work) })
  })
}

/** Hashes where there is room for it; whoever's place that would hold meanwhile gives it back. */
export const hashedAway = <A, E, R>(
  hashing: Hashing["Service"],
  from: From,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Busy, R> =>
  Effect.mapError(awayFromPlace(hashing.within(from, work)), (why) => (why instanceof ServerError ? busy : why))
