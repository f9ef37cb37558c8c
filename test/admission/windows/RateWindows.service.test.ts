import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import type { WindowsDecision } from "../../../src/admission/windows/admission.ts"
import { bucketsOf, type RateLimitedCall } from "../../../src/admission/windows/call-buckets.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { type Bucket, type LimitScope, type WindowLabel, windowOf } from "../../../src/admission/windows/rate-window.ts"
import { RateWindowModel } from "../../support/admission/windows/rate-window-model.ts"
import { makeFakeSupervisor } from "../../support/tools/workers/fake-supervisor.ts"

const noon = Date.UTC(2026, 4, 1, 12, 0, 0)
const bucket = (label: WindowLabel, max: number, key = "a", scope: LimitScope = "endpoint"): Bucket => ({
  key: `{op:1}:${scope}:${key}`,
  scope,
  window: windowOf(label),
  max
})
const shown = (admission: WindowsDecision) =>
  admission._tag === "Admitted"
    ? admission.remaining.map(({ remaining }) => remaining)
    : `${admission.bucket.scope} ${admission.bucket.window.label} ${admission.retryAfterSeconds}`

const admit = (buckets: ReadonlyArray<Bucket>, peek: ReadonlyArray<Bucket> = []) =>
  Effect.flatMap(RateWindows, (windows) => Effect.map(windows.admit(buckets, peek), shown))
const count = (buckets: ReadonlyArray<Bucket>) => Effect.flatMap(RateWindows, (windows) => windows.count(buckets))

/** Counts `calls` calls, a thousand a step. */
const use = Effect.fnUntraced(function* (used: Bucket, calls: number) {
  for (let left = calls; left > 0; left -= 1_000) yield* count(Array<Bucket>(Math.min(left, 1_000)).fill(used))
})

/** Calls that together touch every row of the limit table. */
const calls: ReadonlyArray<RateLimitedCall> = [
  "GET /reservations",
  "POST /availabilities",
  "POST /listings/prices",
  "GET /listings/airbnb/price_and_rules",
  "POST /reservations",
  "POST /conversations/{conversation_id}"
].map((route) => ({
  operatorId: 1,
  tokenId: 3,
  route,
  conversationId: 4,
  tokenLimits: { "1m": 7, "1h": 8 }
}))

const everyLimit = [
  ...new Map(
    calls
      .map(bucketsOf)
      .flatMap(({ call, invalid }) => [...call, ...invalid])
      .map((limit) => [`${limit.key} ${limit.window.label}`, limit])
  )
]

const suite = (name: string, skip: boolean, fresh: () => Layer.Layer<RateWindows>) =>
  describe.skipIf(skip)(name, () => {
    const test = (name: string, body: Effect.Effect<void, never, RateWindows>) =>
      it.effect(name, () => Effect.provide(Effect.andThen(TestClock.setTime(noon + 18_400), body), fresh()))

    for (const [name, limit] of everyLimit) {
      test(
        `${name}: call ${limit.max} passes, the next does not, and the next window starts anew`,
        Effect.gen(function* () {
          const wait = limit.window.seconds - ((noon / 1_000 + 18) % limit.window.seconds)
          const refusal = `${limit.scope} ${limit.window.label} ${wait}`
          yield* use(limit, limit.max - 1)
          assert.deepStrictEqual(yield* admit([], [limit]), [])
          assert.deepStrictEqual(yield* admit([limit]), [0])
          assert.strictEqual(yield* admit([limit]), refusal)
          assert.strictEqual(yield* admit([], [limit]), refusal)
          yield* TestClock.setTime(noon + 18_000 + wait * 1_000 - 1)
          assert.strictEqual(yield* admit([limit]), `${limit.scope} ${limit.window.label} 1`)
          yield* TestClock.adjust(1)
          assert.deepStrictEqual(yield* admit([limit]), [limit.max - 1])
        })
      )
    }

    test(
      "a refused call is counted nowhere",
      Effect.gen(function* () {
        const roomy = bucket("1h", 10, "roomy")
        const narrow = bucket("1m", 1, "narrow")
        assert.deepStrictEqual(yield* admit([roomy, narrow]), [9, 0])
        for (let again = 0; again < 20; again++) assert.strictEqual(yield* admit([roomy, narrow]), "endpoint 1m 42")
        assert.deepStrictEqual(yield* admit([roomy]), [8])
      })
    )

    test(
      "of several full buckets the one that releases last is reported, counted or looked at",
      Effect.gen(function* () {
        const full = [bucket("1m", 1, "m"), bucket("24h", 1, "d"), bucket("10m", 1, "t")]
        yield* count(full)
        assert.strictEqual(yield* admit(full), "endpoint 24h 43182")
        assert.strictEqual(yield* admit([full[0] ?? bucket("1m", 1)], full.slice(2)), "endpoint 10m 582")
        const equal = [bucket("1m", 1, "m", "user"), bucket("60s", 1, "m", "conversation")]
        yield* count(equal)
        assert.strictEqual(yield* admit(equal), "user 1m 42")
      })
    )

    test(
      "the invalid-call quota is used up by failed calls alone and shuts one route until its window ends",
      Effect.gen(function* () {
        const route = (route: string) => bucketsOf({ operatorId: 1, tokenId: 3, route })
        const tasks = route("GET /tasks")
        for (let good = 0; good < 550; good++) yield* admit(tasks.call, tasks.invalid)
        assert.isArray(yield* admit(tasks.call, tasks.invalid))
        yield* Effect.repeat(count(tasks.invalid), { times: 499 })
        assert.strictEqual(yield* admit(tasks.call, tasks.invalid), "endpoint_error 1h 3582")
        assert.isArray(yield* admit(route("GET /staffs").call, route("GET /staffs").invalid))
        yield* TestClock.setTime(noon + 3_600_000)
        assert.isArray(yield* admit(tasks.call, tasks.invalid))
      })
    )

    test(
      "what is given back may be used again, in the window it was counted in and in no other, and never twice",
      Effect.gen(function* () {
        const windows = yield* RateWindows
        const minute = [bucket("5s", 2), bucket("60s", 3)]
        const admission = yield* windows.admit(minute, [])
        assert(admission._tag === "Admitted")
        yield* windows.giveBack(minute, admission.at)
        assert.deepStrictEqual(yield* admit(minute), [1, 2])
        // The five seconds are over by then, the minute is not.
        yield* TestClock.adjust(2_000)
        assert.deepStrictEqual(yield* admit(minute), [1, 1])
        yield* windows.giveBack(minute, admission.at)
        assert.deepStrictEqual(yield* admit(minute), [0, 1])
        for (let again = 0; again < 9; again++) yield* windows.giveBack(minute.slice(1), admission.at)
        assert.deepStrictEqual(yield* admit(minute.slice(1)), [2])
        yield* windows.giveBack([bucket("60s", 3, "nobody's")], admission.at)
        assert.deepStrictEqual(yield* admit([bucket("60s", 3, "nobody's")]), [2])
      })
    )

    test(
      "a changed limit holds at once, with what was counted before",
      Effect.gen(function* () {
        yield* use(bucket("1h", 5), 5)
        assert.deepStrictEqual(yield* admit([bucket("1h", 8)]), [2])
        assert.strictEqual(yield* admit([bucket("1h", 3)]), "endpoint 1h 3582")
      })
    )

    test(
      "200 calls at once at a limit of 60 are 60 admitted ones",
      Effect.gen(function* () {
        const sixty = bucket("1m", 60)
        const beside = bucket("24h", 1_000, "beside")
        const answers = yield* Effect.forEach(Array(200).fill([beside, sixty]), (both) => admit(both), {
          concurrency: "unbounded"
        })
        assert.strictEqual(answers.filter(Array.isArray).length, 60)
        assert.deepStrictEqual(yield* admit([beside]), [1_000 - 61])
      })
    )

    test(
      "any sequence of calls, failures, hours and what is given back gives the model's answers",
      Effect.gen(function* () {
        const windows = yield* RateWindows
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        let rounds = 0
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => run(follows(windows, steps, ++rounds))),
            { numRuns: 100 }
          )
        )
      })
    )
  })

const few = [
  bucket("5s", 2, "", "conversation"),
  bucket("60s", 3, "", "conversation"),
  bucket("1m", 3, "", "user"),
  bucket("1h", 4, "", "user"),
  bucket("24h", 6, "", "user"),
  bucket("1h", 2, "", "endpoint_error")
]
const some = fc.subarray(few.map((_, at) => at))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("admit" as const), buckets: some, peek: some }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("count" as const), buckets: some }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("giveBack" as const), buckets: some, ago: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      millis: fc.oneof(fc.nat(2_000), fc.nat(10_000), fc.nat(70_000), fc.nat(4_000_000), fc.nat(90_000_000))
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const follows = Effect.fnUntraced(function* (
  windows: RateWindows["Service"],
  steps: ReadonlyArray<Step>,
  round: number
) {
  const model = new RateWindowModel()
  // When it was after each wait, the latest first.
  const times: Array<number> = []
  const mine = few.map((bucket) => ({ ...bucket, key: `${bucket.key}${round}` }))
  const pick = (at: ReadonlyArray<number>) => mine.filter((_, index) => at.includes(index))
  for (const step of steps) {
    const now = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
    if (step.do === "wait") {
      yield* TestClock.adjust(step.millis)
      times.unshift(now + step.millis)
    } else if (step.do === "giveBack") {
      const then = times[step.ago] ?? now
      yield* windows.giveBack(pick(step.buckets), then)
      model.giveBack(pick(step.buckets), then)
    } else if (step.do === "count") {
      yield* windows.count(pick(step.buckets))
      model.count(pick(step.buckets), now)
    } else {
      const peek = pick(step.peek.filter((at) => !step.buckets.includes(at)))
      assert.deepStrictEqual(yield* windows.admit(pick(step.buckets), peek), model.admit(pick(step.buckets), peek, now))
    }
  }
})

const redisUrl = process.env.REDIS_URL
const onRedis = redisUrl === undefined ? "RateWindows on Redis, skipped: REDIS_URL not set" : "RateWindows on Redis"
const warnings: Array<unknown> = []
const hearing = Logger.layer([
  Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warnings.push(message)
  })
])

suite("RateWindows in memory", false, () => RateWindows.layerMemory)
suite("RateWindows of a worker, counted by its parent", false, () =>
  RateWindows.layerShared(makeFakeSupervisor().worker)
)
suite(onRedis, redisUrl === undefined, () =>
  RateWindows.layerRedis(redisUrl ?? "", { prefix: `test:${crypto.randomUUID()}:` }).pipe(Layer.provide(hearing))
)
it.skipIf(redisUrl === undefined)(`${onRedis}: it was Redis that answered all along, not the memory behind it`, () => {
  assert.deepStrictEqual(warnings, [])
})
