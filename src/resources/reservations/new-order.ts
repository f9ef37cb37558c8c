import { heldNights, keyOf } from "./nights.ts"
import type { Decimal } from "./order-state.ts"
import type { Status } from "./record.ts"

// What is known of an order that enters the service, made by hand or sold by a channel.

export interface NewGuest {
  readonly name: string
  readonly phone: string | null
  readonly email: string | null
  readonly idType: "passport" | "id_card" | "others" | null
  readonly idNumber: string | null
  readonly gender: "male" | "female" | null
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  readonly isBooker: boolean
}

export interface NewStay {
  /** Null puts the stay into the reservation box. */
  readonly propertyId: number | null
  /** The channel's listing; null for orders made by hand, whose listing is the property. */
  readonly listingId: string | null
  readonly checkIn: string
  readonly checkOut: string
  readonly adults: number
  readonly children: number
  readonly infants: number
  readonly pets: number
  readonly numberOfGuests: number
  readonly guestName: string | null
  readonly guestPhone: string | null
  readonly guestEmail: string | null
  /** Including the commission. */
  readonly rate: Decimal
  readonly commission: Decimal | null
  /** The part of the rate that is for the nights; entries on the order are split by it. */
  readonly revenue: Decimal
  /** What the channel itemized, major units; null for the plain case of nights and commission. */
  readonly rateDetails: ReadonlyArray<{
    readonly type: string
    readonly description: string
    readonly amount: number
  }> | null
  readonly additionalFees: ReadonlyArray<{ readonly name: string; readonly currency: string; readonly amount: number }>
  readonly remarks: string
  readonly channelRemarks: string
  readonly guests: ReadonlyArray<NewGuest>
}

export interface NewOrder {
  /** `5-…` for orders made by hand only. Stays are called after it. */
  readonly reservationCode: string
  readonly channelType: string
  /** The channel's id of the order; one order a channel and id, for ever. */
  readonly channelId: string
  readonly status: Status
  readonly currency: string
  readonly bookedAt: Date
  /** Account name of who entered it; `System` for orders of channels. */
  readonly creator: string
  readonly customChannelId: number | null
  readonly conversationId: string | null
  readonly cancellationPolicyCategory: string | null
  readonly stays: readonly [NewStay, ...ReadonlyArray<NewStay>]
  /** Money that came with the order, recorded as a paid income entry of it. */
  readonly received: { readonly amount: Decimal; readonly itemId: number; readonly paymentMethodId: number } | null
}

/** The order with every stay in the box that would hold one of the nights of `taken` or of a stay before it. */
export const boxedWhere = (order: NewOrder, taken: ReadonlySet<string>): NewOrder => {
  const held = new Set(taken)
  const stayed = (stay: NewStay): NewStay => {
    const nights = heldNights(order.status, stay).map(keyOf)
    if (nights.some((night) => held.has(night))) return { ...stay, propertyId: null }
    for (const night of nights) held.add(night)
    return stay
  }
  const [first, ...others] = order.stays
  return { ...order, stays: [stayed(first), ...others.map(stayed)] }
}
