import { formatUtcInstant } from "../../contract/time.ts"
import type { ChannelOfferEvent, ChannelRoom, OfferStatus } from "../../domain/channels/port/channel-events.ts"
import type { OutboundOffer } from "../../domain/channels/port/connector.ts"
import { OFFER_VALIDITY_MS } from "../../platform/limits.ts"
import type { RoomRequest } from "./order-transitions.ts"
import type { SandboxOffer } from "./rows.ts"

export const createOffer = (
  offerId: string,
  outboundOffer: Omit<OutboundOffer, "price" | "currency">,
  cost: { readonly price: number; readonly currency: string },
  now: Date
): SandboxOffer => {
  const expires_at = new Date(now.getTime() + OFFER_VALIDITY_MS)
  const said: ChannelOfferEvent = {
    type: "offer",
    version: 1,
    offer_id: offerId,
    thread_id: outboundOffer.threadId,
    offer_type: outboundOffer.offerType,
    status: "active",
    listing_id: outboundOffer.listingId,
    ...(outboundOffer.ratePlanId === null ? {} : { rate_plan_id: outboundOffer.ratePlanId }),
    check_in_date: outboundOffer.checkInDate,
    check_out_date: outboundOffer.checkOutDate,
    number_of_adults: outboundOffer.numberOfAdults,
    number_of_children: outboundOffer.numberOfChildren,
    number_of_infants: outboundOffer.numberOfInfants,
    number_of_pets: outboundOffer.numberOfPets,
    ...cost,
    created_at: formatUtcInstant(now),
    expires_at: formatUtcInstant(expires_at)
  }
  return {
    offer_id: offerId,
    thread_id: outboundOffer.threadId,
    reference: outboundOffer.reference,
    version: 1,
    status: "active",
    said,
    expires_at
  }
}

export const computeOfferStatus = (
  { status, expires_at }: Pick<SandboxOffer, "status" | "expires_at">,
  now: Date
): OfferStatus => (status === "active" && expires_at.getTime() <= now.getTime() ? "expired" : status)

export const withOfferStatus = (offer: SandboxOffer, status: OfferStatus): SandboxOffer => {
  const version = offer.version + 1
  return { ...offer, version, status, said: { ...offer.said, version, status } }
}

export const toRoomRequest = ({ said }: SandboxOffer): RoomRequest => ({
  listing_id: said.listing_id,
  check_in_date: said.check_in_date,
  check_out_date: said.check_out_date,
  adults: said.number_of_adults,
  children: said.number_of_children ?? 0
})

export const withOfferGuests = (room: ChannelRoom, { said }: SandboxOffer): ChannelRoom => ({
  ...room,
  number_of_infants: said.number_of_infants ?? 0,
  number_of_pets: said.number_of_pets ?? 0
})
