import { NodeRuntime } from "@effect/platform-node"
import { type Context, Effect, Layer, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import type { Service } from "../src/service/service.ts"
import { createScratchDatabase } from "../test/support/scratch-database.ts"
import { layerInProcess } from "./in-process.ts"
import { atOnce, casesOf, type Run } from "./reservation-cases.ts"
import { type Ground, seedGround, stays, TABLES } from "./reservation-ground.ts"
import { planOf } from "./reservation-plans.ts"
import { SERVER_URL } from "./scratch-database.ts"

// Reservations on a PostgreSQL server as their number grows, in two ways: operators that have more of them, and more
// operators. Each ground is a database of its own, and calls go to them in turn, one after the other, so what else the
// machine does is shared by all. They go through the Service without HTTP: a time is what one caller waits for.
//
// BENCH_STAYS=2000000 makes the large one ten times as large, and takes 4 GB of disk.

const STAYS = Number(process.env["BENCH_STAYS"] ?? 200_000)
const CALLS = Number(process.env["BENCH_CALLS"] ?? 300)
/** Calls before those that are measured: the compiler's, the tokens', the statements' and the pages' first times. */
const WARM_UP = Number(process.env["BENCH_WARM_UP"] ?? 300)

const SMALL_STAYS = 20_000
const LARGE_OPERATOR = 2_000

/** The last is what the others are held against. */
const GROUNDS: ReadonlyArray<Ground> = [
  { operators: 1_000, each: SMALL_STAYS / 1_000 },
  { operators: SMALL_STAYS / LARGE_OPERATOR, each: LARGE_OPERATOR },
  { operators: STAYS / LARGE_OPERATOR, each: LARGE_OPERATOR }
]

type Services = Context.Context<SqlClient.SqlClient | Service>

interface Standing {
  readonly ground: Ground
  readonly url: string
  readonly cases: Readonly<Record<string, Run>>
}

const connected = (url: string, maxConnections = 2) =>
  Layer.fresh(layerPostgres({ url: Redacted.make(url), maxConnections }))

const standing = Effect.fnUntraced(function* (ground: Ground) {
  const started = performance.now()
  const url = yield* createScratchDatabase(SERVER_URL)
  yield* Effect.provide(seedGround(ground), connected(url, 1))
  const cases = yield* Effect.provide(casesOf(ground), connected(url, 1))
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  console.log(`${nameOf(ground)}: seeded in ${seconds} s; ${yield* Effect.provide(sizes(ground), connected(url, 1))}`)
  return { ground, url, cases } satisfies Standing
})

const nameOf = (ground: Ground): string =>
  `${stays(ground).toLocaleString("en")} stays, ${ground.operators.toLocaleString("en")} x ${ground.each.toLocaleString("en")}`

/** Bytes of all tables and of all indexes of reservations a stay, and of each table with its indexes. */
const sizes = Effect.fnUntraced(function* (ground: Ground) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; heap: number; indexes: number }>`
    SELECT relname AS name, pg_table_size(relid)::float8 AS heap, pg_indexes_size(relid)::float8 AS indexes
    FROM pg_stat_user_tables WHERE ${sql.in("relname", TABLES)} ORDER BY relname`
  const each = (bytes: number) => (bytes / stays(ground)).toFixed(0)
  const sum = (kind: "heap" | "indexes") => rows.reduce((total, row) => total + row[kind], 0)
  const details = rows.map(({ name, heap, indexes }) => `${name} ${each(heap)} + ${each(indexes)}`)
  return `bytes a stay ${each(sum("heap"))} + ${each(sum("indexes"))} of indexes (${details.join(", ")})`
})

/** Tables read from end to end so far. Whoever asks has closed what it read with: a session tells of it at its end. */
const wholeReads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ scans: number }>`
    SELECT sum(seq_scan)::float8 AS scans FROM pg_stat_user_tables WHERE ${sql.in("relname", TABLES)}`
  return row?.scans ?? 0
})

const percentile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))] ??
  Number.NaN

/** Operators in an order that jumps about, so that nothing is in the cache because its neighbour was read. */
const operatorAt = ({ operators }: Ground, index: number): number => 1 + ((index * 389) % operators)

interface Ready extends Standing {
  readonly services: Services
}

/** Milliseconds of each call on each ground; the grounds take turns in beginning. */
const timed = Effect.fnUntraced(function* (name: string, grounds: ReadonlyArray<Ready>, calls: number) {
  const times = grounds.map((): Array<number> => [])
  for (let index = 0; index < calls; index++) {
    for (let turn = 0; turn < grounds.length; turn++) {
      const at = (index + turn) % grounds.length
      const { ground, cases, services } = grounds[at] ?? (yield* Effect.die(new Error("no such ground")))
      const run = cases[name]
      if (run === undefined) return yield* Effect.die(new Error(`${name} is no case`))
      const started = performance.now()
      yield* Effect.provideContext(run(operatorAt(ground, index), index), services)
      times[at]?.push(performance.now() - started)
    }
  }
  return times
})

const printed = Effect.fnUntraced(function* (name: string, grounds: ReadonlyArray<Ready>) {
  yield* timed(name, grounds, WARM_UP)
  const times = yield* timed(name, grounds, CALLS)
  const last = percentile(times.at(-1) ?? [], 0.5)
  console.log(`\n${name}`)
  for (const [at, { ground, cases, services }] of grounds.entries()) {
    const of = times[at] ?? []
    const [p50, p99] = [percentile(of, 0.5), percentile(of, 0.99)]
    const run = cases[name]?.(operatorAt(ground, 7), 7) ?? Effect.void
    const plan = yield* Effect.provideContext(planOf(run), services)
    const growth = at === grounds.length - 1 ? "" : `  to the last x ${(last / p50).toFixed(2)}`
    console.log(
      `  ${nameOf(ground).padEnd(32)} p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms (x ${(p99 / p50).toFixed(1)})  cost ${plan.costs}${plan.whole}${growth}`
    )
  }
})

const measured = Effect.fnUntraced(function* (grounds: ReadonlyArray<Standing>) {
  const ready: Array<Ready> = []
  for (const each of grounds) {
    const layer = Layer.fresh(layerInProcess).pipe(Layer.provideMerge(connected(each.url, 64)))
    ready.push({ ...each, services: yield* Layer.build(layer) })
  }
  for (const name of Object.keys(grounds[0]?.cases ?? {})) yield* printed(name, ready)
  console.log("\nbookings at once, of one operator on the largest ground")
  const largest = ready.at(-1)
  if (largest !== undefined) yield* Effect.provideContext(atOnce(1), largest.services)
}, Effect.scoped)

const bench = Effect.gen(function* () {
  const grounds = yield* Effect.forEach(GROUNDS, standing)
  const reads = Effect.forEach(grounds, ({ url }) => Effect.provide(wholeReads, connected(url, 1)))
  const before = yield* reads
  yield* measured(grounds)
  const after = yield* reads
  console.log("\ntables read from end to end meanwhile")
  for (const [at, { ground }] of grounds.entries()) {
    console.log(`  ${nameOf(ground).padEnd(32)} ${(after[at] ?? Number.NaN) - (before[at] ?? Number.NaN)}`)
  }
}).pipe(Effect.scoped)

// A log line a call is part of the service, and not of what is measured here.
NodeRuntime.runMain(bench.pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
