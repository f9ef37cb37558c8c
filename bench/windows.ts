// What the rate windows cost a call: `node bench/windows.ts`; with REDIS_URL also through Redis.
import { Effect } from "effect"
import { createClient } from "redis"
import { bucketsOf } from "../src/admission/windows/call-buckets.ts"
import { RateWindows } from "../src/admission/windows/RateWindows.ts"
import { wideWindows } from "./wide-windows.ts"

const ROUNDS = 15
const CALLS = 20_000
const ACCOUNTS = 200

// Every call of every round is admitted: refused ones would be cheaper.
const overrides = wideWindows()
const bucketsOfCall = (call: number) =>
  bucketsOf({
    operatorId: call % ACCOUNTS,
    tokenId: 1,
    route: "GET /reservations",
    overrides
  })

/** Median microseconds a call over all rounds but the first, which warms up. */
const measure = Effect.fnUntraced(function* (name: string, calls: number, round: Effect.Effect<void>) {
  const micros: Array<number> = []
  for (let at = 0; at <= ROUNDS; at++) {
    const start = performance.now()
    yield* round
    if (at > 0) micros.push(((performance.now() - start) * 1_000) / calls)
  }
  const median = micros.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0
  console.log(`${name.padEnd(32)} ${median.toFixed(2).padStart(8)} µs a call`)
})

const oneByOne = (calls: number, call: (at: number) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    for (let at = 0; at < calls; at++) yield* call(at)
  })

const inMemory = Effect.gen(function* () {
  const windows = yield* RateWindows
  const { call, invalid } = bucketsOfCall(0)
  console.log(`${call.length} buckets counted, ${invalid.length} looked at; ${ROUNDS} rounds of ${CALLS} calls`)

  const making = oneByOne(CALLS, (at) => Effect.sync(() => bucketsOfCall(at)))
  yield* measure("memory: making the buckets", CALLS, making)
  const both = oneByOne(CALLS, (at) => {
    const { call, invalid } = bucketsOfCall(at)
    return windows.admit(call, invalid)
  })
  yield* measure("memory: making and admitting", CALLS, both)
  // Last: once buckets are kept, V8 allocates all later ones where garbage is dear, which no real call meets.
  const kept = Array.from({ length: ACCOUNTS }, (_, account) => bucketsOfCall(account))
  const admitting = oneByOne(CALLS, (at) => {
    const { call, invalid } = kept[at % ACCOUNTS] ?? bucketsOfCall(at)
    return windows.admit(call, invalid)
  })
  yield* measure("memory: admitting", CALLS, admitting)
})

const onRedis = Effect.fnUntraced(function* (url: string) {
  const windows = yield* RateWindows
  const admit = (at: number) => {
    const { call, invalid } = bucketsOfCall(at)
    return windows.admit(call, invalid)
  }
  const before = yield* scriptsRun(url)
  yield* oneByOne(1_000, admit)
  const scripts = (yield* scriptsRun(url)) - before
  console.log(`redis: ${(scripts / 1_000).toFixed(2)} round trips a call (if nobody else uses this server)`)
  for (const concurrency of [1, 16, 128]) {
    const calls = Array.from({ length: concurrency === 1 ? CALLS / 10 : CALLS }, (_, at) => at)
    const round = Effect.forEach(calls, admit, { concurrency, discard: true })
    yield* measure(`redis: ${concurrency} at a time`, calls.length, round)
  }
})

const scriptsRun = (url: string) =>
  Effect.promise(async () => {
    const client = await createClient({ url }).connect()
    const statistics = await client.info("commandstats")
    await client.close()
    const calls = Array.from(statistics.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g))
    return calls.reduce((sum, [, count]) => sum + Number(count), 0)
  })

await Effect.runPromise(Effect.provide(inMemory, RateWindows.layerMemory))
const url = process.env.REDIS_URL
if (url === undefined) console.log("redis: skipped, REDIS_URL not set")
else {
  const layer = RateWindows.layerRedis(url, { prefix: `bench:${crypto.randomUUID()}:` })
  await Effect.runPromise(Effect.provide(onRedis(url), layer))
}
