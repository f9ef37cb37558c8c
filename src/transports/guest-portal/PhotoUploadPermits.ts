import { Effect } from "effect"
import type { GuestPortalStay } from "../../domain/bookings/check-in/guest-portal-stay.ts"
import {
  BUSY_RETRY_SECONDS,
  GUEST_PHOTOS_MAX,
  GUEST_PHOTOS_OF_OPERATOR_MAX,
  GUEST_PHOTOS_OF_STAY_MAX
} from "../../platform/limits.ts"
import type { GuestFormError } from "./forms.ts"

type PermitLimit = readonly [of: string, most: number]

const permitLimits = ({ operator_id, id }: Pick<GuestPortalStay, "operator_id" | "id">): ReadonlyArray<PermitLimit> => [
  ["all", GUEST_PHOTOS_MAX],
  [`operator ${operator_id}`, GUEST_PHOTOS_OF_OPERATOR_MAX],
  [`stay ${id}`, GUEST_PHOTOS_OF_STAY_MAX]
]

/** Limits concurrent photo uploads, because photos are held in memory and uploads may be slow. */
export class PhotoUploadPermits {
  readonly #usedPermits = new Map<string, number>()

  readonly within = <A, E, R>(stay: Pick<GuestPortalStay, "operator_id" | "id">, upload: Effect.Effect<A, E, R>) => {
    const limits = permitLimits(stay)
    return Effect.acquireUseRelease(
      Effect.suspend(() => {
        if (limits.some(([scope, maxPermits]) => (this.#usedPermits.get(scope) ?? 0) >= maxPermits))
          return tooManyUploads
        for (const [scope] of limits) this.#usedPermits.set(scope, (this.#usedPermits.get(scope) ?? 0) + 1)
        return Effect.void
      }),
      () => upload,
      () => Effect.sync(() => this.#release(limits))
    )
  }

  #release(limits: ReadonlyArray<PermitLimit>): void {
    for (const [scope] of limits) {
      const remaining = (this.#usedPermits.get(scope) ?? 0) - 1
      if (remaining <= 0) this.#usedPermits.delete(scope)
      else this.#usedPermits.set(scope, remaining)
    }
  }
}

const tooManyUploads = Effect.fail<GuestFormError>({
  status: 503,
  message: "The service is receiving too many photos. Please send this photo again in a few seconds.",
  retryAfter: BUSY_RETRY_SECONDS
})
