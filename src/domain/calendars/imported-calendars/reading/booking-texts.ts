import { CALENDAR_GUEST_NAME_LENGTH } from "../../../../platform/limits.ts"
import type { BookingDetails } from "../../calendar-stays/stay-link.ts"

// Recognizes bookings by the texts of marketplaces. See docs/guides/stays-from-calendars.md.

export interface EventTexts {
  readonly summary: string
  readonly description: string
}

/** Decodes a TEXT value of a content line, which has one character per byte and escapes (RFC 5545, 3.3.11). */
export const decodeTextValue = (value: string): string =>
  Buffer.from(value, "latin1")
    .toString("utf8")
    .replace(/\\(.)/gs, (_, character: string) => (character === "n" || character === "N" ? "\n" : character))
    .trim()

const BLOCK_PATTERN =
  /not available|unavailable|\bblocked\b|\bclosed\b|\bblock\b|\bmaintenance\b|\bowner\b|indisponible|blockiert|gesperrt|nicht verfügbar|no disponible|bloqueado|non disponibile|niet beschikbaar/iu

/** Vrbo writes in the language of the host. */
const RESERVED_PATTERN =
  /^(?:reserved|reservation|booked|booking|réservée?|réservation|reserviert|gebucht|buchung|reservad[oa]|reserva|prenotat[oa]|prenotazione|gereserveerd|geboekt)(?=$|[^\p{L}])/iu

const RESERVED_NAME_PATTERN = /^[\p{L}]+\s*[-–—:]\s*(.+)$/su

const CODE_PATTERNS = [
  /\/reservations?\/details\/([A-Z0-9]{6,20})(?![A-Z0-9])/i,
  /\b(?:confirmation|reservation|booking)[ ]+(?:code|id|number|no\.?)[ ]*[:#=]?[ ]*((?=[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{4,29})(?![A-Z0-9-])/i,
  /\b(HM[A-Z0-9]{8}|HA-[A-Z0-9]{6})(?![A-Z0-9-])/
]

const PHONE_DIGITS_PATTERN = /last (?:4|four) digits\)?[^0-9\n]{0,10}(\d{4})(?!\d)/i

const findCode = (text: string): string | undefined => {
  for (const pattern of CODE_PATTERNS) {
    const code = pattern.exec(text)?.[1]
    if (code !== undefined) return code.toUpperCase()
  }
  return undefined
}

/** Returns one line without control characters, or undefined if it names nobody. */
const toGuestName = (text: string | undefined): string | undefined => {
  const name = (text ?? "")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim()
    .slice(0, CALENDAR_GUEST_NAME_LENGTH)
    .toWellFormed()
    .trim()
  return /\p{L}/u.test(name) && !RESERVED_PATTERN.test(name) && findCode(name) === undefined ? name : undefined
}

/**
 * Returns the details of a booking, or undefined for a block. `namesGuests`: the summary of a booking is only the guest's
 * name, as in feeds of Smoobu.
 */
export const recognizeBooking = (
  { summary, description }: EventTexts,
  namesGuests: boolean
): BookingDetails | undefined => {
  if (BLOCK_PATTERN.test(summary)) return undefined
  const isReserved = RESERVED_PATTERN.test(summary)
  const confirmationCode = findCode(description) ?? findCode(summary)
  const phoneDigits = PHONE_DIGITS_PATTERN.exec(description)?.[1]
  const plainName = namesGuests && !isReserved ? toGuestName(summary) : undefined
  if (!isReserved && confirmationCode === undefined && phoneDigits === undefined && plainName === undefined)
    return undefined
  const guestName = plainName ?? (isReserved ? toGuestName(RESERVED_NAME_PATTERN.exec(summary)?.[1]) : undefined)
  return { guestName, confirmationCode, phoneDigits }
}

export type FeedOrigin = "airbnb" | "booking.com" | "vrbo" | "smoobu" | "latchkey"

const ORIGIN_PATTERNS: ReadonlyArray<readonly [FeedOrigin, RegExp]> = [
  ["latchkey", /latchkey/i],
  ["airbnb", /airbnb/i],
  ["booking.com", /booking\.com/i],
  ["vrbo", /vrbo|homeaway|abritel|fewo-direkt|stayz/i],
  ["smoobu", /smoobu/i]
]

/** `product` is the PRODID of the calendar. */
export const findFeedOrigin = (product: string): FeedOrigin | undefined =>
  ORIGIN_PATTERNS.find(([, pattern]) => pattern.test(product))?.[0]
