import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrivals } from "../attacks/arrivals.ts"
import { embeddedGround, type Ground, serverGround } from "../attacks/grounds.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { subscribe } from "../attacks/subscribing.ts"
import type { Estate } from "../attacks/writing.ts"
import type { Fault, Suffered } from "./fault.ts"
import { load } from "./load.ts"
import { grownEstate, mixFor } from "./mix.ts"
import { server } from "./places-to-cause.ts"

// A long time at half of what can be served, with everything that holds something: webhooks, sessions of MCP, pages of the
// console, callers that wait at the feed and hang up. What grows all the time is a leak.

/** Minutes of it: an hour, or as SOAK_MINUTES says. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60)
/** Milliseconds between two looks; those in the first quarter, while the process still warms up, do not count. */
const LOOK_MS = 10_000
const WARMS_UP = 0.25

/** What may be grown by from the first of the looks that count to the last, as a straight line through them has it. */
const GROWN_MB = 40
const GROWN_FILES = 5
const GROWN_BACKENDS = 1

interface Look {
  readonly minutes: number
  readonly residentMb: number
  readonly heapMb: number
  readonly files: number
  readonly timers: number
  readonly backends: number
}

/** How a line of `watch-inside.ts` begins. */
const INSIDE = "inside "

/** What the process said last of itself. */
const insideOf = (life: Life): { readonly heapMb: number; readonly timers: number } | undefined => {
  const last = life
    .said()
    .trimEnd()
    .split("\n")
    .findLast((line) => line.startsWith(INSIDE))
  if (last === undefined) return undefined
  const [heapMb = 0, timers = 0] = last.slice(INSIDE.length).split(" ").map(Number)
  return { heapMb, timers }
}

const backendsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ backends: number }>`
    SELECT count(*)::int AS backends FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
  return row?.backends ?? 0
}).pipe(Effect.orDie)

const lookAt = async (life: Life, minutes: number, backends: number): Promise<Look> => {
  const status = await readFile(`/proc/${life.pid}/status`, "utf8")
  const inside = insideOf(life)
  return {
    minutes,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024,
    heapMb: inside?.heapMb ?? Number.NaN,
    files: (await readdir(`/proc/${life.pid}/fd`)).length,
    timers: inside?.timers ?? Number.NaN,
    backends
  }
}

/** By how much something grew over all looks, by the straight line of least squares. */
export const grownBy = (looks: ReadonlyArray<Look>, what: keyof Look): number => {
  const [first, last] = [looks[0], looks.at(-1)]
  if (first === undefined || last === undefined) return 0
  const mean = (of: (look: Look) => number) => looks.reduce((sum, look) => sum + of(look), 0) / looks.length
  const [at, level] = [mean(({ minutes }) => minutes), mean((look) => look[what])]
  const up = looks.reduce((sum, look) => sum + (look.minutes - at) * (look[what] - level), 0)
  const along = looks.reduce((sum, look) => sum + (look.minutes - at) ** 2, 0)
  return along === 0 ? 0 : (up / along) * (last.minutes - first.minutes)
}

const WATCH = join(import.meta.dirname, "watch-inside.ts")

/** Until it is over: a session of MCP, pages that people look at, and callers that wait at the feed and hang up. */
const beside = async (base: string, { token }: Estate, over: () => boolean): Promise<number> => {
  let failed = 0
  const ask = (path: string, init: RequestInit, patienceMs: number) =>
    fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) })
      .then((response) => response.text())
      .then(
        () => undefined,
        (error: Error) => {
          if (error.name !== "TimeoutError") failed++
        }
      )
  const rpc = (method: string, params: object): RequestInit => ({
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "soak", version: "1" } }
  const each = async (turn: () => Promise<unknown>, pauseMs: number) => {
    while (!over()) {
      await turn()
      await sleep(pauseMs)
    }
  }
  await Promise.all([
    each(async () => {
      await ask("/mcp", rpc("initialize", client), 10_000)
      await ask("/mcp", rpc("tools/call", { name: "query_income_items", arguments: {} }), 10_000)
    }, 500),
    each(() => ask("/console", {}, 10_000), 1_000),
    each(() => ask("/docs", {}, 10_000), 1_000),
    ...[1, 2, 3, 4].map(() =>
      each(
        () =>
          ask(
            "/v3/events?wait=20",
            { headers: { "service-access-token": token } },
            200 + Math.floor(Math.random() * 2_000)
          ),
        50
      )
    )
  ])
  return failed
}

/** Seconds of the load that finds the peak, and of each piece of the load that follows. */
const PEAK_S = 20
const PIECE_S = 30

const soaked = Effect.fnUntraced(function* (ground: Ground) {
  const held = yield* Effect.provide(grownEstate, ground.layer)
  const receiving = yield* arrivals()
  const env = { ...ground.env, NODE_OPTIONS: `--import=${WATCH}` }
  const service = yield* lives({ env })
  const life = yield* service.begin
  yield* subscribe(life.base, held.token, receiving.url)
  const requests = yield* Effect.promise(() => mixFor(life.base, held))
  const peakOf = () => load({ base: life.base, requests, seconds: PEAK_S, arrival: { closed: 16 } })
  yield* Effect.promise(peakOf)
  const { good, seconds } = yield* Effect.promise(peakOf)
  const arrival = { open: good / seconds / 2, connections: 100 }

  const codes = new Map<string, number>()
  const looks: Array<Look> = []
  const began = performance.now()
  const over = () => performance.now() - began > MINUTES * 60_000
  const loaded = async () => {
    while (!over()) {
      const piece = await load({ base: life.base, requests, seconds: PIECE_S, arrival })
      for (const [code, times] of Object.entries(piece.codes)) codes.set(code, (codes.get(code) ?? 0) + times)
    }
  }
  // The embedded database belongs to the service while that runs.
  const backends = ground.on === "embedded" ? Effect.succeed(0) : Effect.provide(backendsOf, ground.layer)
  const watching = Effect.gen(function* () {
    while (!over()) {
      yield* Effect.sleep(LOOK_MS)
      const connected = yield* backends
      const minutes = (performance.now() - began) / 60_000
      looks.push(yield* Effect.promise(() => lookAt(life, minutes, connected)))
    }
  })
  const [, failed] = yield* Effect.all(
    [Effect.promise(loaded), Effect.promise(() => beside(life.base, held, over)), watching],
    { concurrency: "unbounded" }
  )
  life.signal("SIGTERM")
  const { status } = yield* Effect.promise(() => life.ended)
  return rowOf(ground, looks, codes, { failed, status, arrived: receiving.requests() })
}, Effect.scoped)

interface Beside {
  readonly failed: number
  readonly status: number | null
  readonly arrived: number
}

const rowOf = (
  { on }: Ground,
  looks: ReadonlyArray<Look>,
  codes: ReadonlyMap<string, number>,
  { failed, status, arrived }: Beside
): Suffered => {
  const counted = looks.slice(Math.floor(looks.length * WARMS_UP)).filter(({ heapMb }) => !Number.isNaN(heapMb))
  const grown = (what: keyof Look) => grownBy(counted, what)
  const served = codes.get("0") ?? 0
  const odd = Array.from(codes).flatMap(([code, times]) => (code === "0" ? [] : [`${code} (${times} times)`]))
  const falls: ReadonlyArray<readonly [boolean, string]> = [
    [counted.length < 3, `only ${counted.length} looks count: it was too short`],
    [grown("residentMb") > GROWN_MB, `the process grows: ${grown("residentMb").toFixed(1)} MB`],
    [grown("heapMb") > GROWN_MB, `the heap grows: ${grown("heapMb").toFixed(1)} MB`],
    [grown("files") > GROWN_FILES, `files and sockets grow: ${grown("files").toFixed(1)}`],
    [grown("timers") > GROWN_FILES, `timers grow: ${grown("timers").toFixed(1)}`],
    [grown("backends") > GROWN_BACKENDS, `connections to the database grow: ${grown("backends").toFixed(1)}`],
    [odd.length > 0, `calls are answered ${odd.join(", ")}`],
    [failed > 0, `${failed} pages or sessions failed`],
    [status !== 0, `the process ended with status ${status}`]
  ]
  const last = counted.at(-1)
  return {
    fault: `${MINUTES} minutes at half load`,
    on,
    times: 1,
    acknowledged: served,
    lost: 0,
    fell: falls.flatMap(([fell, what]) => (fell ? [what] : [])),
    recoveredMs: undefined,
    seen: [
      `${Math.round(last?.residentMb ?? 0)} MB resident (${grown("residentMb").toFixed(1)} more by the line through all)`,
      `heap after a collection ${last?.heapMb ?? 0} MB (${grown("heapMb").toFixed(1)})`,
      `${last?.files ?? 0} files and sockets (${grown("files").toFixed(1)})`,
      `${last?.timers ?? 0} timers (${grown("timers").toFixed(1)})`,
      `${last?.backends ?? 0} connections (${grown("backends").toFixed(1)})`,
      `${arrived} deliveries`
    ].join("; ")
  }
}

export const soakFault: Fault = {
  name: "soak",
  // Asked for by name: an hour is not everybody's.
  skipped: Effect.succeed(
    process.argv.includes("soak")
      ? undefined
      : "it takes an hour: npm run faults -- soak (SOAK_MINUTES for another time)"
  ),
  run: Effect.gen(function* () {
    if (server === "") return [yield* soaked(yield* embeddedGround)]
    return [yield* soaked(yield* serverGround(server))]
  })
}
