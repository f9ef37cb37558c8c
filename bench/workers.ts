// What a second worker brings: `node bench/workers.ts`, on a PostgreSQL of this machine. One worker and two in turn, under the
// mix of calls of the overload (test/faults/mix.ts), as many callers as keep them busy. Twice: as they are, where two
// workers share two cores with the database and the load; and with each worker stopped for most of the time, so that what
// else there is has cores to spare, as where it is on machines of its own. Processor time says who took what.
import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Redacted, References } from "effect"
import type { SqlClient } from "effect/sql"
import { layerPostgres } from "../src/platform/database/postgres.ts"
import { type Ground, serverGround } from "../test/attacks/grounds.ts"
import { lives } from "../test/attacks/service-process.ts"
import type { Estate } from "../test/attacks/writing.ts"
import { load } from "../test/faults/load.ts"
import { grownEstate, mixFor } from "../test/faults/mix.ts"
import { processorMs } from "../test/faults/processor.ts"
import { inTurn, median } from "./figures.ts"
import { SERVER_URL } from "./scratch-database.ts"
import { sessionsMs } from "./sessions.ts"

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5)
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 6)
const WARM_UP_SECONDS = Number(process.env["BENCH_WARM_UP"] ?? 20)
const CALLERS = 48
/** Of every PERIOD_MS, those that a held worker runs. */
const PERIOD_MS = 40
const RUNS_MS = 10

const childrenOf = (pid: number): ReadonlyArray<number> =>
  execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number)

interface Taken {
  readonly perSecond: number
  /** Cores that the workers, the database and the load took. */
  readonly workers: number
  readonly database: number
  readonly load: number
  readonly p50: number
}

interface Way {
  readonly name: string
  readonly base: string
  readonly pids: ReadonlyArray<number>
  readonly requests: ReadonlyArray<string>
  /** Milliseconds of processor that the database's sessions of it took so far. */
  readonly databaseMs: () => Promise<number>
}

const startWay = Effect.fnUntraced(function* (ground: Ground, operator: Estate, workers: number) {
  const life = yield* (yield* lives(ground, { workers })).begin
  const parent = life.pid
  if (parent === undefined) return yield* Effect.die(new Error("it has no process"))
  // One worker is the process itself.
  const pids = workers === 1 ? [parent] : childrenOf(parent)
  const { pathname } = new URL(ground.env["DATABASE_URL"] ?? "")
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const requests = yield* Effect.promise(() => mixFor(life.base, operator))
  const databaseMs = () => Effect.runPromiseWith(context)(sessionsMs(pathname.slice(1)))
  const way: Way = { name: `${workers} worker${workers > 1 ? "s" : ""}`, base: life.base, pids, requests, databaseMs }
  return way
})

/** Runs workers one after the other, each for RUNS_MS of every PERIOD_MS, until the answered is called. */
const held = (pids: ReadonlyArray<number>) => {
  let over = false
  const pause = PERIOD_MS / pids.length - RUNS_MS
  const holding = (async () => {
    for (const pid of pids) process.kill(pid, "SIGSTOP")
    while (!over) {
      for (const pid of pids) {
        process.kill(pid, "SIGCONT")
        await sleep(RUNS_MS)
        process.kill(pid, "SIGSTOP")
        await sleep(pause)
      }
    }
    for (const pid of pids) process.kill(pid, "SIGCONT")
  })()
  return async () => {
    over = true
    await holding
  }
}

const workersMs = async (pids: ReadonlyArray<number>): Promise<number> =>
  (await Promise.all(pids.map((pid) => processorMs({ pid })))).reduce((sum, ms) => sum + ms, 0)

const round = async ({ base, pids, requests, databaseMs }: Way, isHeld: boolean, seconds = SECONDS): Promise<Taken> => {
  const letGo = isHeld ? held(pids) : undefined
  const [workers, database] = [await workersMs(pids), await databaseMs()]
  const figures = await load({ base, requests, seconds, arrival: { closed: CALLERS } })
  const ms = figures.seconds * 1_000
  const taken = {
    perSecond: figures.good / figures.seconds,
    workers: ((await workersMs(pids)) - workers) / ms,
    database: ((await databaseMs()) - database) / ms,
    load: figures.ownShare,
    p50: figures.goodMs.p50
  }
  await letGo?.()
  const others = Object.entries(figures.codes).filter(([code]) => code !== "0")
  if (others.length > 0) throw new Error(`calls were answered ${JSON.stringify(others)}`)
  return taken
}

const compare = async (title: string, isHeld: boolean, ways: ReadonlyArray<Way>) => {
  const taken = new Map<Way, Array<Taken>>(ways.map((way) => [way, []]))
  for (let at = 0; at < ROUNDS; at++) {
    for (const way of inTurn(ways, at)) taken.get(way)?.push(await round(way, isHeld))
  }
  let first: number | undefined
  for (const [{ name }, each] of taken) {
    const of = (figure: keyof Taken) => median(each.map((one) => one[figure]))
    first ??= of("perSecond")
    const cores = (["workers", "database", "load"] as const).map((who) => of(who).toFixed(2))
    const figures = [of("perSecond").toFixed(0), ...cores, of("p50").toFixed(0), (of("perSecond") / first).toFixed(2)]
    console.log(`| ${[title, name, ...figures].join(" | ")} |`)
  }
}

const program = Effect.gen(function* () {
  const [one, two] = [yield* serverGround(SERVER_URL), yield* serverGround(SERVER_URL)]
  const ways = [
    yield* startWay(one, yield* Effect.provide(grownEstate, one.layer), 1),
    yield* startWay(two, yield* Effect.provide(grownEstate, two.layer), 2)
  ]
  yield* Effect.promise(async () => {
    for (const way of ways) await round(way, false, WARM_UP_SECONDS)
    console.log("| | | calls/s | cores of the workers | of the database | of the load | p50, ms | to one |")
    console.log("|---|---|---|---|---|---|---|---|")
    await compare("all on two cores", false, ways)
    await compare(`each worker runs ${RUNS_MS} of ${PERIOD_MS} ms`, true, ways)
  })
}).pipe(
  Effect.provide(layerPostgres({ url: Redacted.make(SERVER_URL), maxConnections: 1 })),
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "Error")
)

NodeRuntime.runMain(program)
