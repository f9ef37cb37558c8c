import { hash } from "node:crypto"
import { startOfDay } from "../../contract/time.ts"
import type { HouseEvent } from "../../domain/calendars/property-feeds/house-calendar/house-events.ts"
import { HOUSE_FEED_VALUE_LENGTH } from "../../platform/limits.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"
import type { FeedDay, PropertyFeedSource } from "./feed-text.ts"

const FEED_START = renderIcalendarStart({ product: "House calendar", refreshSeconds: 15 * 60 })

/** Rental Control ignores a reservation with this summary, unless its description has a code of Airbnb. */
const SUMMARY_WITHOUT_NAME = "Reserved"

/**
 * Renders the text of a house calendar in the lines that Rental Control for Home Assistant reads. The events' time
 * stamp is the start of the operator's day, as in the other feeds.
 */
export const renderHouseFeedText = (
  houseEvents: ReadonlyArray<HouseEvent>,
  { today, time_zone }: FeedDay,
  source: PropertyFeedSource
): string => {
  const events = houseEvents.map((event) => ({
    uid: eventUid(source, event.stayId),
    summary: toLineValue(event.guestName ?? "") || SUMMARY_WITHOUT_NAME,
    descriptionLines: toDescriptionLines(event),
    start: event.checkInDate,
    end: event.checkOutDate
  }))
  return [FEED_START, renderBusyEvents(events, startOfDay(today, time_zone)), ICALENDAR_END].join("")
}

/** Rental Control generates codes only from a line `Last 4 Digits:`, or else from the end of the phone number. */
export const toDescriptionLines = (event: HouseEvent): ReadonlyArray<string> => {
  const { checkInTime, checkOutTime, reservationCode, numberOfGuests, phone, doorCode } = event
  const values: ReadonlyArray<readonly [name: string, value: string | number | undefined]> = [
    ["Check-in", checkInTime],
    ["Check-out", checkOutTime],
    ["Booking ID", reservationCode],
    ["Guests", numberOfGuests],
    ["Phone", phone],
    ["Door code", doorCode],
    ["Last 4 Digits", doorCode !== undefined && FOUR_DIGITS.test(doorCode) ? doorCode : undefined]
  ]
  return values.flatMap(([name, value = ""]) => {
    const lineValue = toLineValue(String(value))
    return lineValue === "" ? [] : [`${name}: ${lineValue}`]
  })
}

const FOUR_DIGITS = /^[0-9]{4}$/

/** Removes line breaks, so that a guest's name cannot add a line. Folded lines never consist of spaces alone. */
const toLineValue = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Z}]+/gu, " ").trim()
  return Array.from(line).slice(0, HOUSE_FEED_VALUE_LENGTH).join("").trim()
}

// The token makes the UID secret, because Rental Control can derive door codes from it.
const eventUid = ({ token, host }: PropertyFeedSource, stayId: number): string =>
  `${hash("sha256", `${token} house ${stayId}`).slice(0, 32)}@${host}`
