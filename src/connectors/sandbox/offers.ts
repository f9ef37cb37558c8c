import { instantText } from "../../contract/time.ts"
import type { OfferThere } from "../../domain/channels/port/connector.ts"
import type { OfferSaid, OfferStatus, RoomSaid } from "../../domain/channels/port/said.ts"
import { OFFER_LASTS_MS } from "../../platform/limits.ts"
import type { RoomAsked } from "./order.ts"
import type { Offer } from "./rows.ts"

// An offer as its marketplace has it, and what it becomes. Every change raises its version.

/** A new offer, the first of its versions: good for a day. */
export const newOffer = (
  offerId: string,
  offered: Omit<OfferThere, "price" | "currency">,
  cost: { readonly price: number; readonly currency: string },
  now: Date
): Offer => {
  const expires_at = new Date(now.getTime() + OFFER_LASTS_MS)
  const said: OfferSaid = {
    type: "offer",
    version: 1,
    offer_id: offerId,
    thread_id: offered.threadId,
    offer_type: offered.offerType,
    status: "active",
    listing_id: offered.listingId,
    ...(offered.ratePlanId === null ? {} : { rate_plan_id: offered.ratePlanId }),
    check_in_date: offered.checkInDate,
    check_out_date: offered.checkOutDate,
    number_of_adults: offered.numberOfAdults,
    number_of_children: offered.numberOfChildren,
    number_of_infants: offered.numberOfInfants,
    number_of_pets: offered.numberOfPets,
    ...cost,
    created_at: instantText(now),
    expires_at: instantText(expires_at)
  }
  return {
    offer_id: offerId,
    thread_id: offered.threadId,
    reference: offered.reference,
    version: 1,
    status: "active",
    said,
    expires_at
  }
}

/** How it stands by the clock, whatever was written down by then. */
export const standsAt = ({ status, expires_at }: Pick<Offer, "status" | "expires_at">, now: Date): OfferStatus =>
  status === "active" && expires_at.getTime() <= now.getTime() ? "expired" : status

export const offerWith = (offer: Offer, status: OfferStatus): Offer => {
  const version = offer.version + 1
  return { ...offer, version, status, said: { ...offer.said, version, status } }
}

/** The room that is offered, as a guest asks for it. */
export const roomOffered = ({ said }: Offer): RoomAsked => ({
  listing_id: said.listing_id,
  check_in_date: said.check_in_date,
  check_out_date: said.check_out_date,
  adults: said.number_of_adults,
  children: said.number_of_children ?? 0
})

/** The room as it is booked, with those whom the offer names beside them. */
export const withAllGuests = (room: RoomSaid, { said }: Offer): RoomSaid => ({
  ...room,
  number_of_infants: said.number_of_infants ?? 0,
  number_of_pets: said.number_of_pets ?? 0
})
