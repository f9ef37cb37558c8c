import { customAlphabet, randomDigits } from "../../../platform/random-text.ts"
import { NewOrder } from "../../bookings/orders/order.ts"
import { GuestDetails, NewStay } from "../../bookings/stays/stay.ts"
import type { BookingDetails, StayNights } from "./stay-link.ts"

/** Only reservations from imported calendars have this prefix. */
const CALENDAR_CODE_PREFIX = "9-"

const newCodeSuffix = customAlphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 4)

/** Such as `9-481203757-XK2P`. */
export const newCalendarOrderCode = (): string => `${CALENDAR_CODE_PREFIX}${randomDigits(9)}-${newCodeSuffix()}`

export const isCalendarOrderCode = (reservationCode: string): boolean =>
  reservationCode.startsWith(CALENDAR_CODE_PREFIX)

export interface CalendarBooking extends StayNights, BookingDetails {}

interface CalendarOrderDetails {
  readonly reservation_code: string
  /** Rises when a cancelled booking comes back. */
  readonly generation: number
  readonly channelType: string
  readonly propertyId: number
  readonly currency: string
  readonly at: Date
}

/**
 * The channel's own code, if the feed names it. Once the account of the channel is connected, the channel then updates
 * this order instead of creating a second one.
 */
const toChannelId = (
  { confirmationCode }: CalendarBooking,
  { reservation_code, generation }: CalendarOrderDetails
): string => {
  if (confirmationCode === undefined) return reservation_code
  return generation === 1 ? confirmationCode : `${confirmationCode}-${generation}`
}

/** Returns the inverse of {@link toChannelId}: undefined if the booking had no code. */
export const findConfirmationCode = (
  channelId: string,
  { reservation_code, generation }: Pick<CalendarOrderDetails, "reservation_code" | "generation">
): string | undefined => {
  if (channelId === reservation_code) return undefined
  const suffix = `-${generation}`
  return generation > 1 && channelId.endsWith(suffix) ? channelId.slice(0, -suffix.length) : channelId
}

const PHONE_DIGITS_PATTERN = /^Phone number ends with (\d{4})\.$/

const toChannelRemarks = ({ phoneDigits }: CalendarBooking): string =>
  phoneDigits === undefined ? "" : `Phone number ends with ${phoneDigits}.`

/** Returns the inverse of {@link toChannelRemarks}: undefined if the booking named no digits. */
export const findPhoneDigits = (channelRemarks: string): string | undefined =>
  PHONE_DIGITS_PATTERN.exec(channelRemarks)?.[1]

/** Returns the order of a booking. A calendar names no price, so all amounts are 0 and the commission is unknown. */
export const toCalendarOrder = (booking: CalendarBooking, details: CalendarOrderDetails): NewOrder => {
  const { check_in_date, check_out_date, guestName } = booking
  const { reservation_code, channelType, propertyId, currency, at } = details
  return NewOrder.make({
    reservation_code,
    channel_type: channelType,
    channel_id: toChannelId(booking, details),
    status: "accepted",
    currency,
    booked_at: at,
    creator: "System",
    stays: [
      NewStay.make({
        property_id: propertyId,
        check_in_date,
        check_out_date,
        number_of_guests: 1,
        number_of_adults: 1,
        guest_name: guestName ?? null,
        guest_phone: null,
        guest_email: null,
        rate: "0.0000",
        commission: null,
        accommodation_revenue: "0.0000",
        channel_remarks: toChannelRemarks(booking),
        guests: guestName === undefined ? [] : [GuestDetails.make({ name: guestName, is_booker: true })]
      })
    ]
  })
}
