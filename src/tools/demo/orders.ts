import { addDays, toInstant } from "../../contract/time.ts"
import { DEMO_PROPERTIES } from "./properties.ts"

type DemoOrderStatus = "wait_accept" | "wait_pay" | "accepted" | "cancelled" | "denied" | "timeout"

interface DemoStay {
  readonly code: string
  /** Index in DEMO_PROPERTIES. */
  readonly propertyIndex: number
  readonly checkIn: string
  readonly checkOut: string
  /** In major units of the order's currency. */
  readonly revenue: number
}

export interface DemoOrder {
  readonly code: string
  readonly channelType: string
  readonly channelId: string
  readonly status: DemoOrderStatus
  readonly currency: "EUR" | "GBP"
  readonly bookedAt: Date
  readonly stays: readonly [DemoStay, ...ReadonlyArray<DemoStay>]
}

const DAYS_BEFORE = 46
const DAYS_AFTER = 46

interface DemoBooking {
  readonly properties: readonly [number, ...ReadonlyArray<number>]
  /** Days from today. */
  readonly from: number
  readonly nights: number
  readonly channelType: string
}

const GROUP_BOOKINGS: ReadonlyArray<DemoBooking> = [
  { properties: [0, 1], from: -24, nights: 4, channelType: "booking.com" },
  { properties: [5, 6], from: -12, nights: 3, channelType: "direct" },
  { properties: [5, 6, 7], from: 15, nights: 5, channelType: "airbnb" },
  { properties: [2, 3], from: 30, nights: 2, channelType: "direct" }
]

const CHANNELS = [
  "airbnb",
  "booking.com",
  "direct",
  "vrbo",
  "airbnb",
  "booking_site",
  "expedia",
  "direct",
  "agoda"
] as const
const NIGHTS = [3, 2, 5, 4, 7, 1, 6] as const
const GAPS = [1, 0, 2, 0, 3] as const

const cycle = <A>(list: readonly [A, ...ReadonlyArray<A>], index: number): A => list[index % list.length] ?? list[0]

/** Skips the days of GROUP_BOOKINGS, so that no night is sold twice. */
const bookingsOf = (property: number): ReadonlyArray<DemoBooking> => {
  const groups = GROUP_BOOKINGS.filter((group) => group.properties.includes(property))
  const bookings: Array<DemoBooking> = []
  let from = -DAYS_BEFORE + (property % 3)
  for (let bookingIndex = property; from < DAYS_AFTER; bookingIndex += 1) {
    const nights = cycle(NIGHTS, bookingIndex)
    const group = groups.find((each) => each.from < from + nights && from < each.from + each.nights)
    if (group === undefined) {
      bookings.push({ properties: [property], from, nights, channelType: cycle(CHANNELS, bookingIndex * 2 + property) })
      from += nights + cycle(GAPS, bookingIndex)
    } else {
      from = group.from + group.nights
    }
  }
  return bookings
}

const statusOf = (booking: DemoBooking, number: number): DemoOrderStatus => {
  if (booking.properties.length > 1) return "accepted"
  if (number % 13 === 5) return "cancelled"
  if (booking.from < 7) return "accepted"
  if (number % 17 === 3) return booking.channelType === "direct" ? "wait_pay" : "wait_accept"
  if (number % 29 === 11) return "denied"
  return number % 31 === 7 ? "timeout" : "accepted"
}

const digitsOf = (number: number): string => String(48_120_375 + number * 7_919)
const tailOf = (number: number): string => (1_679_616 + ((number * 514_229) % 58_786_559)).toString(36).toUpperCase()

const codesOf = (
  booking: DemoBooking,
  number: number
): { readonly channelId: string; readonly stay: (room: number) => string } => {
  const digits = digitsOf(number)
  const tail = tailOf(number)
  const suffix = (room: number) => (room === 0 ? "" : `_${room}`)
  return booking.channelType === "direct"
    ? { channelId: `M${digits}${tail}`, stay: (room) => `5-M${digits}${tail}${suffix(room)}` }
    : { channelId: digits, stay: (room) => `0-${digits}${suffix(room)}-${tail}` }
}

/** Sorted by check-in date. The orders are the same at each start on the same day. */
export const makeDemoOrders = (today: string, timeZone: string): ReadonlyArray<DemoOrder> =>
  [...GROUP_BOOKINGS, ...DEMO_PROPERTIES.flatMap((_, property) => bookingsOf(property))]
    .toSorted((one, other) => one.from - other.from)
    .map((booking, number) => {
      const codes = codesOf(booking, number)
      const checkIn = addDays(today, booking.from)
      const stay = (propertyIndex: number, room: number): DemoStay => ({
        code: codes.stay(room),
        propertyIndex,
        checkIn,
        checkOut: addDays(checkIn, booking.nights),
        revenue: (DEMO_PROPERTIES[propertyIndex]?.nightlyPrice ?? 0) * booking.nights
      })
      const [first, ...others] = booking.properties
      const bookedOn = addDays(today, Math.min(booking.from - 7 - ((number * 5) % 63), -1))
      return {
        code: codes.stay(0),
        channelType: booking.channelType,
        channelId: codes.channelId,
        status: statusOf(booking, number),
        currency: DEMO_PROPERTIES[first]?.currency ?? "EUR",
        bookedAt: toInstant(
          `${bookedOn}T${String(9 + (number % 12)).padStart(2, "0")}:${10 + (number % 50)}:00`,
          timeZone
        ),
        stays: [stay(first, 0), ...others.map((property, index) => stay(property, index + 1))]
      }
    })
