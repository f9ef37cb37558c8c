// What it costs to go without prepared statements, and through PgBouncer: `node bench/pooler.ts`. Three processes of the
// service, each on a database of its own, warmed up and then measured in turn.
import { readFile } from "node:fs/promises"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../src/database/postgres.ts"
import { noPooler, pooler } from "../test/own-processes.ts"
import { ARRIVALS_PAGE, type Asked, casesOf, entryAt, loadOf } from "./cases.ts"
import { inTurn, median } from "./figures.ts"
import { type Ground, withGround } from "./ground.ts"
import { round, warmUp } from "./measure.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { type Server, start } from "./servers.ts"

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5)
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3)
const WARM_UP = { windowSeconds: 1, mostSeconds: Number(process.env["BENCH_WARM_UP_SECONDS"] ?? 20) }
/** Sessions of the pooler: as many as the service would have itself, so that none waits. */
const POOL = 14

interface Way {
  readonly server: Server
  /** Milliseconds of processor that the sessions of its database took so far. */
  readonly databaseMs: () => Promise<number>
}

const sessionsOf = (database: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE datname = ${database} AND pid <> pg_backend_pid()`
  )

/** The service, started on a database of its own and told to go to it in some way. */
const way = Effect.fnUntraced(function* (name: string, database: string, env: Record<string, string>) {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const sessions = Effect.provideContext(sessionsOf(new URL(database).pathname.slice(1)), context)
  const server = yield* Effect.acquireRelease(
    Effect.promise(() =>
      start(name, ["bin/latchkey.js", "serve"], { DATABASE_URL: database, DEMO: "0", LOG_FORMAT: "json", ...env })
    ),
    ({ stop }) => Effect.promise(stop)
  )
  const taken = async () => {
    const each = (await Effect.runPromise(sessions)).map(({ pid }) => readFile(`/proc/${pid}/schedstat`, "utf8"))
    return (await Promise.all(each)).reduce((sum, text) => sum + Number(text.split(" ", 1)[0]) / 1e6, 0)
  }
  return { server, databaseMs: taken } satisfies Way
})

const asked = (ground: Ground): ReadonlyArray<readonly [title: string, asked: Asked]> => {
  const headers = { "service-access-token": BENCH_TOKEN }
  const writes = casesOf(ground).flatMap(({ title, participants }) =>
    participants
      .filter(({ server, asked: its }) => server === "latchkey" && its.method === "POST")
      .map(({ asked: its }) => [title, its] as const)
  )
  return [
    ["one entry", { path: entryAt(ground), headers }],
    ["a page of reservations", { path: ARRIVALS_PAGE, headers }],
    ...writes.slice(0, 1)
  ]
}

interface Taken {
  readonly perSecond: number
  readonly service: number
  readonly database: number
}

const measured = async ({ server, databaseMs }: Way, one: Asked): Promise<Taken> => {
  const before = await databaseMs()
  const { perSecond, processor, failures } = await round(loadOf(server.url, one), SECONDS)
  if (failures > 0) console.log(`  ${server.name}: ${failures} failures`)
  return { perSecond, service: processor, database: (((await databaseMs()) - before) * 1_000) / (perSecond * SECONDS) }
}

const medians = (each: ReadonlyArray<Taken>): Taken => ({
  perSecond: median(each.map(({ perSecond }) => perSecond)),
  service: median(each.map(({ service }) => service)),
  database: median(each.map(({ database }) => database))
})

const compare = async (title: string, one: Asked, ways: ReadonlyArray<Way>) => {
  const taken = new Map<Way, Array<Taken>>(ways.map((each) => [each, []]))
  for (const { server } of ways) await warmUp(loadOf(server.url, one), WARM_UP)
  for (let at = 0; at < ROUNDS; at++) {
    for (const each of inTurn(ways, at)) taken.get(each)?.push(await measured(each, one))
  }
  let first: Taken | undefined
  for (const [{ server }, each] of taken) {
    const its = medians(each)
    first ??= its
    const ratio = (mine: number, other: number) => (mine / other).toFixed(2)
    console.log(
      `| ${title} | ${server.name} | ${its.service.toFixed(0)} | ${its.database.toFixed(0)} | ${its.perSecond.toFixed(0)} | ${ratio(its.service, first.service)} | ${ratio(its.database, first.database)} | ${ratio(its.perSecond, first.perSecond)} |`
    )
  }
}

const program = Effect.gen(function* () {
  const { ground, ownDatabase } = yield* withGround
  const database = yield* ownDatabase
  const administered = layerPostgres({ url: Redacted.make(database), maxConnections: 1 })
  const ways = yield* Effect.gen(function* () {
    const straight = yield* way("prepared", yield* ownDatabase, {})
    const unprepared = yield* way("unprepared", yield* ownDatabase, { DATABASE_PREPARED: "0" })
    const behind = yield* ownDatabase
    const pooled = yield* pooler(behind, POOL)
    const through = yield* way("PgBouncer", behind, { DATABASE_URL: pooled, DATABASE_PREPARED: "0" })
    return [straight, unprepared, through]
  }).pipe(Effect.provide(administered))
  console.log(
    "| | | µs of processor | µs of the database's | requests/s | processor to prepared | the database's | requests/s |"
  )
  console.log("|---|---|---|---|---|---|---|---|")
  for (const [title, one] of asked(ground)) yield* Effect.promise(() => compare(title, one, ways))
}).pipe(Effect.scoped)

if (noPooler === undefined) NodeRuntime.runMain(program)
else console.log(`skipped: ${noPooler}`)
