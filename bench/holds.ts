import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { migrations } from "../migrations/index.ts"
import { layerEmbedded } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import {
  AVAILABILITY_CHANGE_DAYS,
  IDS_MAX,
  PAGE_MAX,
  SHARED_PAGE_PROPERTIES_MAX,
  SUBSCRIPTION_ROOMS_MAX
} from "../src/platform/limits.ts"
import { seedFullOperator } from "./full-operator.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { withScratchDatabase } from "./scratch-database.ts"
import { longestHoldAt, type Server, start } from "./servers.ts"

// How long the largest answers hold the event loop, in which everybody else's calls wait: each list with a page as large
// as it can be, the largest availability answer, on a server and on the embedded database, over both doors. Calls come
// one after the other, so a hold is one call's doing.

const CALLS = Number(process.env["BENCH_CALLS"] ?? 12)
/** Only cases whose name has this in it. */
const ONLY = process.env["BENCH_ONLY"] ?? ""
const AIM_MS = 50

interface Asked {
  readonly method?: "POST"
  readonly path: string | ((index: number) => string)
  /** Of each call in turn. */
  readonly body?: (index: number) => string
  /** No envelope: a page for people or calendar programs. */
  readonly plain?: boolean
}

const headers = { "service-access-token": BENCH_TOKEN, "content-type": "application/json" }

const mcp = (name: string, fields: object): Asked => ({
  method: "POST",
  path: "/mcp",
  body: () => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: fields } })
})

interface Ground {
  readonly ids: ReadonlyArray<number>
  /** Of links to a thousand properties each: one is not opened as often in a minute as the bench does. */
  readonly sharedTokens: ReadonlyArray<string>
  /** Of a link to all properties of an operator who has as many as a subscription can have. */
  readonly entireToken: string
  readonly start: string
  readonly end: string
}

const casesOf = ({
  ids,
  sharedTokens,
  entireToken,
  start: first,
  end: last
}: Ground): Readonly<Record<string, Asked>> => {
  const days = { property_ids: ids.join(","), start_date: first, end_date: last }
  const change = { property_ids: ids, start_date: first, end_date: last }
  const shared = (ending: string) => (index: number) =>
    `/calendar/${sharedTokens[index % sharedTokens.length]}${ending}`
  const list = (path: string): Asked => ({ path: `/v3/${path}${path.includes("?") ? "&" : "?"}limit=${PAGE_MAX}` })
  return {
    "a dictionary, to compare": { path: "/v3/income_items" },
    transactions: list("transactions?start_date=2026-01-01&end_date=2026-12-31"),
    reservations: list("reservations?status=accepted"),
    "reservations, all custom fields full": list("reservations?status=denied"),
    properties: list("properties"),
    "room types": list("room_types"),
    "groups of 1,000 properties": list("groups"),
    "tags of 1,000 properties": list("tags"),
    "staff of 1,000 properties": list("staffs"),
    "share links of 1,000 properties": list("calendar_share_links"),
    tasks: list("tasks"),
    "reservation tags": list("reservation_tags"),
    "availability, 36,600 days": { path: `/v3/availabilities?${new URLSearchParams(days)}` },
    "availability over MCP": mcp("get_property_availability", days),
    "shared calendar, a page of 1,000 properties": { path: shared(""), plain: true },
    "shared calendar, feed of 1,000 properties": { path: shared(".ics"), plain: true },
    [`shared calendar, last page of ${SUBSCRIPTION_ROOMS_MAX}`]: {
      path: `/calendar/${entireToken}?page=${SUBSCRIPTION_ROOMS_MAX / SHARED_PAGE_PROPERTIES_MAX}`,
      plain: true
    },
    "tags over MCP": mcp("query_tags", { limit: PAGE_MAX }),
    [`availability, change of ${AVAILABILITY_CHANGE_DAYS / IDS_MAX} days of ${IDS_MAX} properties`]: {
      method: "POST",
      path: "/v3/availabilities",
      body: (index) => JSON.stringify({ ...change, available: index % 2 === 0 })
    }
  }
}

const call = async (server: Server, { method = "POST", path, body, plain = false }: Asked, index: number) => {
  const init = body === undefined ? { headers } : { method, headers, body: body(index) }
  const address = typeof path === "string" ? path : path(index)
  const response = await fetch(`${server.url}${address}`, init)
  const text = await response.text()
  if (!plain && !/\\?"error_code\\?":0/.test(text)) throw new Error(`${address}: ${text.slice(0, 300)}`)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return text.length
}

const measure = async (title: string, env: Record<string, string>, ground: Ground) => {
  const server = await start(title, ["bin/latchkey.js", "serve", "--workers", "1"], {
    DEMO: "0",
    LOG_FORMAT: "json",
    ...env
  })
  console.log(`\n${title}: the longest of ${CALLS} calls each (aim: held at most ${AIM_MS} ms)`)
  for (const [name, asked] of Object.entries(casesOf(ground))) {
    if (!name.includes(ONLY)) continue
    // Compiled and prepared first: what is measured is a service that runs.
    for (let index = 0; index < 3; index++) await call(server, asked, index)
    await longestHoldAt(server.url)
    const started = performance.now()
    let characters = 0
    for (let index = 0; index < CALLS; index++) characters = await call(server, asked, index)
    const each = (performance.now() - started) / CALLS
    const { wall, processor } = await longestHoldAt(server.url)
    console.log(
      `  ${name.padEnd(40)} held ${processor.toFixed(0).padStart(4)} ms of processor, ${wall.toFixed(0).padStart(4)} ms in all   answered in ${each.toFixed(0).padStart(4)} ms   ${(characters / 1024).toFixed(0).padStart(6)} kB${processor > AIM_MS ? "   over the aim" : ""}`
    )
  }
  await server.stop()
}

const onServer = withScratchDatabase((url) =>
  Effect.flatMap(seedFullOperator, (ground) =>
    Effect.promise(() => measure("PostgreSQL", { DATABASE_URL: url }, ground))
  )
)

const embedded = Effect.acquireUseRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-bench-"))),
  (folder) =>
    migrate(migrations).pipe(
      Effect.andThen(seedFullOperator),
      Effect.provide(layerEmbedded(folder)),
      Effect.flatMap((ground) =>
        Effect.promise(() => measure("embedded database", { DATABASE_URL: "", DATA_DIR: folder }, ground))
      )
    ),
  (folder) => Effect.promise(() => rm(folder, { recursive: true }))
)

NodeRuntime.runMain(Effect.andThen(onServer, embedded))
