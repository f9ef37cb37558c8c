import { NewOrder } from "../../../../../src/domain/bookings/orders/order.ts"
import { toStayCode } from "../../../../../src/domain/bookings/reservations/rules/reservation-codes.ts"
import { GuestDetails, NewStay } from "../../../../../src/domain/bookings/stays/stay.ts"

// Orders as a channel sells them.

type StayOverrides = Partial<NewStay>

/** A stay of two adults and a child; what is said of it goes before. */
export const newChannelStay = (overrides: StayOverrides = {}, guestCount = 1): NewStay =>
  NewStay.make({
    property_id: null,
    listing_id: "300-77",
    check_in_date: "2027-05-04",
    check_out_date: "2027-05-07",
    number_of_guests: 3,
    number_of_adults: 2,
    number_of_children: 1,
    guest_name: "Grace Hopper",
    guest_phone: null,
    guest_email: null,
    rate: "420",
    commission: "63",
    accommodation_revenue: overrides.rate ?? "420",
    guests: Array.from({ length: guestCount }, (_, index) =>
      GuestDetails.make({
        name: `Guest ${index}`,
        ...(index === 0 ? { id_type: "passport", id_number: "X1" } : {}),
        gender: "female",
        country: "US",
        is_booker: index === 0
      })
    ),
    ...overrides
  })

export const newChannelOrder = (overrides: Pick<NewOrder, "channel_id"> & Partial<NewOrder>): NewOrder =>
  NewOrder.make({
    reservation_code: `0-${overrides.channel_id}-XK2P`,
    channel_type: "airbnb",
    status: "accepted",
    currency: "EUR",
    booked_at: new Date("2027-04-19T08:00:00Z"),
    creator: "System",
    stays: [newChannelStay()],
    ...overrides
  })

/** The stay codes of an order, room by room. */
export const stayCodesOf = (order: NewOrder): ReadonlyArray<string> =>
  order.stays.map((_, room) => toStayCode(order.reservation_code, room))
