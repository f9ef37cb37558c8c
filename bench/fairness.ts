import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SERVE_FLAGS } from "../bin/flags.js"
import { type GreedyRequest, greed } from "./greed.ts"
import { BENCH_TOKEN, seedBenchOperator, seedOperator } from "./operator.ts"
import { SERVER_URL, withScratchDatabase } from "./scratch-database.ts"
import { type Server, start } from "./servers.ts"

// Measures the light reads of one operator beside the heavy reads of another, with and without fairly shared permits, in one run.
// `node bench/fairness.ts [greedy connections] [light reads]`.

const GREEDY = Number(process.argv[2] ?? 200)
const READS = Number(process.argv[3] ?? 150)
const PROPERTIES = 100
const DAYS = 366
/** Seconds of each load before anything is measured. */
const WARM_UP_SECONDS = 8

const LIGHT_TOKEN = "lk_bench_token_of_the_light_operator_only"

interface Ground {
  readonly propertyIds: ReadonlyArray<number>
  readonly entryId: number
}

/** To the bench operator a hundred properties with a year of closed days each; and an operator that asks for little. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const greedy = yield* seedBenchOperator
  const added = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${greedy.operatorId}, 'House ' || n, now() FROM generate_series(2, ${PROPERTIES}::int) n RETURNING id`
  yield* sql`
    INSERT INTO calendar_days (operator_id, property_id, day, closed)
    SELECT p.operator_id, p.id, current_date + n, n % 3 = 0
    FROM properties p, generate_series(0, ${DAYS}::int) n WHERE p.operator_id = ${greedy.operatorId}`
  const light = yield* seedOperator("Light", LIGHT_TOKEN, "read-only")
  const [entry] = yield* sql<{ id: number }>`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
      status, operator_name, created_at, updated_at)
    VALUES (${light.operatorId}, 'income', 10, 'EUR', 11, 197, now(), 'towels', 'paid', 'Owner', now(), now())
    RETURNING id`
  yield* sql`ANALYZE`
  return { propertyIds: [greedy.propertyId, ...added.map(({ id }) => id)], entryId: entry?.id ?? 0 }
})

const day = (fromToday: number): string => new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10)

/** The largest answers there are, and searches that look at every entry of a year. */
const heavy = ({ propertyIds }: Ground): ReadonlyArray<GreedyRequest> => [
  { path: `/v3/availabilities?property_ids=${propertyIds.join(",")}&start_date=${day(0)}&end_date=${day(DAYS - 1)}` },
  { path: "/v3/transactions?start_date=2025-01-01&end_date=2025-12-31&keyword=entry%201&limit=100" }
]

const warm = () => new Promise<void>((resolve) => setTimeout(resolve, WARM_UP_SECONDS * 1_000))

interface Light {
  readonly p50: number
  readonly p95: number
  readonly longest: number
}

/** Light reads, one after the other; milliseconds each took. */
const lightReads = async (server: Server, ground: Ground, reads: number): Promise<Light> => {
  const took: Array<number> = []
  for (let n = 0; n < reads; n++) {
    const startedAt = performance.now()
    const response = await fetch(`${server.url}/v3/transactions?id=${ground.entryId}`, {
      headers: { "service-access-token": LIGHT_TOKEN }
    })
    const text = await response.text()
    if (!text.includes('"error_code":0')) throw new Error(`a light read was answered ${text.slice(0, 200)}`)
    took.push(performance.now() - startedAt)
  }
  const sorted = took.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), longest: at(1) }
}

const print = (what: string, { p50, p95, longest }: Light, more = "") =>
  console.log(
    `  ${what.padEnd(34)} p50 ${p50.toFixed(0).padStart(6)} ms   p95 ${p95.toFixed(0).padStart(6)} ms   longest ${longest.toFixed(0).padStart(6)} ms${more}`
  )

const measure = async (server: Server, ground: Ground, reads: number): Promise<Light> => {
  await lightReads(server, ground, 200)
  print(`${server.name}, light reads alone`, await lightReads(server, ground, reads))
  const requests = heavy(ground)
  const headers = { "service-access-token": BENCH_TOKEN }
  const greedy = greed({ url: server.url, requests, headers, connections: GREEDY })
  await warm()
  const beside = await lightReads(server, ground, reads)
  const ready = await fetch(`${server.url}/health/ready`)
  const { perSecond, failures } = await greedy.stop()
  const more = `   ${perSecond.toFixed(0)} heavy answers/s, ${failures} failures, ready ${ready.status}`
  print(`${server.name}, beside ${GREEDY} heavy ones`, beside, more)
  return beside
}

const compare = async (databaseUrl: string, ground: Ground) => {
  const env = { DATABASE_URL: databaseUrl, DEMO: "0", LOG_FORMAT: "json" }
  const fair = await start("fair", ["bin/latchkey.js", "serve", "--workers", "1"], env)
  const withFair = await measure(fair, ground, READS)
  await fair.stop()
  const unfair = await start("first come", [...SERVE_FLAGS, "bench/without-permits.ts"], env)
  // Each takes seconds here, so there are fewer.
  const without = await measure(unfair, ground, Math.ceil(READS / 10))
  await unfair.stop()
  console.log(
    `  p95 with the fair rule ${withFair.p95.toFixed(0)} ms (aim 250), without it ${(without.p95 / withFair.p95).toFixed(1)} times as long`
  )
}

console.log(`${GREEDY} heavy reads of one operator at once, light reads of another, on ${new URL(SERVER_URL).host}`)
NodeRuntime.runMain(
  withScratchDatabase((url) => Effect.flatMap(seed, (ground) => Effect.promise(() => compare(url, ground))))
)
