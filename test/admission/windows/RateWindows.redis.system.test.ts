import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import { createClient } from "redis"
import { bucketsOf } from "../../../src/admission/windows/call-buckets.ts"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { type Bucket, windowOf } from "../../../src/admission/windows/rate-window.ts"
import { REDIS_KEY_GRACE_SECONDS } from "../../../src/admission/windows/redis-counter-script.ts"
import {
  REDIS_CONNECT_TIMEOUT_MS,
  REDIS_RETRY_INTERVAL_MS,
  REDIS_TIMEOUT_MS,
  REDIS_WARNING_INTERVAL_MS
} from "../../../src/admission/windows/redis-link.ts"
import { makeRedisProxy } from "../../support/admission/windows/redis-proxy.ts"

const redisUrl = process.env.REDIS_URL ?? ""
const noon = Date.UTC(2026, 4, 1, 12, 0, 0)
const ten: Bucket = { key: "{op:1}:user:1", scope: "user", window: windowOf("24h"), max: 10 }

const redis = Effect.acquireRelease(
  Effect.promise(() => createClient({ url: redisUrl }).connect()),
  (client) => Effect.promise(() => client.close())
)

/** A proxy in front of Redis, not yet open, and services that count under one prefix through it or beside it. */
const scene = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const clock = yield* Clock.clockWith(Effect.succeed)
  const proxy = yield* makeRedisProxy(redisUrl)
  const logged = yield* Queue.unbounded<{ readonly level: string; readonly text: string; readonly at: number }>()
  const logger = Logger.layer([
    Logger.make(({ logLevel, message }) => {
      const text = Array.isArray(message) ? String(message[0]) : String(message)
      Queue.offerUnsafe(logged, { level: logLevel, text, at: clock.currentTimeMillisUnsafe() })
    })
  ])
  const prefix = `test:${crypto.randomUUID()}:`
  const start = (url: string) =>
    Effect.map(Layer.build(Layer.provide(RateWindows.layerRedis(url, { prefix }), logger)), Context.get(RateWindows))
  return { proxy, logged, prefix, start: start(proxy.url), startBeside: start(redisUrl) }
})

/** How many of ten calls are left after one more, or "refused". */
const left = (windows: RateWindows["Service"]) =>
  Effect.map(windows.admit([ten], []), (answer) =>
    answer._tag === "Admitted" ? answer.remaining[0]?.remaining : "refused"
  )

const heard = (logged: Effect.Success<typeof scene>["logged"], level: string, words: string) =>
  Effect.map(Queue.take(logged), (line) => {
    assert.strictEqual(line.level, level)
    assert.include(line.text, words)
    return line
  })

/** Lets sockets be read: what a test that moves the clock itself must grant between two moves. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe.skipIf(redisUrl === "")(redisUrl === "" ? "on Redis, skipped: REDIS_URL not set" : "on Redis", () => {
  it.effect("a call is one round trip, also when the server has forgotten the script", () =>
    Effect.gen(function* () {
      const { logged, proxy, start } = yield* scene
      yield* proxy.restore
      const windows = yield* start
      const { call, invalid } = bucketsOf({ operatorId: 1, tokenId: 3, route: "GET /tasks" })
      const before = proxy.countCommands("EVALSHA")
      yield* Effect.repeat(windows.admit(call, invalid), { times: 49 })
      assert.strictEqual(proxy.countCommands("EVALSHA") - before, 50)
      assert.strictEqual(yield* left(windows), 9)
      const evals = proxy.countCommands("EVAL")
      yield* proxy.setMode("forgetful")
      assert.strictEqual(yield* left(windows), 8)
      assert.strictEqual(proxy.countCommands("EVAL"), evals + 1)
      yield* proxy.setMode("open")
      assert.strictEqual(yield* left(windows), 7)
      assert.strictEqual(proxy.countCommands("EVAL"), evals + 1)
      assert.strictEqual(yield* Queue.size(logged), 0)
    })
  )

  it.effect("every key goes by itself, soon after its window", () =>
    Effect.gen(function* () {
      const { prefix, startBeside } = yield* scene
      const windows = yield* startBeside
      const { call, invalid } = bucketsOf({
        operatorId: 1,
        tokenId: 1,
        route: "POST /conversations/{id}",
        conversationId: 1
      })
      yield* windows.admit(call, invalid)
      yield* windows.count(invalid)
      const server = yield* redis
      const keys = yield* Effect.promise(() => server.keys(`${prefix}*`))
      const counted = keys.filter((key) => key.startsWith(`${prefix}{op:1}:`))
      assert.strictEqual(counted.length, call.length + invalid.length)
      for (const key of counted) {
        const seconds = yield* Effect.promise(() => server.ttl(key))
        const window = [...call, ...invalid].find((bucket) =>
          key.includes(`${bucket.key}:${bucket.window.label}:`)
        )?.window
        assert.isAbove(seconds, REDIS_KEY_GRACE_SECONDS - 30, key)
        assert.isAtMost(seconds, (window?.seconds ?? 0) + REDIS_KEY_GRACE_SECONDS, key)
      }
    })
  )

  it.effect("processes whose clocks differ count in the window each is in", () =>
    Effect.gen(function* () {
      const { startBeside } = yield* scene
      const ahead = yield* startBeside
      const behind = yield* startBeside
      const midnight = noon + 43_200_000
      for (const expected of [9, 7, 5]) {
        yield* TestClock.setTime(midnight - 1_000)
        assert.strictEqual(yield* left(behind), expected)
        assert.strictEqual(yield* left(ahead), expected - 1)
        yield* TestClock.setTime(midnight)
        assert.strictEqual(yield* left(ahead), 9 - (9 - expected) / 2)
      }
    })
  )

  it.effect("two processes share a limit of 60", () =>
    Effect.gen(function* () {
      const { prefix } = yield* scene
      const processes = yield* Effect.all([admittingProcess(prefix, 100), admittingProcess(prefix, 100)])
      for (const one of processes) assert.strictEqual(yield* one.line, "ready")
      for (const one of processes) yield* one.go
      const admitted = yield* Effect.forEach(processes, (one) => one.line)
      assert.strictEqual(Number(admitted[0]) + Number(admitted[1]), 60)
    })
  )
})

describe.skipIf(redisUrl === "")(
  redisUrl === "" ? "Redis goes away, skipped: REDIS_URL not set" : "when Redis goes away",
  () => {
    it.effect("calls go on in this process, and together again when it is back", () =>
      Effect.gen(function* () {
        const { logged, proxy, start, startBeside } = yield* scene
        yield* proxy.restore
        const windows = yield* start
        assert.strictEqual(yield* left(windows), 9)
        yield* proxy.cut
        const warning = yield* heard(logged, "Warn", "unreachable")
        assert.include(warning.text, new URL(proxy.url).host)
        assert.strictEqual(yield* left(windows), 9)
        for (let again = 8; again >= 0; again--) assert.strictEqual(yield* left(windows), again)
        assert.strictEqual(yield* left(windows), "refused")
        yield* proxy.restore
        yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
        yield* heard(logged, "Info", "is back")
        assert.strictEqual(yield* left(windows), 8)
        assert.strictEqual(yield* left(yield* startBeside), 7)
      })
    )

    it.effect("before the start, the service starts and finds it later", () =>
      Effect.gen(function* () {
        const { logged, proxy, start } = yield* scene
        const windows = yield* start
        yield* heard(logged, "Warn", "unreachable")
        assert.strictEqual(yield* left(windows), 9)
        yield* windows.count([ten])
        assert.strictEqual(yield* left(windows), 7)
        yield* proxy.restore
        yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
        yield* heard(logged, "Info", "is back")
        assert.strictEqual(yield* left(windows), 9)
      })
    )

    it.effect("before the start and silently, the start waits for one attempt", () =>
      Effect.gen(function* () {
        const { logged, proxy, start } = yield* scene
        yield* proxy.setMode("frozen")
        yield* proxy.restore
        const starting = yield* Effect.forkChild(start, { startImmediately: true })
        yield* proxy.awaitEvent("connected")
        yield* TestClock.adjust(REDIS_CONNECT_TIMEOUT_MS - 1)
        yield* turn
        assert.isUndefined(starting.pollUnsafe())
        yield* TestClock.adjust(1)
        const windows = yield* Fiber.join(starting)
        yield* heard(logged, "Warn", "unreachable")
        assert.strictEqual(yield* left(windows), 9)
      })
    )

    it.effect(`silently, the calls of that moment wait ${REDIS_TIMEOUT_MS} ms and later ones not at all`, () =>
      Effect.gen(function* () {
        const { logged, proxy, start } = yield* scene
        yield* proxy.restore
        const windows = yield* start
        assert.strictEqual(yield* left(windows), 9)
        yield* proxy.setMode("frozen")
        const calls = Effect.all([left(windows), left(windows)], { concurrency: "unbounded" })
        const waiting = yield* Effect.forkChild(calls, { startImmediately: true })
        yield* TestClock.adjust(REDIS_TIMEOUT_MS - 1)
        yield* turn
        assert.isUndefined(waiting.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(waiting), [9, 8])
        yield* heard(logged, "Warn", "unreachable")
        // The clock stands still: a call that waited for anything would never end.
        assert.strictEqual(yield* left(windows), 7)
        yield* proxy.setMode("open")
        yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
        yield* heard(logged, "Info", "is back")
        assert.strictEqual(yield* left(windows), 8)
      })
    )

    it.live("is not what a pause of this process looks like", () =>
      Effect.gen(function* () {
        const warnings: Array<unknown> = []
        const logger = Logger.layer([Logger.make(({ message }) => void warnings.push(message))])
        const layer = RateWindows.layerRedis(redisUrl, { prefix: `test:${crypto.randomUUID()}:` })
        const windows = Context.get(yield* Layer.build(Layer.provide(layer, logger)), RateWindows)
        const call = yield* Effect.forkChild(windows.admit([ten], []), { startImmediately: true })
        const end = performance.now() + 2 * REDIS_TIMEOUT_MS
        while (performance.now() < end);
        yield* Fiber.join(call)
        assert.deepStrictEqual(warnings, [])
      })
    )

    it.effect("by accepting connections and counting nothing, that is away too", () =>
      Effect.gen(function* () {
        const { logged, proxy, start } = yield* scene
        yield* proxy.restore
        const windows = yield* start
        yield* proxy.setMode("read-only")
        assert.strictEqual(yield* left(windows), 9)
        yield* heard(logged, "Warn", "unreachable")
        yield* proxy.awaitEvent("closed")
        yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
        yield* proxy.awaitEvent("script refused")
        assert.strictEqual(yield* left(windows), 8)
        yield* proxy.awaitEvent("closed")
        assert.strictEqual(yield* Queue.size(logged), 0)
        yield* proxy.setMode("open")
        yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
        yield* heard(logged, "Info", "is back")
        assert.strictEqual(yield* left(windows), 9)
      })
    )

    it.effect("there is one warning a minute, however often it is tried", () =>
      Effect.gen(function* () {
        const { logged, proxy, start } = yield* scene
        yield* proxy.setMode("dropping")
        yield* proxy.restore
        const windows = yield* start
        const warnedAt = [(yield* heard(logged, "Warn", "unreachable")).at]
        while (warnedAt.length < 3) {
          yield* TestClock.adjust(REDIS_RETRY_INTERVAL_MS)
          yield* left(windows)
          yield* turn
          if ((yield* Queue.size(logged)) > 0) warnedAt.push((yield* heard(logged, "Warn", "unreachable")).at)
        }
        const [first = 0, second = 0, third = 0] = warnedAt
        assert.isAtLeast(second - first, REDIS_WARNING_INTERVAL_MS)
        assert.isAtLeast(third - second, REDIS_WARNING_INTERVAL_MS)
        assert.isAbove(proxy.countConnections(), 10)
      })
    )
  }
)

it.effect.each(["", "localhost:6379", "http://localhost:6379"])(
  "%j is no address of a Redis: the start says so",
  (url) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Layer.build(RateWindows.layerRedis(url)))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(String(exit), "redis://host:6379")
    })
)

/** Runs until its scope closes; `line` is its next line of output, `go` lets it make its calls. */
const admittingProcess = Effect.fnUntraced(function* (prefix: string, calls: number) {
  const script = fileURLToPath(new URL("../../support/admission/windows/admitting-process.ts", import.meta.url))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [script, redisUrl, prefix, String(noon), String(calls)], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill())
  )
  const lines = yield* Queue.unbounded<string>()
  createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  return {
    line: Queue.take(lines),
    go: Effect.sync(() => {
      child.stdin.write("go\n")
    })
  }
})
