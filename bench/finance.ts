import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, References } from "effect"
import { SERVE_FLAGS } from "../bin/flags.js"
import { answerAlike } from "./alike.ts"
import { layerInProcess } from "./in-process.ts"
import type { Load } from "./measure.ts"
import { BENCH_TOKEN, seedBenchOperator } from "./operator.ts"
import { captureEntries } from "./reference/capture.ts"
import type { CapturedCalls } from "./reference/captured.ts"
import { SERVER_URL, withScratchDatabase } from "./scratch-database.ts"
import { type Server, start } from "./servers.ts"
import { interleaved, print, ratio } from "./side-by-side.ts"

// The service beside two reference servers that do the same SQL and the same JSON, all in one run,
// rounds interleaved, medians. Ratios are what counts: absolute numbers are this machine's, which also runs the
// database and the load.

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 4)
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3)
const CONNECTIONS = 32
const EACH = { rounds: ROUNDS, warmUpSeconds: 2 }

type Case = (server: Server) => Load

/** What the bench works with: an operator's property and entries, and the statements of calls about them. */
interface Prepared {
  readonly propertyId: number
  readonly entryId: number
  readonly statements: CapturedCalls
}

const headers = { "service-access-token": BENCH_TOKEN }
const load = { seconds: SECONDS, connections: CONNECTIONS }
const jsonHeaders = { ...headers, "content-type": "application/json" }

const MONTH = "/v3/transactions?start_date=2025-06-01&end_date=2025-06-30"
const entryAt = (entryId: number): string => `/v3/transactions?id=${entryId}`

const newEntry = (propertyId: number) => ({
  property_id: propertyId,
  direction: "income",
  amount: 35.5,
  currency: "EUR",
  item_id: 11,
  payment_method_id: 197,
  note: "towels"
})

const casesOf = ({ propertyId, entryId }: Prepared): Readonly<Record<string, Case>> => ({
  "read one entry by id": ({ url }) => ({ ...load, headers, url: `${url}${entryAt(entryId)}` }),
  "list 20 entries of a month": ({ url }) => ({ ...load, headers, url: `${url}${MONTH}` }),
  "create an entry": ({ url }) => ({
    ...load,
    headers: jsonHeaders,
    method: "POST",
    url: `${url}/v3/transactions`,
    body: JSON.stringify(newEntry(propertyId))
  })
})

const mcpRead =
  (entryId: number): Case =>
  ({ url }) => ({
    ...load,
    headers: {
      authorization: `Bearer ${BENCH_TOKEN}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    },
    method: "POST",
    url: `${url}/mcp`,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_transactions", arguments: { id: entryId } }
    })
  })

const LATCHKEY = ["bin/latchkey.js", "serve"]
/** Another entry to the same program, with the flags that bin/latchkey.js gives it. */
const WINDOWLESS = [...SERVE_FLAGS, "bench/without-windows.ts"]
/** After so many minutes it gives up. */
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 5)

/** A collector that takes whatever is exported to it. */
const collector = (): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve, reject) => {
    const sink = createServer((request, response) => {
      request.resume()
      request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    })
    sink.once("error", reject)
    sink.listen(0, "127.0.0.1", () => {
      const address = sink.address()
      if (address === null || typeof address !== "object") return reject(new Error("the collector has no port"))
      resolve({ url: `http://127.0.0.1:${address.port}`, close: () => sink.close() })
    })
  })

const besideReferences = async (servers: ReadonlyArray<Server>, prepared: Prepared) => {
  for (const [title, loadOf] of Object.entries(casesOf(prepared))) {
    const results = await interleaved(Object.fromEntries(servers.map((server) => [server.name, loadOf(server)])), EACH)
    print(title, results)
    console.log(
      `  latchkey to fastify ${ratio(results, "latchkey", "fastify")} (aim 1.00), to raw ${ratio(results, "latchkey", "raw")} (aim 0.85), to itself without windows ${ratio(results, "latchkey", "latchkey, windows off")} (aim 0.95)`
    )
  }
}

const overBothDoors = async (latchkey: Server, env: Record<string, string>, prepared: Prepared) => {
  const read = casesOf(prepared)["read one entry by id"]
  if (read === undefined) return
  const sink = await collector()
  const exporting = await start("exporting", LATCHKEY, { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
  const loads = {
    REST: read(latchkey),
    MCP: mcpRead(prepared.entryId)(latchkey),
    "REST, all exported": read(exporting)
  }
  const results = await interleaved(loads, EACH)
  print("read one entry by id, over both doors", results)
  console.log(`  MCP to REST ${ratio(results, "MCP", "REST")} (aim 0.33)`)
  await exporting.stop()
  sink.close()
}

const compare = async (databaseUrl: string, prepared: Prepared) => {
  const env = {
    DATABASE_URL: databaseUrl,
    DEMO: "0",
    LOG_FORMAT: "json",
    BENCH_TOKEN,
    BENCH_STATEMENTS: JSON.stringify(prepared.statements)
  }
  const latchkey = await start("latchkey", LATCHKEY, env)
  const windowless = await start("latchkey, windows off", WINDOWLESS, env)
  const raw = await start("raw", ["bench/reference/raw.ts"], env)
  const fastify = await start("fastify", ["bench/reference/fastify.ts"], env)
  await answerAlike([latchkey, raw, fastify], BENCH_TOKEN, [entryAt(prepared.entryId), MONTH])
  const servers = [latchkey, windowless, raw, fastify]
  await besideReferences(servers, prepared)
  await overBothDoors(latchkey, env, prepared)
  console.log("\nresident memory after the load")
  for (const server of servers) console.log(`  ${server.name.padEnd(26)} ${(await server.residentMb()).toFixed(0)} MB`)
  console.log("  (aim: latchkey with a server at most 160 MB)")
  await Promise.all(servers.map((server) => server.stop()))
}

const embedded = async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-bench-"))
  const env = { DATA_DIR: folder, DATABASE_URL: "", LOG_FORMAT: "json" }
  const first = await start("first start", LATCHKEY, env)
  await first.stop()
  const again: Array<number> = []
  let residentMb = Number.NaN
  for (let index = 0; index < 5; index++) {
    const server = await start("embedded", LATCHKEY, env)
    again.push(server.startedInMs)
    residentMb = await server.residentMb()
    await server.stop()
  }
  await rm(folder, { recursive: true })
  const middle = again.toSorted((one, other) => one - other)[2] ?? Number.NaN
  console.log("\nembedded database")
  console.log(`  first start (makes the database and the demo operator) ${first.startedInMs.toFixed(0)} ms`)
  console.log(
    `  start on an existing folder ${middle.toFixed(0)} ms (aim 2000), resident ${residentMb.toFixed(0)} MB (aim 300)`
  )
}

const program = Effect.gen(function* () {
  console.log(
    `${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections, node ${process.version}, database ${new URL(SERVER_URL).host}`
  )
  yield* withScratchDatabase((url) =>
    Effect.gen(function* () {
      const { propertyId, entryIds } = yield* seedBenchOperator
      const [entryId = 0, next = 0] = entryIds.slice(Math.floor(entryIds.length / 2))
      const known = { entryIds: [entryId, next], entry: newEntry(propertyId) } as const
      const statements = yield* captureEntries(BENCH_TOKEN, known).pipe(Effect.provide(layerInProcess))
      yield* Effect.promise(() => compare(url, { propertyId, entryId, statements }))
    })
  )
  yield* Effect.promise(embedded)
})

const tooSlow = Effect.die(new Error(`not done after ${MINUTES} minutes (BENCH_MINUTES): is the machine busy?`))

const inTime = Effect.timeoutOrElse(program, { duration: `${MINUTES} minutes`, orElse: () => tooSlow })

// The calls whose statements are captured need no log lines.
NodeRuntime.runMain(inTime.pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
