import ICAL from "ical.js"

// How Rental Control for Home Assistant reads an event. Written anew after
// https://github.com/tykeal/homeassistant-rental-control, commit 3f0630a: sensors/calsensor_helpers/descriptions.py,
// coordinator_helpers/codegen.py, description_parser.py and get_slot_name of helpers.py.

const firstGroup = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1]?.trim()

const readLastFour = (description: string): string | undefined => {
  const explicitDigits = firstGroup(/\(?Last 4 Digits\)?:\s+(\d{4})(?!\d)/, description)
  return explicitDigits ?? readPhone(description)?.replaceAll(" ", "").slice(-4)
}

const readPhone = (description: string): string | undefined =>
  firstGroup(/Phone(?: Number)?:\s+(\+?[\d. \-()]{9,})/, description)

/** The name of the lock's slot. Undefined: the event gets no door code. */
const readSlotName = (summary: string, description: string): string | undefined => {
  if (/Not available|Blocked/.test(summary)) return undefined
  return summary === "Reserved" ? firstGroup(/([A-Z][A-Z0-9]{9})/, description) : summary
}

export const readRentalControlEvent = (summary: string, description: string) => ({
  slotName: readSlotName(summary, description),
  bookingId: firstGroup(/Booking ID:\s*(.+)$/m, description),
  guests: firstGroup(/Guests:\s+(\d+)$/m, description),
  phone: readPhone(description),
  lastFour: readLastFour(description),
  checkInTime: firstGroup(/check-?in(?:\s+time)?\s*:\s*(\d{1,2}(?::\d{2})?)(?!\d|:)/i, description),
  checkOutTime: firstGroup(/check-?out(?:\s+time)?\s*:\s*(\d{1,2}(?::\d{2})?)(?!\d|:)/i, description),
  /** Every other line `Name: value` is an attribute of the sensor. */
  doorCode: firstGroup(/^Door code:\s+(.+)$/m, description)
})

/** The events of a house calendar as Rental Control reads them, with their days and all lines of their descriptions. */
export const readRentalControlCalendar = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent").map((component) => {
    const { uid, summary, description, startDate, endDate } = new ICAL.Event(component)
    return {
      uid,
      summary,
      start: startDate.toString(),
      end: endDate.toString(),
      lines: description.split("\n"),
      ...readRentalControlEvent(summary, description)
    }
  })
