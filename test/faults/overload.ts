import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { embeddedGround, type Ground, serverGround } from "../attacks/grounds.ts"
import { type Life, lives } from "../attacks/service-process.ts"
import { connections, type Reply, send } from "../attacks/wire.ts"
import { type Estate, estate } from "../attacks/writing.ts"
import { bareRefusalMs } from "./bare-refusals.ts"
import type { Fault, Suffered } from "./fault.ts"
import { type LoadFigures, load } from "./load.ts"
import { grownEstate, mixFor } from "./mix.ts"
import { server } from "./places-to-cause.ts"
import { processorMs } from "./processor.ts"

// Five times as many calls as can be served, of one operator, and a second one that calls now and then: what is refused is refused
// soon, what can be served still is, and it is over when it is over. How much that is at most goes by what a
// refusal costs beside a served call, so a bare server of Node that does nothing but refuse is measured beside it.

const TIMES = 5
/** A crowd as it comes more often, once the overload is over, to be told beside it. */
const FEWER_TIMES = 2
/** Milliseconds within which a refusal must come, the share of the peak that must still be served, and the time until it is over. */
const REFUSED_MS = 100
const SHARE = 0.8
const OVER_MS = 5_000
/** Bytes by which the process may grow beyond its size after the peak was found. */
const GROWN_BYTES = 512 * 1024 * 1024

/** Seconds of each step: a cold process is at full speed after some thousands of calls. */
const WARM_S = 15
const STEP_S = 5
const OVERLOAD_S = 20
/** Callers of each step while the peak is looked for. */
const CALLERS = [8, 16, 32, 64]
const CONNECTIONS = 2_500

const residentBytes = async ({ pid }: Life): Promise<number> =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN)

/** Calls that an operator makes one after the other while `over` is false: those that were answered well, and all. */
const quietly = async (base: string, { token }: Estate, over: () => boolean) => {
  const agent = connections(1)
  const heard: Array<{ readonly well: boolean; readonly ms: number }> = []
  while (!over()) {
    const sent = { method: "GET", target: "/v3/income_items", headers: { "service-access-token": token } }
    const reply = await send(base, agent, sent).catch((): Reply | undefined => undefined)
    heard.push({ well: reply?.text.includes('"error_code":0') ?? false, ms: reply?.ms ?? OVER_MS })
    await sleep(100)
  }
  return heard
}

/** Milliseconds until a call goes well within REFUSED_MS, ten times in a row. */
const normalAfter = async (base: string, { token }: Estate): Promise<number> => {
  const agent = connections(1)
  const began = performance.now()
  for (let well = 0; well < 10 && performance.now() - began < 10 * OVER_MS; ) {
    const sent = { method: "GET", target: "/v3/income_items", headers: { "service-access-token": token } }
    const reply = await send(base, agent, sent).catch((): Reply | undefined => undefined)
    well = reply?.text.includes('"error_code":0') && reply.ms <= REFUSED_MS ? well + 1 : 0
  }
  return performance.now() - began
}

interface Measured {
  readonly peak: number
  /** Milliseconds of processor that the process takes for a served call at the peak. */
  readonly cost: number
  readonly crowd: LoadFigures
  readonly overload: LoadFigures
  /** The same for a refusal, whatever else it has to do meanwhile, and for an answer of the bare server. */
  readonly refusalCost: number
  readonly bareCost: number
  readonly quiet: Awaited<ReturnType<typeof quietly>>
  readonly grownBytes: number
  readonly backMs: number
}

const measured = async (life: Life, busy: Estate, other: Estate): Promise<Measured> => {
  const { base } = life
  const requests = await mixFor(base, busy)
  const closed = (callers: number, seconds: number) => load({ base, requests, seconds, arrival: { closed: callers } })
  await closed(32, WARM_S)
  const took = await processorMs(life)
  const steps: Array<LoadFigures> = []
  for (const callers of CALLERS) steps.push(await closed(callers, STEP_S))
  const served = steps.reduce((sum, { good }) => sum + good, 0)
  const cost = ((await processorMs(life)) - took) / served
  const peak = Math.max(...steps.map(({ good, seconds }) => good / seconds))

  const before = await residentBytes(life)
  let over = false
  const quiet = quietly(base, other, () => over)
  const crowded = (times: number, seconds: number) =>
    load({ base, requests, seconds, watched: life.pid, arrival: { open: times * peak, connections: CONNECTIONS } })
  const overload = await crowded(TIMES, OVERLOAD_S)
  const grownBytes = (await residentBytes(life)) - before
  const backMs = await normalAfter(base, busy)
  over = true
  const heard = await quiet
  const crowd = await crowded(FEWER_TIMES, OVERLOAD_S / 2)
  // As if a call that is served took what it took at the peak: what else it takes in a crowd is the refusals' price too.
  const refusalCost = (overload.watchedMs - overload.good * cost) / Math.max(refusedOf(overload), 1)
  const bareCost = await bareRefusalMs({ requests, perSecond: (TIMES - 1) * peak, connections: CONNECTIONS })
  return { peak, cost, crowd, overload, refusalCost, bareCost, quiet: heard, grownBytes, backMs }
}

const refusedOfQuiet = (heard: Measured["quiet"]): number => heard.filter(({ well }) => !well).length

const refusedOf = ({ codes }: LoadFigures): number =>
  Object.entries(codes).reduce((sum, [code, times]) => sum + (code === "0" ? 0 : times), 0)

/** What may not be, and what to say where it is. */
type Falls = ReadonlyArray<readonly [boolean, string]>

const fallen = (falls: Falls): ReadonlyArray<string> => falls.flatMap(([fell, what]) => (fell ? [what] : []))

/** What no load may see, however large it is. */
const fallsOfLoad = ({ codes, refusedWithoutRetryAfter, broken, notSent }: LoadFigures): Falls => {
  const others = Object.keys(codes).filter((code) => !["0", "429", "500"].includes(code))
  return [
    [refusedWithoutRetryAfter > 0, `${refusedWithoutRetryAfter} refusals have no Retry-After`],
    [broken > 0, `${broken} connections broke off`],
    [others.length > 0, `calls are answered ${others.join(", ")}`],
    [notSent > 0, `${notSent} calls found no connection free: the load was less than was asked for`]
  ]
}

const fallsOf = ({ peak, crowd, overload, quiet, grownBytes, backMs }: Measured): ReadonlyArray<string> => {
  const { good, seconds, refusedMs } = overload
  const share = good / seconds / peak
  return fallen([
    [share < SHARE, `${Math.round(share * 100)} % of the peak's calls are served, not ${SHARE * 100}`],
    [refusedOf(overload) === 0, "nothing is refused: it was no overload"],
    [refusedMs.p99 > REFUSED_MS, `refusals take ${refusedMs.p99} ms (p99), not ${REFUSED_MS}`],
    [refusedOfQuiet(quiet) > 0, `${refusedOfQuiet(quiet)} of ${quiet.length} calls of a quiet operator are refused`],
    [grownBytes > GROWN_BYTES, `the process grew by ${Math.round(grownBytes / 2 ** 20)} MB`],
    [backMs > OVER_MS, `calls go as before only after ${Math.round(backMs)} ms`],
    ...fallsOfLoad(overload),
    ...fallsOfLoad(crowd)
  ])
}

const overload = Effect.fnUntraced(function* (ground: Ground) {
  const [busy, other] = yield* Effect.provide(Effect.all([grownEstate, estate(0)]), ground.layer)
  const service = yield* lives(ground)
  const life = yield* service.begin
  const said = yield* Effect.promise(() => measured(life, busy, other))
  const { peak, cost, crowd, overload, refusalCost, bareCost, quiet, grownBytes, backMs } = said
  const shareOf = ({ good, seconds }: LoadFigures) => Math.round((100 * good) / seconds / peak)
  const quietMs = quiet.map(({ ms }) => ms).toSorted((one, next) => one - next)
  const figures = [
    `peak ${Math.round(peak)}/s (${cost.toFixed(2)} ms of processor a call), then ${Math.round(TIMES * peak)}/s`,
    `${shareOf(overload)} % of the peak served, ${refusedOf(overload)} refused (${shareOf(crowd)} % at ${FEWER_TIMES} times the peak)`,
    `a refusal took ${Math.round(1000 * refusalCost)} µs of processor, ${(refusalCost / bareCost).toFixed(1)} times an answer of a bare server of Node (${Math.round(1000 * bareCost)} µs)`,
    `a refusal p50 ${overload.refusedMs.p50} ms, p99 ${overload.refusedMs.p99} ms`,
    `a quiet operator p50 ${Math.round(quietMs[Math.floor(quietMs.length / 2)] ?? 0)} ms, ${refusedOfQuiet(quiet)} of its calls refused`,
    `${Math.round(grownBytes / 2 ** 20)} MB more`,
    `the load took ${overload.ownShare.toFixed(2)} of a core`
  ]
  return {
    fault: `${TIMES} times as many calls as can be served`,
    on: ground.on,
    times: 1,
    acknowledged: overload.good,
    lost: 0,
    fell: fallsOf(said),
    recoveredMs: backMs,
    seen: figures.join("; ")
  } satisfies Suffered
}, Effect.scoped)

export const overloadFault: Fault = {
  name: "overload",
  skipped: Effect.succeed(undefined),
  run: Effect.gen(function* () {
    const embedded = yield* overload(yield* embeddedGround)
    return server === "" ? [embedded] : [embedded, yield* overload(yield* serverGround(server))]
  })
}
