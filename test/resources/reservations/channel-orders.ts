import { stayCodeOf } from "../../../src/resources/reservations/codes.ts"
import type { NewOrder, NewStay } from "../../../src/resources/reservations/new-order.ts"

// Orders as a channel sells them.

export const soldStay = (
  options: Partial<Pick<NewStay, "propertyId" | "checkIn" | "checkOut" | "rate">> & { readonly guests?: number }
): NewStay => ({
  propertyId: options.propertyId ?? null,
  listingId: "300-77",
  checkIn: options.checkIn ?? "2027-05-04",
  checkOut: options.checkOut ?? "2027-05-07",
  adults: 2,
  children: 1,
  infants: 0,
  pets: 0,
  numberOfGuests: 3,
  guestName: "Grace Hopper",
  guestPhone: null,
  guestEmail: null,
  rate: options.rate ?? "420",
  commission: "63",
  revenue: options.rate ?? "420",
  rateDetails: null,
  additionalFees: [],
  remarks: "",
  channelRemarks: "",
  guests: Array.from({ length: options.guests ?? 1 }, (_, index) => ({
    name: `Guest ${index}`,
    phone: null,
    email: null,
    idType: index === 0 ? "passport" : null,
    idNumber: index === 0 ? "X1" : null,
    gender: "female",
    country: "US",
    isBooker: index === 0
  }))
})

export const soldOrder = (
  options: Pick<NewOrder, "channelId"> &
    Partial<Pick<NewOrder, "stays" | "status" | "cancellationPolicyCategory" | "channelType">>
): NewOrder => ({
  reservationCode: `0-${options.channelId}-XK2P`,
  channelType: options.channelType ?? "airbnb",
  channelId: options.channelId,
  status: options.status ?? "accepted",
  currency: "EUR",
  bookedAt: new Date("2027-04-19T08:00:00Z"),
  creator: "System",
  customChannelId: null,
  conversationId: null,
  cancellationPolicyCategory: options.cancellationPolicyCategory ?? null,
  stays: options.stays ?? [soldStay({})],
  received: null
})

/** The stay codes of an order, room by room. */
export const stayCodesOf = (order: NewOrder): ReadonlyArray<string> =>
  order.stays.map((_, room) => stayCodeOf(order.reservationCode, room))
