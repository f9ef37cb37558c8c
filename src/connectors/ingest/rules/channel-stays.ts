import { Result } from "effect"
import { ValidationFailed } from "../../../contract/errors.ts"
import { padToFourDecimals, toDecimalText } from "../../../contract/money.ts"
import {
  emptyToNull,
  failValidation,
  type ValidationResult,
  validateStayDates
} from "../../../domain/bookings/reservations/rules/stay-validation.ts"
import { GuestDetails, NewStay } from "../../../domain/bookings/stays/stay.ts"
import type { ChannelOrderEvent, ChannelRoom } from "../../../domain/channels/port/channel-events.ts"

export interface ChannelStay extends NewStay {
  readonly channel_room_id: string
  readonly listing_id: string
}

export type ChannelStays = readonly [ChannelStay, ...ReadonlyArray<ChannelStay>]

export const toChannelStays = (event: ChannelOrderEvent): ValidationResult<ChannelStays> => {
  const duplicateIndex = event.rooms.findIndex(
    (room, at) => event.rooms.findIndex(({ room_id }) => room_id === room.room_id) < at
  )
  if (duplicateIndex !== -1)
    return failValidation(`rooms[${duplicateIndex}].room_id: is already used by another room of the order.`)
  const [first, ...others] = event.rooms
  return Result.gen(function* () {
    return [
      yield* toChannelStayAt(event, first, 0),
      ...(yield* Result.all(others.map((room, at) => toChannelStayAt(event, room, at + 1))))
    ]
  })
}

const toChannelStayAt = (event: ChannelOrderEvent, room: ChannelRoom, index: number): ValidationResult<ChannelStay> =>
  Result.mapError(
    toChannelStay(event, room),
    ({ message }) => new ValidationFailed({ message: `rooms[${index}].${message}` })
  )

const toChannelStay = (event: ChannelOrderEvent, room: ChannelRoom): ValidationResult<ChannelStay> =>
  Result.gen(function* () {
    const dates = yield* validateStayDates({ check_in_date: room.check_in_date, check_out_date: room.check_out_date })
    const { name, phone, email } = event.booker
    return {
      ...NewStay.make({
        property_id: null,
        ...dates,
        ...toGuestCounts(room),
        guest_name: emptyToNull(name),
        guest_phone: emptyToNull(phone ?? ""),
        guest_email: emptyToNull(email ?? ""),
        ...(yield* toRates(event.currency, room)),
        channel_remarks: event.remarks ?? "",
        guests: toGuestDetails(event, room)
      }),
      listing_id: room.listing_id,
      channel_room_id: room.room_id
    }
  })

const toGuestCounts = (room: ChannelRoom) => {
  const { number_of_adults, number_of_children = 0, number_of_infants = 0, number_of_pets = 0 } = room
  return {
    number_of_guests: Math.max(1, number_of_adults + number_of_children),
    number_of_adults,
    number_of_children,
    number_of_infants,
    number_of_pets
  }
}

/** Returns four decimals, as the database does, so that equal amounts are equal texts. */
const toDecimalAmount = (field: string, amount: number, currency: string): ValidationResult<string> =>
  Result.map(toDecimalText(field, amount, currency), padToFourDecimals)

const toRates = (currency: string, room: ChannelRoom) =>
  Result.gen(function* () {
    for (const [at, { amount }] of (room.details ?? []).entries()) {
      yield* toDecimalAmount(`details[${at}].amount`, amount, currency)
    }
    return {
      rate: yield* toDecimalAmount("rate", room.rate, currency),
      commission: yield* toDecimalAmount("commission", room.commission, currency),
      accommodation_revenue: yield* toDecimalAmount("accommodation", room.accommodation, currency),
      rate_details: room.details ?? null
    }
  })

const toGuestDetails = (event: ChannelOrderEvent, room: ChannelRoom): ReadonlyArray<GuestDetails> =>
  (room.guests ?? [event.booker]).map(({ name, phone, email }) =>
    GuestDetails.make({
      name,
      phone: emptyToNull(phone ?? ""),
      email: emptyToNull(email ?? ""),
      is_booker: name === event.booker.name
    })
  )
