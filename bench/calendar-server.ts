import { createServer } from "node:http"

// A marketplace that gives out calendars, in a process of its own, so that its work is not counted: `/3.ics` is the third.
// It says on which port it listens, and changes what it serves when told.

/** What it serves from now on. */
export interface Served {
  /** Calendars below this number have the events of another version. */
  readonly changed: number
  /** Whether an answer has an `ETag`, and is not sent again to who has it. */
  readonly tagged: boolean
}

const EVENTS = Number(process.argv[2] ?? 200)
const DAY_MS = 86_400_000

let served: Served = { changed: 0, tagged: true }

const dateOf = (day: number): string =>
  new Date(Math.floor(Date.now() / DAY_MS + day) * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")

/** Every fifth day from tomorrow on two nights; another version begins a day later. */
const calendarOf = (nth: number, version: number): string => {
  const events = Array.from({ length: EVENTS }, (_, event) => {
    const start = 1 + version + event * 5
    return [
      "BEGIN:VEVENT",
      `DTSTAMP:20260101T000000Z`,
      `DTSTART;VALUE=DATE:${dateOf(start)}`,
      `DTEND;VALUE=DATE:${dateOf(start + 2)}`,
      "SUMMARY:Reserved",
      `UID:${nth}-${version}-${event}@example.com`,
      `DESCRIPTION:Reservation URL: https://example.com/hosting/reservations/details/HM${nth}X${event}\\nPhone Number (Last `,
      "  4 Digits): 0000",
      "END:VEVENT"
    ].join("\r\n")
  })
  return [
    "BEGIN:VCALENDAR",
    "PRODID:-//Bench//Calendars 1.0//EN",
    "VERSION:2.0",
    "CALSCALE:GREGORIAN",
    ...events,
    "END:VCALENDAR",
    ""
  ].join("\r\n")
}

const server = createServer((request, response) => {
  const nth = Number.parseInt((request.url ?? "/").slice(1), 10)
  const version = nth < served.changed ? 1 : 0
  const etag = `"${nth}-${version}"`
  if (served.tagged && request.headers["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end()
    return
  }
  response.writeHead(200, { "content-type": "text/calendar; charset=utf-8", ...(served.tagged ? { etag } : {}) })
  response.end(calendarOf(nth, version))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(typeof address === "object" ? address?.port : undefined)
})
process.on("message", (message: Served) => {
  served = message
  process.send?.("served")
})
process.on("disconnect", () => process.exit(0))
