import { ARRIVALS, bookings } from "./bookings.ts"
import { type Ground, newEntry } from "./ground.ts"
import type { Load } from "./measure.ts"
import { BENCH_TOKEN } from "./operator.ts"

// What is asked of the servers side by side. Aims are by processor time; where none is said, the ratio is only told.

/** A request, whichever server it goes to. */
export interface Asked extends Pick<Load, "method" | "headers" | "body" | "expected"> {
  readonly path: string
}

export type ServerName =
  | "latchkey"
  | "before"
  | "equal duties"
  | "equal duties, untraced"
  | "fastify"
  | "raw"
  | "windows off"
  | "all exported"

export interface Participant {
  readonly name: string
  readonly server: ServerName
  readonly asked: Asked
}

/** One of the participants beside another. */
export interface Held {
  readonly one: string
  readonly other: string
  readonly aim?: number
}

export interface Case {
  readonly title: string
  readonly participants: ReadonlyArray<Participant>
  readonly held: ReadonlyArray<Held>
}

interface Aims {
  readonly equalDuties?: number
  readonly fastify?: number
}

/** Folder of another checkout, such as the release before, to measure beside this one. */
export const BEFORE = process.env["BENCH_BEFORE"] ?? ""

/** Servers that are not measured this time, to save minutes. Separated by semicolons, because a name has a comma. */
const LEFT_OUT: ReadonlySet<string> = new Set((process.env["BENCH_LEFT_OUT"] ?? "").split(";"))

const CONNECTIONS = 32

export const loadOf = (url: string, { path, ...asked }: Asked): Load => ({
  ...asked,
  url: `${url}${path}`,
  connections: CONNECTIONS
})

const held = (one: string, other: string, aim: number | undefined): Held =>
  aim === undefined ? { one, other } : { one, other, aim }

/** Both are told: the one makes spans for nobody, which the service does not, and the other makes none at all. */
const toEqualDuties = (aim: number | undefined): ReadonlyArray<Held> => [
  held("latchkey", "equal duties", aim),
  held("latchkey", "equal duties, untraced", undefined)
]

const PARTICIPANTS = (
  ["latchkey", "before", "equal duties", "equal duties, untraced", "fastify", "raw"] as const
).filter((server) => (server !== "before" || BEFORE !== "") && !LEFT_OUT.has(server))

const besideReferences = (title: string, asked: Asked, { equalDuties, fastify }: Aims): Case => ({
  title,
  participants: PARTICIPANTS.map((server) => ({ name: server, server, asked })),
  held: [
    ...(BEFORE === "" ? [] : [held("latchkey", "before", undefined)]),
    ...toEqualDuties(equalDuties),
    held("latchkey", "fastify", fastify),
    held("latchkey", "raw", undefined)
  ]
})

const headers = { "service-access-token": BENCH_TOKEN }
const jsonHeaders = { ...headers, "content-type": "application/json" }

export const MONTH = "/v3/transactions?start_date=2025-06-01&end_date=2025-06-30"
export const entryAt = ({ entryId }: Ground): string => `/v3/transactions?id=${entryId}`

const [FIRST, LAST, ROWS] = ARRIVALS
export const ARRIVALS_PAGE = `/v3/reservations?start_check_in_date=${FIRST}&end_check_in_date=${LAST}&order_by=check_in_date&limit=${ROWS}`
export const reservationAt = ({ channelId }: Ground): string => `/v3/reservations?channel_id=${channelId}`

const mcpRead = ({ entryId }: Ground): Asked => ({
  path: "/mcp",
  method: "POST",
  headers: {
    authorization: `Bearer ${BENCH_TOKEN}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream"
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "search_transactions", arguments: { id: entryId } }
  })
})

/** The service beside itself. */
const ofItself = (ground: Ground): Case => {
  const asked: Asked = { path: entryAt(ground), headers }
  return {
    title: "the same read, other ways",
    participants: [
      { name: "latchkey", server: "latchkey", asked },
      { name: "over MCP", server: "latchkey", asked: mcpRead(ground) },
      { name: "all exported", server: "all exported", asked },
      { name: "windows off", server: "windows off", asked },
      { name: "equal duties", server: "equal duties", asked },
      { name: "equal duties, untraced", server: "equal duties, untraced", asked }
    ],
    held: [
      held("over MCP", "latchkey", 0.5),
      held("all exported", "latchkey", undefined),
      // Here both make spans, and only the service sends them.
      held("all exported", "equal duties", undefined),
      ...toEqualDuties(undefined),
      held("latchkey", "windows off", 0.95)
    ]
  }
}

const refusal = (what: string, asked: Asked): Case => besideReferences(`refusal ${what}`, asked, { fastify: 0.9 })

/**
 * Those that write come last: reads are compared on tables that do not grow meanwhile. Refusals, which ask the database
 * nothing, stand around the case with other servers: those give their connections back meanwhile, for all would need more
 * than the 100 that PostgreSQL has unless told.
 */
export const casesOf = (ground: Ground): ReadonlyArray<Case> => [
  besideReferences("read an entry by id", { path: entryAt(ground), headers }, { equalDuties: 1.8, fastify: 0.85 }),
  besideReferences("page of 20 entries", { path: MONTH, headers }, { equalDuties: 1.8, fastify: 0.85 }),
  besideReferences("page of 20 reservations", { path: ARRIVALS_PAGE, headers }, { equalDuties: 1.5, fastify: 0.6 }),
  besideReferences("look-up of a reservation", { path: reservationAt(ground), headers }, {}),
  refusal("401, no token", { path: MONTH, headers: {}, expected: 401 }),
  ofItself(ground),
  refusal("404, no such route", { path: "/v3/nothing", headers, expected: 404 }),
  refusal("422, limit too large", { path: `${MONTH}&limit=101`, headers, expected: 422 }),
  besideReferences(
    "create an entry",
    {
      path: "/v3/transactions",
      method: "POST",
      headers: jsonHeaders,
      body: JSON.stringify(newEntry(ground.propertyId))
    },
    { equalDuties: 1.6, fastify: 0.8 }
  ),
  besideReferences(
    "create a reservation",
    { path: "/v3/reservations", method: "POST", headers: jsonHeaders, body: bookings(ground.houses) },
    {}
  )
]
