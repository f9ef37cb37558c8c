// The service on its embedded database: how long it takes to start and how much memory it holds, at rest and under load.
// `node bench/embedded.ts [seconds of load]`; BENCH_MINUTE_LATER=0 leaves out what is measured a minute later.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "./command.ts"
import { median } from "./figures.ts"
import { round } from "./measure.ts"
import { type Server, start } from "./servers.ts"
import { wideWindows } from "./wide-windows.ts"

const SECONDS = Number(process.argv[2] ?? 15)
const MINUTE_LATER = process.env["BENCH_MINUTE_LATER"] !== "0"
const STARTS = 5
const CONNECTIONS = 32
/** What a process does once it has started is over by then. */
const AT_REST_SECONDS = 15

const START_AIM_MS = 2_000
const REST_AIM_MB = 260
const LATER_AIM_MB = 300

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000))

const memory = async (what: string, server: Server, aim: number) =>
  console.log(`  ${what.padEnd(46)} ${(await server.residentMb()).toFixed(0).padStart(4)} MB (aim ${aim})`)

/** Memory now, and a minute later if that is asked for. */
const memories = async (what: string, server: Server, aim?: number) => {
  if (aim !== undefined) await memory(what, server, aim)
  if (!MINUTE_LATER) return
  await sleep(60)
  await memory(`${what}, a minute later`, server, LATER_AIM_MB)
}

const envOf = (folder: string) => ({ DATA_DIR: folder, DATABASE_URL: "", LOG_FORMAT: "json" })

const startOn = (folder: string) => start("embedded", ["bin/latchkey.js", "serve"], envOf(folder))

/** A token of the demo operator, whose windows are opened wide. */
const prepared = (folder: string): string => {
  const latchkey = command(envOf(folder))
  const created = latchkey("token", "create", "--account", "1", "--name", "bench", "--scope", "read-only")
  latchkey("operator", "limits", "1", "--set", JSON.stringify(wideWindows()))
  return String(created["token"])
}

/** Reads by id, as many as the service can do. */
const load = async (server: Server, token: string) => {
  const headers = { "service-access-token": token }
  const year = new Date().getUTCFullYear()
  const list = `${server.url}/v3/transactions?start_date=${year}-01-01&end_date=${year}-12-31&limit=1`
  const [, id] = /"id":(\d+)/.exec(await (await fetch(list, { headers })).text()) ?? []
  if (id === undefined) throw new Error("the demo operator has no entry this year")
  const { perSecond, processor, failures } = await round(
    { url: `${server.url}/v3/transactions?id=${id}`, headers, connections: CONNECTIONS },
    SECONDS
  )
  console.log(
    `  ${SECONDS} s of reads by id, ${CONNECTIONS} at a time: ${perSecond.toFixed(0)} requests/s, ${processor.toFixed(0)} µs of processor each, failures ${failures}`
  )
}

const startTimes = async (folder: string) => {
  const times: Array<number> = []
  for (let index = 0; index < STARTS; index++) {
    const server = await startOn(folder)
    times.push(server.startedInMs)
    await server.stop()
  }
  return median(times)
}

const bench = async (folder: string) => {
  console.log("embedded database")
  const first = await startOn(folder)
  console.log(`  first start, with a new database and the demo operator: ${first.startedInMs.toFixed(0)} ms`)
  await sleep(AT_REST_SECONDS)
  await memories("after the first start", first, REST_AIM_MB)
  await first.stop()
  const token = prepared(folder)
  const again = await startTimes(folder)
  console.log(`  start on that folder: ${again.toFixed(0)} ms, the median of ${STARTS} (aim ${START_AIM_MS})`)
  const second = await startOn(folder)
  await sleep(AT_REST_SECONDS)
  await memories("after a second start", second, REST_AIM_MB)
  await load(second, token)
  console.log(`  right after the load ${(await second.residentMb()).toFixed(0)} MB`)
  await memories("after the load", second)
  await second.stop()
}

const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"))
await bench(folder)
await rm(folder, { recursive: true })
