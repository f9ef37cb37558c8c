// Seconds from the first to the last step of each workflow, over the public API of a served process with the demo data.
// Usage: node bench/workflows.ts [RUNS].
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { median } from "./figures.ts"

const runs = Number(process.argv[2] ?? 5)
const POLL_MS = 250
const WAIT_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), "latchkey-workflows-"))

const bookings: Array<string> = []
const feedServer = createServer((_request, response) => {
  response.setHeader("content-type", "text/calendar")
  response.end(
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Airbnb Inc//Hosting Calendar//EN",
      ...bookings,
      "END:VCALENDAR",
      ""
    ].join("\r\n")
  )
})
feedServer.listen(0, "127.0.0.1")
await once(feedServer, "listening")
const portOf = (server: { readonly address: () => AddressInfo | string | null }): number => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.")
  return address.port
}

const PORT = 8193
const url = `http://127.0.0.1:${PORT}`
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const service = spawn(process.execPath, ["bin/latchkey.js", "serve", "--workers", "1"], {
  env: {
    ...environment,
    PORT: String(PORT),
    DATA_DIR: join(folder, "data"),
    DEMO: "1",
    WEBHOOK_ALLOWED_HOSTS: "127.0.0.1"
  }
})
process.on("exit", () => service.kill("SIGKILL"))
let log = ""
service.stdout.on("data", (text) => {
  log += String(text)
})

/** Repeats a step until it returns a value, and fails after a minute. */
const waitFor = async <A>(
  what: string,
  step: () => Promise<A | undefined> | A | undefined,
  pollMs = POLL_MS
): Promise<A> => {
  const end = performance.now() + WAIT_MS
  for (;;) {
    const found = await step()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`${what}: not within ${WAIT_MS / 1_000} seconds.`)
    await sleep(pollMs)
  }
}

const token = await waitFor("the token of the demo operator", () => /lk_[\w-]+/.exec(log)?.[0])

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${url}/v3${path}`, {
    method,
    headers: { "service-access-token": token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const { error_code, error_msg, data } = JSON.parse(await response.text())
  if (error_code !== 0) throw new Error(`${method} ${path}: ${error_msg}`)
  return data
}

const dateInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const compactDate = (date: string): string => date.replaceAll("-", "")

const { properties } = await call("GET", "/properties")
const { custom_channels } = await call("GET", "/custom_channels")
const { income_methods } = await call("GET", "/income_methods")
const property: number = properties[0].id
// A property that an account of the channel sells gets no stays from calendars.
const { property_id: importing } = await call("POST", "/properties", { title: "Harbour 9" })
const channels: ReadonlyArray<{ channel_type: string; listing_id: string; readonly: boolean }> = (
  await call("GET", `/pricing_ratios?property_id=${property}`)
).channels
const listing = channels.find(({ readonly }) => !readonly)
if (listing === undefined) throw new Error("The demo property has no listing whose prices can be set.")
await call("POST", "/automation/rules", {
  name: "Cleaning",
  action: "task",
  trigger: { event: "check_out", when: "after", hours: 0 },
  task: { type: "cleaning", level: "standard", staff: "property" }
})
const house = await call("POST", "/property_feeds", {
  property_id: property,
  kind: "house",
  fields: ["code", "guests"]
})
await call("PATCH", `/properties/${property}`, { fees: [{ name: "Cleaning", amount: 40, per: "stay" }] })
const { imported_calendar_id: calendar } = await call("POST", "/imported_calendars", {
  property_id: importing,
  url: `http://127.0.0.1:${portOf(feedServer)}/calendar.ics`,
  events: "stay",
  channel_type: "vrbo"
})

const quote = (day: number) =>
  call("POST", "/quotes", {
    property_id: property,
    check_in_date: dateInDays(day),
    check_out_date: dateInDays(day + 2),
    number_of_guests: 2
  })

const book = async (day: number): Promise<string> => {
  const { quote_id } = await quote(day)
  const { reservation_code } = await call("POST", "/reservations", {
    quote_id,
    property_id: property,
    custom_channel_id: custom_channels[0].id,
    check_in_date: dateInDays(day),
    check_out_date: dateInDays(day + 2),
    guest_name: "Ada Moreau",
    received_amount: 0,
    income_method_id: income_methods[0].id
  })
  return reservation_code
}

/** Each returns when its last step was seen. */
const WORKFLOWS: Readonly<Record<string, (day: number) => Promise<unknown>>> = {
  "POST /base_prices → price on the channel": async (day) => {
    const [start_date, end_date] = [dateInDays(day), dateInDays(day + 1)]
    await call("POST", "/base_prices", {
      property_id: property,
      ranges: [{ start_date, end_date, price: 100 + (day % 50) }]
    })
    return waitFor(
      "the price on the channel",
      async () => {
        const { listings } = await call("POST", "/listings/calendar", { start_date, end_date, listings: [listing] })
        return (
          listings[0].calendar.every(({ price }: { price: number }) => Math.abs(price - priceOf(day)) < 1) || undefined
        )
      },
      600
    )
  },
  "POST /quotes → reservation": book,
  "POST /reservations → cleaning in GET /tasks": async (day) => {
    const code = await book(day)
    return waitFor("the cleaning", async () =>
      (await call("GET", `/tasks?stay_code=${code}`)).tasks.find(
        ({ stay_code, type }: { stay_code: string; type: string }) => stay_code === code && type === "cleaning"
      )
    )
  },
  "event in a feed, fetched → reservation": async (day) => {
    const code = `HM${String(day).padStart(8, "0")}`
    bookings.push(
      "BEGIN:VEVENT",
      `UID:${code}@example.com`,
      "DTSTAMP:20261101T000000Z",
      `DTSTART;VALUE=DATE:${compactDate(dateInDays(day))}`,
      `DTEND;VALUE=DATE:${compactDate(dateInDays(day + 2))}`,
      "SUMMARY:Reserved",
      `DESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservations/details/${code}`,
      "END:VEVENT"
    )
    await call("POST", `/imported_calendars/${calendar}/fetch`)
    return waitFor("the stay", async () =>
      (
        await call("GET", `/reservations?start_check_in_date=${dateInDays(day)}&end_check_in_date=${dateInDays(day)}`)
      ).reservations.find(({ reservation_code }: { reservation_code: string }) => reservation_code.startsWith("9-"))
    )
  },
  "POST /reservations → event of the house calendar": async (day) => {
    const code = await book(day)
    return waitFor(
      "the event",
      async () => {
        const text = await (await fetch(house.url)).text()
        return text.replaceAll("\r\n ", "").includes(code) || undefined
      },
      2_500
    )
  }
}

const { ratio } = (await call("GET", `/pricing_ratios?property_id=${property}`)).channels.find(
  (each: { listing_id: string }) => each.listing_id === listing.listing_id
)
const priceOf = (day: number): number => ((100 + (day % 50)) * ratio) / 100

await call("POST", "/base_prices", {
  property_id: property,
  ranges: [{ start_date: dateInDays(200), end_date: dateInDays(500), price: 90 }]
})
let day = 210
for (const [name, run] of Object.entries(WORKFLOWS)) {
  const seconds: Array<number> = []
  for (let turn = 0; turn < runs; turn += 1) {
    day += 4
    const start = performance.now()
    await run(day)
    seconds.push((performance.now() - start) / 1_000)
  }
  console.log(
    `${name.padEnd(50)} median of ${runs}: ${median(seconds).toFixed(2)} s, longest ${Math.max(...seconds).toFixed(2)} s`
  )
}

service.kill("SIGTERM")
feedServer.close()
await once(service, "exit")
rmSync(folder, { recursive: true, force: true })
