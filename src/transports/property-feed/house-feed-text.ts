import { hash } from "node:crypto"
import { startOfDay } from "../../contract/time.ts"
import type { HouseEvent } from "../../domain/calendars/property-feeds/house-calendar/house-events.ts"
import { HOUSE_FEED_VALUE_LENGTH } from "../../platform/limits.ts"
import { ICALENDAR_END, renderBusyEvents, renderIcalendarStart } from "../pages/icalendar.ts"
import type { FeedDay, PropertyFeedSource } from "./feed-text.ts"

const FEED_START = renderIcalendarStart({ product: "House calendar", refreshSeconds: 15 * 60 })

/** Rental Control makes no door code for an event with this summary, unless the description has an Airbnb code. */
const SUMMARY_WITHOUT_NAME = "Reserved"

/**
 * Renders a house calendar. Rental Control for Home Assistant reads the lines of the descriptions. The events' time stamp
 * is the start of the operator's day, as in the other feeds.
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

/**
 * Returns one line per value that the event has. Rental Control makes its codes of the line `Last 4 Digits:`, or without
 * it of the end of the phone number.
 */
export const toDescriptionLines = (event: HouseEvent): ReadonlyArray<string> => {
  const { checkInTime, checkOutTime, bookingId, numberOfGuests, phone, doorCode } = event
  const values: ReadonlyArray<readonly [name: string, value: string | number | undefined]> = [
    ["Check-in", checkInTime],
    ["Check-out", checkOutTime],
    ["Booking ID", bookingId],
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

/** Replaces line breaks and repeated spaces by one space, so that a guest's name cannot add a line. */
const toLineValue = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Z}]+/gu, " ").trim()
  return Array.from(line).slice(0, HOUSE_FEED_VALUE_LENGTH).join("").trim()
}

// The hash contains the token, so that nobody else can compute the UID: Rental Control can make door codes of it.
const eventUid = ({ token, host }: PropertyFeedSource, stayId: number): string =>
  `${hash("sha256", `${token} house ${stayId}`).slice(0, 32)}@${host}`
