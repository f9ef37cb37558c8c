import { Effect } from "effect"
import type { GuestPortalStay } from "../../domain/bookings/check-in/guest-portal-stay.ts"
import {
  BUSY_RETRY_SECONDS,
  GUEST_PHOTOS,
  GUEST_PHOTOS_OF_OPERATOR,
  GUEST_PHOTOS_OF_STAY
} from "../../platform/limits.ts"
import type { GuestFormError } from "./forms.ts"

/** What is counted, and how much of it there may be. */
type PermitLimit = readonly [of: string, most: number]

const permitLimits = ({ operator_id, id }: Pick<GuestPortalStay, "operator_id" | "id">): ReadonlyArray<PermitLimit> => [
  ["all", GUEST_PHOTOS],
  [`operator ${operator_id}`, GUEST_PHOTOS_OF_OPERATOR],
  [`stay ${id}`, GUEST_PHOTOS_OF_STAY]
]

/** The photos that arrive in this process: each is in memory as far as it has come, and may come slowly. */
export class PhotoUploadPermits {
  readonly #taken = new Map<string, number>()

  /** Lets one more arrive; fails where there are too many. */
  readonly within = <A, E, R>(stay: Pick<GuestPortalStay, "operator_id" | "id">, upload: Effect.Effect<A, E, R>) => {
    const limits = permitLimits(stay)
    return Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (limits.some(([scope, maxPermits]) => (this.#taken.get(scope) ?? 0) >= maxPermits)) return tooManyUploads
        for (const [scope] of limits) this.#taken.set(scope, (this.#taken.get(scope) ?? 0) + 1)
        return Effect.void
      }),
      () => upload,
      () => Effect.sync(() => this.#leave(limits))
    )
  }

  #leave(limits: ReadonlyArray<PermitLimit>): void {
    for (const [scope] of limits) {
      const remaining = (this.#taken.get(scope) ?? 0) - 1
      if (remaining <= 0) this.#taken.delete(scope)
      else this.#taken.set(scope, remaining)
    }
  }
}

const tooManyUploads = Effect.fail<GuestFormError>({
  status: 503,
  message: "The service is receiving too many photos. Please send this photo again in a few seconds.",
  retryAfter: BUSY_RETRY_SECONDS
})
