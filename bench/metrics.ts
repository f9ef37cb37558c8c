// What counting costs a call: `node bench/metrics.ts`, on the PostgreSQL server of DATABASE_URL or the usual one. A small call,
// counted and not, round about in one process, by the processor time of that process: what others do spoils it least. Then what
// it costs the database to say how much is due.
import { Effect, Layer, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { MetricsEnabled } from "../src/platform/telemetry/metrics/metric-updates.ts"
import { mergeSnapshots } from "../src/platform/telemetry/metrics/metrics-snapshot.ts"
import { formatPrometheus } from "../src/platform/telemetry/metrics/prometheus-format.ts"
import { takeOwnSnapshot } from "../src/platform/telemetry/metrics/Snapshots.ts"
import { makeBacklogReporter } from "../src/service/backlog.ts"
import { median } from "./figures.ts"
import { callWith, layerInProcess } from "./in-process.ts"
import { BENCH_TOKEN, seedOperator } from "./operator.ts"
import { withScratchDatabase } from "./scratch-database.ts"

const ROUNDS = 30
const CALLS = 500
const AT_ONCE = 8

const calls = Effect.forEach(Array.from({ length: CALLS }), () => callWith(BENCH_TOKEN, "search_properties", {}), {
  concurrency: AT_ONCE,
  discard: true
})

/** Microseconds of processor time a call. */
const round = Effect.fnUntraced(function* (measuring: boolean) {
  const before = process.cpuUsage()
  yield* Effect.provideService(calls, MetricsEnabled, measuring)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / CALLS
})

/** Milliseconds that one answer at /metrics takes the process. */
const scraped = Effect.gen(function* () {
  const before = performance.now()
  const text = formatPrometheus(mergeSnapshots([yield* takeOwnSnapshot]))
  return { ms: performance.now() - before, bytes: text.length }
})

const program = Effect.gen(function* () {
  const rounds: Array<{ readonly counted: number; readonly not: number }> = []
  for (let at = 0; at <= ROUNDS; at++) {
    // Each is first in every other round.
    const first = yield* round(at % 2 === 0)
    const second = yield* round(at % 2 === 1)
    const [counted, not] = at % 2 === 0 ? [first, second] : [second, first]
    // The first warms up.
    if (at > 0) rounds.push({ counted, not })
  }
  const [counted, not] = [median(rounds.map((each) => each.counted)), median(rounds.map((each) => each.not))]
  const ratio = median(rounds.map((each) => each.counted / each.not))
  console.log(
    `search_properties: ${counted.toFixed(0)} µs of the processor counted, ${not.toFixed(0)} µs not: ratio ${ratio.toFixed(3)}`
  )
  const { ms, bytes } = yield* scraped
  console.log(`an answer at /metrics: ${ms.toFixed(1)} ms, ${Math.round(bytes / 1024)} KiB`)
})

const OPERATORS = 10_000
const EACH = 10
const LOOKS = 9

/** As many operators of ten properties: each with a calendar of elsewhere, a listing, a push that waits, and a comparison tonight. */
const crowd = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO operators (name, time_zone, currency, created_at)
    SELECT 'o' || n, 'UTC', 'EUR', now() FROM generate_series(1, ${OPERATORS}::integer) n`
  yield* sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT o.id, 'p' || n, now() FROM operators o, generate_series(1, ${EACH}::integer) n WHERE o.name LIKE 'o%'`
  yield* sql`
    INSERT INTO imported_calendars (operator_id, property_id, url, host, due_at, created_at)
    SELECT operator_id, id, 'https://c.example.com/' || id, 'c.example.com', now() + (random() * 900 - 9) * interval '1 second',
      now() FROM properties`
  yield* sql`
    INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
    SELECT id, 'airbnb', 'u', 'x' || id, 'active', 'sandbox', now() FROM operators`
  yield* sql`
    INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
      created_at, updated_at)
    SELECT p.operator_id, a.id, 'airbnb', 'l' || p.id, 't', 'EUR', 'on', p.id, now(), now()
    FROM properties p JOIN channel_accounts a ON a.operator_id = p.operator_id`
  yield* sql`
    INSERT INTO listing_comparisons (operator_id, listing_row, account_id, property_id, due_at)
    SELECT operator_id, id, account_id, property_id, now() + random() * interval '1 day' FROM listings`
  yield* sql`
    INSERT INTO listing_lanes (operator_id, listing_row, account_id, waiting, due_at)
    SELECT operator_id, id, account_id, 1, now() - random() * interval '1 minute' FROM listings`
  yield* sql`ANALYZE`
})

/** What one look at all backlogs takes, every 30 s of each process that works in the background. */
const looking = Effect.gen(function* () {
  yield* crowd
  const look = yield* makeBacklogReporter
  const took: Array<number> = []
  for (let at = 0; at < LOOKS; at++) {
    const before = performance.now()
    yield* look
    took.push(performance.now() - before)
  }
  console.log(
    `a look at what is due of ${OPERATORS} operators: ${median(took).toFixed(0)} ms, the longest ${Math.max(...took).toFixed(0)} ms`
  )
})

await Effect.runPromise(
  withScratchDatabase((url) =>
    Effect.andThen(
      seedOperator("Bench", BENCH_TOKEN),
      Effect.andThen(
        Effect.provide(program, Layer.provide(layerInProcess, layerPostgres({ url: Redacted.make(url) }))),
        looking
      )
    )
  ).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
)
