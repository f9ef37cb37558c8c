import { Result } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { decimalOf, fourDecimals } from "../../../contract/money.ts"
import { broken, type Checked, checkedDates, filled } from "../../../domain/bookings/reservations/rules/stay-checks.ts"
import { GuestDetails, NewStay } from "../../../domain/bookings/stays/stay.ts"
import type { OrderSaid, RoomSaid } from "../../../domain/channels/port/said.ts"

// What a channel says of the rooms of an order, as the stays they are here.

/** The stay of a room as its channel says it, in no property yet, and the room's own id. */
export interface StaySaid extends NewStay {
  readonly channel_room_id: string
  readonly listing_id: string
}

/** One a room; an order has one at least. */
export type StaysSaid = readonly [StaySaid, ...ReadonlyArray<StaySaid>]

/** The stays of the order, room by room; what cannot be so says which field is why. */
export const staysSaid = (said: OrderSaid): Checked<StaysSaid> => {
  const again = said.rooms.findIndex((room, at) => said.rooms.findIndex(({ room_id }) => room_id === room.room_id) < at)
  if (again !== -1) return broken(`rooms[${again}].room_id: is already used by another room of the order.`)
  const [first, ...others] = said.rooms
  return Result.gen(function* () {
    return [
      yield* roomSaid(said, first, 0),
      ...(yield* Result.all(others.map((room, at) => roomSaid(said, room, at + 1))))
    ]
  })
}

const roomSaid = (said: OrderSaid, room: RoomSaid, at: number): Checked<StaySaid> =>
  Result.mapError(staySaid(said, room), ({ message }) => new ValidationFailed({ message: `rooms[${at}].${message}` }))

const staySaid = (said: OrderSaid, room: RoomSaid): Checked<StaySaid> =>
  Result.gen(function* () {
    const dates = yield* checkedDates({ check_in_date: room.check_in_date, check_out_date: room.check_out_date })
    const { name, phone, email } = said.booker
    return {
      ...NewStay.make({
        property_id: null,
        ...dates,
        ...guestsSaid(room),
        guest_name: filled(name),
        guest_phone: filled(phone ?? ""),
        guest_email: filled(email ?? ""),
        ...(yield* ratesSaid(said.currency, room)),
        channel_remarks: said.remarks ?? "",
        guests: peopleSaid(said, room)
      }),
      listing_id: room.listing_id,
      channel_room_id: room.room_id
    }
  })

/** Infants count as nobody. A channel that says nobody comes has somebody come all the same. */
const guestsSaid = (room: RoomSaid) => {
  const { number_of_adults, number_of_children = 0, number_of_infants = 0, number_of_pets = 0 } = room
  return {
    number_of_guests: Math.max(1, number_of_adults + number_of_children),
    number_of_adults,
    number_of_children,
    number_of_infants,
    number_of_pets
  }
}

/** With the decimals the database has, so that what is the same is the same text. */
const amountSaid = (field: string, amount: number, currency: string): Checked<string> =>
  Result.map(decimalOf(field, amount, currency), fourDecimals)

const ratesSaid = (currency: string, room: RoomSaid) =>
  Result.gen(function* () {
    for (const [at, { amount }] of (room.details ?? []).entries()) {
      yield* amountSaid(`details[${at}].amount`, amount, currency)
    }
    return {
      rate: yield* amountSaid("rate", room.rate, currency),
      commission: yield* amountSaid("commission", room.commission, currency),
      accommodation_revenue: yield* amountSaid("accommodation", room.accommodation, currency),
      rate_details: room.details ?? null
    }
  })

/** Who is named for the room; where nobody is, who booked. */
const peopleSaid = (said: OrderSaid, room: RoomSaid): ReadonlyArray<GuestDetails> =>
  (room.guests ?? [said.booker]).map(({ name, phone, email }) =>
    GuestDetails.make({
      name,
      phone: filled(phone ?? ""),
      email: filled(email ?? ""),
      is_booker: name === said.booker.name
    })
  )
