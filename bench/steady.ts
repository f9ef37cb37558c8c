import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { answerAlike } from "./alike.ts"
import { ARRIVALS_PAGE, type Case, casesOf, entryAt, loadOf, MONTH, reservationAt, type ServerName } from "./cases.ts"
import { type Ground, withGround } from "./ground.ts"
import { warmUp } from "./measure.ts"
import { BENCH_TOKEN } from "./operator.ts"
import { SERVER_URL } from "./scratch-database.ts"
import type { Server } from "./servers.ts"
import { ALLOCATION_SECONDS, interleaved, print, type Results, ratioOf } from "./side-by-side.ts"
import { started } from "./steady-servers.ts"

// The service beside reference servers that do the same SQL and the same JSON, once all run at full speed:
// `node bench/steady.ts`. Each is warmed up on each case until its rate is steady, then rounds of all are interleaved.
// docs/reports/performance.md says what is measured and how to read it. Ratios are what counts: absolute numbers are this
// machine's, which also runs the database and the load.

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 8)
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3)
/** A server that is not steady by then is measured as it is, and that is printed. */
const COLD = { windowSeconds: 1, mostSeconds: Number(process.env["BENCH_WARM_UP_SECONDS"] ?? 35) }
/** Of a server that ran other cases before: what is new to it is the case. */
const WARM = { windowSeconds: 0.4, mostSeconds: COLD.mostSeconds / 2 }
/** Only cases whose title has this in it. */
const CASES = process.env["BENCH_CASES"] ?? ""
const MINUTE_LATER = process.env["BENCH_MINUTE_LATER"] !== "0"
/** After so many minutes it gives up. */
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 120)

/** What a process does once it has started is over by then. */
const AT_REST_SECONDS = 20

type Servers = ReadonlyMap<ServerName, Server>

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000))

const serverOf = (servers: Servers, name: ServerName): Server => {
  const server = servers.get(name)
  if (server === undefined) throw new Error(`${name} was not started`)
  return server
}

/** With the seconds since the start: of a run that is cut off, what is printed by then is worth something. */
const say = (line: string) => console.log(`${(performance.now() / 1_000).toFixed(0).padStart(5)} s ${line}`)

const warmedUp = async (name: string, ...[load, cold]: readonly [ReturnType<typeof loadOf>, boolean]) => {
  const { seconds, steady, toFullSpeed, failures } = await warmUp(load, cold ? COLD : WARM)
  const began = cold
    ? `from a cold process at full speed after ${toFullSpeed.seconds} s and ${toFullSpeed.requests.toFixed(0)} requests, `
    : ""
  const ended = `${steady ? "" : "not "}steady after ${seconds.toFixed(1)} s`
  say(` ${name.padEnd(24)}${began}${ended}, failures ${failures}`)
}

const measure = async (each: Case, servers: Servers, warm: Set<Server>): Promise<Results> => {
  const loads = each.participants.map(({ name, server, asked }) => {
    const its = serverOf(servers, server)
    return { name, server: its, load: loadOf(its.url, asked) }
  })
  for (const { name, server, load } of loads) {
    await warmedUp(name, load, !warm.has(server))
    warm.add(server)
  }
  const results = await interleaved(Object.fromEntries(loads.map(({ name, load }) => [name, load])), {
    rounds: ROUNDS,
    seconds: SECONDS
  })
  print(results)
  for (const { one, other, aim } of each.held) console.log(`  ${one} to ${other} ${ratioOf(results, one, other, aim)}`)
  return results
}

const residentMb = async (servers: Servers): Promise<ReadonlyMap<ServerName, number>> => {
  const each = Array.from(servers, async ([name, server]) => [name, await server.residentMb()] as const)
  return new Map(await Promise.all(each))
}

/** As docs/reports/performance.md shows them. */
const printTables = (measured: ReadonlyMap<Case, Results>) => {
  console.log("\n| case | server | µs of processor | requests/s | p50 ms | p99 ms | KB allocated | longest hold ms |")
  console.log("|---|---|---|---|---|---|---|---|")
  for (const [{ title }, results] of measured) {
    for (const [name, each] of Object.entries(results)) {
      const figures = [each.processor, each.perSecond, each.p50, each.p99, each.allocated / 1024, each.hold]
      console.log(`| ${title} | ${name} | ${figures.map((figure) => figure.toFixed(0)).join(" | ")} |`)
    }
  }
  console.log("\n| case | to | ratio |\n|---|---|---|")
  for (const [{ title, held }, results] of measured) {
    for (const { one, other, aim } of held) {
      console.log(`| ${title} | ${one} to ${other} | ${ratioOf(results, one, other, aim)} |`)
    }
  }
}

const measureAll = async (cases: ReadonlyArray<Case>, servers: Servers) => {
  await sleep(AT_REST_SECONDS)
  const atRest = await residentMb(servers)
  const warm = new Set<Server>()
  const measured = new Map<Case, Results>()
  for (const [at, each] of cases.entries()) {
    say(`${each.title} (case ${at + 1} of ${cases.length})`)
    measured.set(each, await measure(each, servers, warm))
  }
  const afterLoad = await residentMb(servers)
  if (MINUTE_LATER) await sleep(60)
  const later = await residentMb(servers)
  say("done")
  printTables(measured)
  console.log(
    "\n| server | started in ms | resident MB at rest | after the load | a minute later |\n|---|---|---|---|---|"
  )
  for (const [name, server] of servers) {
    const figures = [
      server.startedInMs,
      atRest.get(name),
      afterLoad.get(name),
      MINUTE_LATER ? later.get(name) : undefined
    ]
    console.log(`| ${name} | ${figures.map((figure) => figure?.toFixed(0) ?? "").join(" | ")} |`)
  }
  console.log("(aim for latchkey: 140 MB at rest, 220 MB a minute after the load)")
}

const alike = async (servers: Servers, ground: Ground) => {
  const [first, ...others] = Array.from(servers.values())
  if (first === undefined) return
  await answerAlike([first, ...others], BENCH_TOKEN, [entryAt(ground), MONTH, ARRIVALS_PAGE, reservationAt(ground)])
}

/** Of all that it waits for; connecting, starting and seeding come on top. */
const mostSeconds = (cases: ReadonlyArray<Case>, servers: number): number => {
  const loads = cases.flatMap(({ participants }) => participants).length
  const warmUps = servers * COLD.mostSeconds + (loads - servers) * WARM.mostSeconds
  return AT_REST_SECONDS + warmUps + loads * (ROUNDS * SECONDS + ALLOCATION_SECONDS) + (MINUTE_LATER ? 60 : 0)
}

const program = Effect.gen(function* () {
  const { ground, ownDatabase } = yield* withGround
  const cases = casesOf(ground).filter(({ title }) => title.includes(CASES))
  const names = new Set(cases.flatMap(({ participants }) => participants.map(({ server }) => server)))
  console.log(
    `${ROUNDS} rounds of ${SECONDS} s, node ${process.version}, database ${new URL(SERVER_URL).host}; each server on a database of its own`
  )
  console.log(
    `at most ${Math.ceil(mostSeconds(cases, names.size) / 60)} minutes, less where warm-ups are steady earlier`
  )
  console.log("latchkey has no collector and makes no spans for one; equal duties makes spans, which go nowhere")
  const servers = new Map<ServerName, Server>()
  for (const name of names) servers.set(name, yield* started(name, yield* ownDatabase, ground))
  yield* Effect.promise(() => alike(servers, ground))
  say("all started, and all answer alike")
  yield* Effect.promise(() => measureAll(cases, servers))
}).pipe(Effect.scoped)

const tooSlow = Effect.die(new Error(`not done after ${MINUTES} minutes (BENCH_MINUTES): is the machine busy?`))

const inTime = Effect.timeoutOrElse(program, { duration: `${MINUTES} minutes`, orElse: () => tooSlow })

NodeRuntime.runMain(inTime)
