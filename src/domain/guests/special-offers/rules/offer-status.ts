import { Result } from "effect"
import { Conflict } from "../../../../contract/errors.ts"
import { OfferStatus } from "../../../channels/port/channel-events.ts"

/** A decision of the guest or the host is final. */
const FINAL_STATUSES: ReadonlySet<OfferStatus> = new Set(["accepted", "declined", "withdrawn"])

/** Returns the statuses that may change to `status`. An offer that has expired here may still be accepted. */
export const listPreviousStatuses = (status: OfferStatus): ReadonlyArray<OfferStatus> =>
  OfferStatus.literals.filter((previous) => previous !== status && !FINAL_STATUSES.has(previous))

export const resolveOfferStatus = (status: OfferStatus, expiresAt: Date, now: Date): OfferStatus =>
  status === "active" && expiresAt <= now ? "expired" : status

export const checkOfferActive = (status: OfferStatus): Result.Result<void, Conflict> =>
  status === "active"
    ? Result.void
    : Result.fail(new Conflict({ message: `special_offer_id: the offer is ${status}, not active.` }))
