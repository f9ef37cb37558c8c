import { Result } from "effect"
import { Conflict } from "../../../../contract/errors.ts"
import { OfferStatus } from "../../../channels/port/channel-events.ts"

// How an offer stands, and how it may come to stand.

/** What the guest or the host has decided stays decided, whatever is said of it later. */
const FINAL_STATUSES: ReadonlySet<OfferStatus> = new Set(["accepted", "declined", "withdrawn"])

/** From which an offer may come to stand so. Time alone decides nothing: what has expired here may still be accepted. */
export const listPreviousStatuses = (status: OfferStatus): ReadonlyArray<OfferStatus> =>
  OfferStatus.literals.filter((previous) => previous !== status && !FINAL_STATUSES.has(previous))

/** How an offer stands, whether or not anybody has written down by then that its time is over. */
export const resolveOfferStatus = (status: OfferStatus, expiresAt: Date, now: Date): OfferStatus =>
  status === "active" && expiresAt <= now ? "expired" : status

/** 409 for an offer that is not active; the message says what it is. */
export const checkOfferActive = (status: OfferStatus): Result.Result<void, Conflict> =>
  status === "active"
    ? Result.void
    : Result.fail(new Conflict({ message: `special_offer_id: the offer is ${status}, not active.` }))
