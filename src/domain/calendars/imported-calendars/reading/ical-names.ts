export const READ_PROPERTIES: ReadonlySet<string> = new Set(
  `UID DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID SEQUENCE STATUS TRANSP SUMMARY FREEBUSY
   TZID TZOFFSETFROM TZOFFSETTO X-LIC-LOCATION`.split(/\s+/)
)

/** Texts by which bookings are recognized. They affect no busy day. */
export const KEPT_TEXT_PROPERTIES: ReadonlySet<string> = new Set(["DESCRIPTION", "PRODID"])

/** From RFC 5545, 7953, 7986, 9073, 9074 and 9253. */
const OTHER_PROPERTIES: ReadonlySet<string> = new Set(
  `ACKNOWLEDGED ACTION ATTACH ATTENDEE BUSYTYPE CALENDAR-ADDRESS CALSCALE CATEGORIES CLASS COLOR COMMENT COMPLETED CONCEPT
   CONFERENCE CONTACT CREATED DESCRIPTION DTSTAMP DUE EXRULE GEO IMAGE LAST-MODIFIED LINK LOCATION LOCATION-TYPE METHOD NAME
   ORGANIZER PARTICIPANT-TYPE PERCENT-COMPLETE PRIORITY PRODID PROXIMITY REFID REFRESH-INTERVAL RELATED-TO REPEAT
   REQUEST-STATUS RESOURCE-TYPE RESOURCES SOURCE STRUCTURED-DATA STYLED-DESCRIPTION TRIGGER TZNAME TZUNTIL TZURL URL VERSION`.split(
    /\s+/
  )
)

/** Further names that occur in VCALENDAR: names for time zones, and TZ and DAYLIGHT of vCalendar 1.0. */
const CALENDAR_PROPERTIES: ReadonlySet<string> = new Set(["UID", "TZID", "TIMEZONE-ID", "TZ", "DAYLIGHT"])

/** A BEGIN with another name and without an END is taken for a line of a text. */
export const COMPONENTS: ReadonlySet<string> = new Set(
  `VCALENDAR VEVENT VTODO VJOURNAL VFREEBUSY VTIMEZONE STANDARD DAYLIGHT VALARM VAVAILABILITY AVAILABLE PARTICIPANT VLOCATION
   VRESOURCE`.split(/\s+/)
)

/** When one of these begins, the one before it has ended. */
export const CALENDAR_CHILDREN: ReadonlySet<string> = new Set([
  "VEVENT",
  "VTODO",
  "VJOURNAL",
  "VFREEBUSY",
  "VTIMEZONE",
  "VAVAILABILITY"
])

export const DATED_COMPONENTS: ReadonlySet<string> = new Set([
  "VEVENT",
  "VFREEBUSY",
  "VTIMEZONE",
  "STANDARD",
  "DAYLIGHT"
])

const CONTAINERS: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["STANDARD", ["VTIMEZONE"]],
  ["DAYLIGHT", ["VTIMEZONE"]],
  ["AVAILABLE", ["VAVAILABILITY"]],
  ["VALARM", ["VEVENT", "VTODO"]]
])

/** Any other component with times may be an event under a misspelt name. */
export const mayHaveTimes = (name: string, container: string): boolean =>
  name === "VCALENDAR" || CALENDAR_CHILDREN.has(name) || CONTAINERS.get(name)?.includes(container) === true

/** The standard requires `X-`, but some programs write `X_`. */
export const isExtensionName = (name: string): boolean => /^X[-_]/.test(name)

export const isKnownProperty = (name: string): boolean =>
  READ_PROPERTIES.has(name) || OTHER_PROPERTIES.has(name) || isExtensionName(name)

/** Servers report their own errors in REQUEST-STATUS, so it does not count. */
export const isCalendarProperty = (name: string): boolean =>
  CALENDAR_PROPERTIES.has(name) || (OTHER_PROPERTIES.has(name) && name !== "REQUEST-STATUS") || isExtensionName(name)

/** An edit is a missing, different or swapped letter. */
const isWithinEdits = (edits: number, one: string, other: string): boolean => {
  if (Math.abs(one.length - other.length) > edits) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [rest, otherRest] = [one.slice(at), other.slice(at)]
  if (rest === "" || otherRest === "") return true
  if (edits === 0) return false
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0]
  return (
    isWithinEdits(edits - 1, rest.slice(1), otherRest.slice(1)) ||
    isWithinEdits(edits - 1, rest.slice(1), otherRest) ||
    isWithinEdits(edits - 1, rest, otherRest.slice(1)) ||
    (isSwapped && isWithinEdits(edits - 1, rest.slice(2), otherRest.slice(2)))
  )
}

const MAX_MISSPELT_LETTERS = 2

/** A shortened name has at least half of the letters of `whole`, in order, and no others. */
const isShortenedName = (name: string, whole: string): boolean => {
  if (name.length > whole.length || name.length < whole.length / 2) return false
  let at = 0
  for (const letter of whole) if (letter === name[at]) at += 1
  return at === name.length
}

export const isSimilarName = (name: string, whole: string): boolean =>
  whole.startsWith(name) ||
  name.startsWith(whole) ||
  isShortenedName(name, whole) ||
  isWithinEdits(MAX_MISSPELT_LETTERS, name, whole)

const DATE_PROPERTIES = ["DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "FREEBUSY"]

export const isSimilarToDateProperty = (name: string): boolean =>
  DATE_PROPERTIES.some((each) => isSimilarName(name, each))
