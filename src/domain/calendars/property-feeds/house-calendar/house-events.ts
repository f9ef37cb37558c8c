import { Schema } from "effect"
import { GuestPortalStay } from "../../../bookings/check-in/guest-portal-stay.ts"
import { findVisibleDoorCode } from "../../../bookings/check-in/rules.ts"
import { findPhoneDigits, isCalendarOrderCode } from "../../calendar-stays/calendar-order.ts"
import type { HouseCalendar } from "./house-calendar.ts"

export const HouseStay = Schema.Struct({
  ...GuestPortalStay.fields,
  reservation_code: Schema.String,
  channel_id: Schema.String,
  guest_phone: Schema.NullOr(Schema.String),
  channel_remarks: Schema.String,
  /** Whether the guest's data was erased. */
  is_erased: Schema.Boolean
})
export type HouseStay = typeof HouseStay.Type

/** A value is undefined if the host did not choose its field, or if the stay has none. */
export interface HouseEvent {
  readonly stayId: number
  readonly checkInDate: string
  readonly checkOutDate: string
  /** `HH:mm`. */
  readonly checkInTime: string
  readonly checkOutTime: string
  readonly guestName: string | undefined
  readonly bookingId: string | undefined
  readonly numberOfGuests: number | undefined
  /** Digits, after a plus sign if the number has one. */
  readonly phone: string | undefined
  readonly doorCode: string | undefined
}

/** Returns the event of a stay. The event of an erased guest has only dates and times. */
export const toHouseEvent = (stay: HouseStay, calendar: HouseCalendar, now: Date): HouseEvent => {
  const fields = new Set(stay.is_erased ? [] : calendar.fields)
  return {
    stayId: stay.id,
    checkInDate: stay.check_in_date,
    checkOutDate: stay.check_out_date,
    checkInTime: stay.check_in_time,
    checkOutTime: stay.check_out_time,
    guestName: fields.has("guest_name") ? textOrUndefined(stay.guest_name) : undefined,
    bookingId: fields.has("code") ? toBookingId(stay) : undefined,
    numberOfGuests: fields.has("guests") ? stay.number_of_guests : undefined,
    phone: fields.has("phone") ? toDialedNumber(stay.guest_phone) : undefined,
    doorCode: fields.has("door_code") ? findDoorCode(stay, calendar, now) : undefined
  }
}

/**
 * Returns `channel_id` for a stay from an imported calendar: the channel's confirmation code, if the feed has one. It
 * has a suffix such as `-2` if the booking came back after a cancellation. Rental Control gives an event named
 * `Reserved` a door code only if the description has an Airbnb code. It ignores the suffix.
 */
const toBookingId = ({ reservation_code, channel_id }: HouseStay): string =>
  isCalendarOrderCode(reservation_code) ? channel_id : reservation_code

/** Returns the code only while the guest portal would show it. */
const findDoorCode = (stay: HouseStay, { doorCodeSource }: HouseCalendar, now: Date): string | undefined => {
  const phoneCode = doorCodeSource === "phone_last_four" ? findPhoneCode(stay) : undefined
  return findVisibleDoorCode({ ...stay, lock_code: textOrUndefined(stay.lock_code) ?? phoneCode ?? null }, now)
}

/** The feed of a marketplace names only the last four digits, which are not a phone number. */
const findPhoneCode = ({ reservation_code, guest_phone, channel_remarks }: HouseStay): string | undefined =>
  findLastFourDigits(guest_phone) ??
  (isCalendarOrderCode(reservation_code) ? findPhoneDigits(channel_remarks) : undefined)

const textOrUndefined = (text: string | null): string | undefined => {
  const trimmed = text?.trim() ?? ""
  return trimmed === "" ? undefined : trimmed
}

/** Returns the digits, after a plus sign if the text begins with one. Returns undefined if the text has no digits. */
export const toDialedNumber = (phone: string | null): string | undefined => {
  const digits = toDigits(phone)
  if (digits === "") return undefined
  return phone?.trim().startsWith("+") === true ? `+${digits}` : digits
}

/** Returns undefined if the phone number has fewer than four digits. */
export const findLastFourDigits = (phone: string | null): string | undefined => {
  const digits = toDigits(phone)
  return digits.length < 4 ? undefined : digits.slice(-4)
}

const toDigits = (phone: string | null): string => phone?.replace(/[^0-9]/g, "") ?? ""
