// What it costs to go without prepared statements, and through PgBouncer: `node bench/pooler.ts`. The Service in this process,
// without HTTP, on a database of its own for each way; after calls that warm up, rounds of each in turn. Processor time is
// what the machine's other work spoils least: this process's for the service, that of the sessions for the database.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted, References } from "effect"
import { layerPostgres, type PostgresOptions } from "../src/platform/database/postgres.ts"
import { missingPoolerReason, startPooler } from "../test/support/postgres-server.ts"
import { inTurn, median } from "./figures.ts"
import { withGround } from "./ground.ts"
import { callWith, layerInProcess } from "./in-process.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { sessionsMs } from "./sessions.ts"

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 9)
/** Calls of a round, and of those that warm up. */
const CALLS = Number(process.env["BENCH_CALLS"] ?? 500)
const WARM_UP = Number(process.env["BENCH_WARM_UP"] ?? 1_500)
/** Concurrent calls: as many as a process has concurrency permits. */
const AT_ONCE = 12
/** Sessions of the pooler: as many as the service would have itself, so that none waits. */
const POOL = 14

/** Microseconds of processor a call, of this process and of the database's sessions, and calls a second. */
interface Taken {
  readonly service: number
  readonly database: number
  readonly perSecond: number
}

type Call = readonly [operation: string, fields: (nth: number) => object]

/** The Service on a database, reached in some way. */
const makeWay = Effect.fnUntraced(function* (
  name: string,
  database: string,
  options: Omit<PostgresOptions, "url"> & { readonly url?: string }
) {
  const url = Redacted.make(options.url ?? database)
  const server = layerPostgres({ ...options, url, statementTimeout: "10 seconds" })
  const services = yield* Layer.build(Layer.fresh(Layer.provide(layerInProcess, server)))
  // Asked beside it, straight and in another database, so that the question is in no figure.
  const taken = sessionsMs(new URL(database).pathname.slice(1))
  const calls = ([operation, fields]: Call, from: number, count: number) =>
    Effect.forEach(
      Array.from({ length: count }, (_, at) => from + at),
      (nth) => callWith(BENCH_TOKEN, operation, fields(nth)),
      { concurrency: AT_ONCE, discard: true }
    ).pipe(Effect.provideContext(services))
  const round = (call: Call, from: number) =>
    Effect.gen(function* () {
      const [before, own, began] = [yield* taken, process.cpuUsage(), performance.now()]
      yield* calls(call, from, CALLS)
      const seconds = (performance.now() - began) / 1_000
      const { user, system } = process.cpuUsage(own)
      const database = (((yield* taken) - before) * 1_000) / CALLS
      return { service: (user + system) / CALLS, database, perSecond: CALLS / seconds } satisfies Taken
    })
  return { name, warmUp: (call: Call) => calls(call, 0, WARM_UP), round }
})

type Way = Effect.Success<ReturnType<typeof makeWay>>

const medians = (each: ReadonlyArray<Taken>): Taken => ({
  service: median(each.map(({ service }) => service)),
  database: median(each.map(({ database }) => database)),
  perSecond: median(each.map(({ perSecond }) => perSecond))
})

const compare = Effect.fnUntraced(function* (title: string, call: Call, ways: ReadonlyArray<Way>) {
  const taken = new Map<Way, Array<Taken>>(ways.map((way) => [way, []]))
  for (const { warmUp } of ways) yield* warmUp(call)
  for (let at = 0; at < ROUNDS; at++) {
    for (const way of inTurn(ways, at)) taken.get(way)?.push(yield* way.round(call, WARM_UP + at * CALLS))
  }
  let first: Taken | undefined
  for (const [{ name }, each] of taken) {
    const its = medians(each)
    first ??= its
    const ratios = [its.service / first.service, its.database / first.database, its.perSecond / first.perSecond]
    const figures = [its.service, its.database, its.perSecond].map((figure) => figure.toFixed(0))
    console.log(`| ${[title, name, ...figures, ...ratios.map((ratio) => ratio.toFixed(2))].join(" | ")} |`)
  }
})

const program = Effect.gen(function* () {
  const { ground, ownDatabase } = yield* withGround
  const [straight, without, behind, aside] = [
    yield* ownDatabase,
    yield* ownDatabase,
    yield* ownDatabase,
    yield* ownDatabase
  ]
  const ways = [
    yield* makeWay("prepared", straight, {}),
    yield* makeWay("DATABASE_PREPARED=0", without, { pooler: { supportsPreparedStatements: false } }),
    yield* makeWay("the same behind PgBouncer", behind, {
      url: yield* startPooler(behind, POOL),
      pooler: { supportsPreparedStatements: false }
    })
  ]
  console.log(
    "| | | µs of the service's processor | µs of the database's | calls/s | service, to prepared | database | calls/s |"
  )
  console.log("|---|---|---|---|---|---|---|---|")
  const { entryId, propertyId, channelId } = ground
  const entry = { direction: "income", amount: 12.5, currency: "EUR", item_id: 11, payment_method_id: 197 }
  const cases: ReadonlyArray<readonly [title: string, call: Call]> = [
    ["an entry by its id", ["search_transactions", () => ({ id: entryId })]],
    ["a reservation by its code", ["search_reservations", () => ({ channel_id: channelId })]],
    ["a new entry", ["create_transaction", (nth) => ({ ...entry, property_id: propertyId, note: `bench ${nth}` })]]
  ]
  const asking = layerPostgres({ url: Redacted.make(aside), maxConnections: 1 })
  for (const [title, call] of cases) yield* Effect.provide(compare(title, call, ways), asking)
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

if (missingPoolerReason === undefined) NodeRuntime.runMain(program)
else console.log(`skipped: ${missingPoolerReason}`)
