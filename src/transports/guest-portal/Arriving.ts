import { Effect } from "effect"
import type { OpenedStay } from "../../domain/bookings/check-in/opened-stay.ts"
import {
  BUSY_RETRY_SECONDS,
  GUEST_PHOTOS,
  GUEST_PHOTOS_OF_OPERATOR,
  GUEST_PHOTOS_OF_STAY
} from "../../platform/limits.ts"
import type { Untaken } from "./forms.ts"

/** What is counted, and how much of it there may be. */
type Seat = readonly [of: string, most: number]

const seatsOf = ({ operator_id, id }: Pick<OpenedStay, "operator_id" | "id">): ReadonlyArray<Seat> => [
  ["all", GUEST_PHOTOS],
  [`operator ${operator_id}`, GUEST_PHOTOS_OF_OPERATOR],
  [`stay ${id}`, GUEST_PHOTOS_OF_STAY]
]

/** The photos that arrive in this process: each is in memory as far as it has come, and may come slowly. */
export class Arriving {
  readonly #taken = new Map<string, number>()

  /** Lets one more arrive; fails where there are too many. */
  readonly within = <A, E, R>(stay: Pick<OpenedStay, "operator_id" | "id">, arrival: Effect.Effect<A, E, R>) => {
    const seats = seatsOf(stay)
    return Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (seats.some(([of, most]) => (this.#taken.get(of) ?? 0) >= most)) return tooMany
        for (const [of] of seats) this.#taken.set(of, (this.#taken.get(of) ?? 0) + 1)
        return Effect.void
      }),
      () => arrival,
      () => Effect.sync(() => this.#leave(seats))
    )
  }

  #leave(seats: ReadonlyArray<Seat>): void {
    for (const [of] of seats) {
      const left = (this.#taken.get(of) ?? 0) - 1
      if (left <= 0) this.#taken.delete(of)
      else this.#taken.set(of, left)
    }
  }
}

const tooMany = Effect.fail<Untaken>({
  status: 503,
  words: "The service is receiving too many photos. Please send this photo again in a few seconds.",
  retryAfter: BUSY_RETRY_SECONDS
})
