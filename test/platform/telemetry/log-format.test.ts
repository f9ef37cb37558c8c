import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { LogLevel } from "effect/LogLevel"
import { layerTelemetry } from "../../../src/platform/telemetry/layer.ts"
import { DEFAULT_SAMPLER } from "../../../src/platform/telemetry/sampling.ts"

const TOKEN = "lk_Zx81-aQ_Zx81aQZx81aQZx81aQZx81aQZx81aQZx8"
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/AbCdEf12=="

const linesOf = (
  logFormat: "pretty" | "json",
  program: Effect.Effect<unknown>,
  logLevel: LogLevel = "Info"
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const layer = layerTelemetry(
      { logFormat, logLevel, otlpEndpoint: undefined, sampler: DEFAULT_SAMPLER, version: "0" },
      (line) => lines.push(line)
    )
    return program.pipe(Effect.provide(layer), Effect.as(lines))
  })

const request = Effect.logInfo("GET /v3/transactions").pipe(
  Effect.annotateLogs({ error_code: 0, ms: 1.25, agent: "curl 8", request_id: "RT20270507100000ABCDEFGH" })
)

describe("log lines", () => {
  it.effect("pretty: a request is one short line", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* linesOf("pretty", request), [
        '00:00:00.000 INFO  GET /v3/transactions error_code=0 ms=1.25 agent="curl 8" request_id=RT20270507100000ABCDEFGH'
      ])
    })
  )

  it.effect("json: a request is one object on one line", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf("json", request)
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        [
          {
            error_code: 0,
            ms: 1.25,
            agent: "curl 8",
            request_id: "RT20270507100000ABCDEFGH",
            time: "1970-01-01T00:00:00.000Z",
            level: "info",
            message: "GET /v3/transactions"
          }
        ]
      )
    })
  )

  it.effect("a record among the parts is fields, in both forms, and a line break in a value stays inside it", () =>
    Effect.gen(function* () {
      const program = Effect.logWarning("slow", { operation: "a\nb" }, 12n)
      assert.deepStrictEqual(yield* linesOf("pretty", program), ['00:00:00.000 WARN  slow 12n operation="a\\nb"'])
      const [line = ""] = yield* linesOf("json", program)
      assert.notInclude(line, "\n")
      assert.include(JSON.parse(line), { message: "slow 12n", operation: "a\nb", level: "warn" })
    })
  )

  it.effect("a traced entry names its span", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* linesOf("json", request.pipe(Effect.withSpan("GET /transactions")))
      assert.match(JSON.parse(line).trace_id, /^[0-9a-f]{32}$/)
      assert.match(JSON.parse(line).span_id, /^[0-9a-f]{16}$/)
    })
  )

  it.effect("what is below the level is not written", () =>
    Effect.gen(function* () {
      const program = Effect.andThen(Effect.logInfo("fine"), Effect.logError("broken"))
      assert.lengthOf(yield* linesOf("json", program, "Error"), 1)
      assert.lengthOf(yield* linesOf("json", program, "None"), 0)
      assert.lengthOf(yield* linesOf("json", program, "Debug"), 2)
    })
  )

  it.effect.each(["pretty", "json"] as const)("%s: no token, secret or password is ever in a line", (format) =>
    Effect.gen(function* () {
      const foreign = "ey.J9-a.bc"
      const address = "postgres://latchkey:hunter2@db/latchkey"
      const lines = yield* linesOf(
        format,
        Effect.gen(function* () {
          yield* Effect.logInfo(`GET /v3/transactions?token=${TOKEN}`, { headers: { "service-access-token": TOKEN } })
          yield* Effect.logInfo("headers").pipe(
            Effect.annotateLogs({ authorization: `Bearer ${TOKEN}`, other: `bearer  ${foreign}`, [TOKEN]: SECRET })
          )
          yield* Effect.logInfo(new Error(`made ${SECRET}`), address)
          yield* Effect.fail(new Error(`no such token ${TOKEN}, at ${address}`)).pipe(
            Effect.tapCause((cause) => Effect.logError("refused", cause)),
            Effect.ignore
          )
        })
      )
      assert.lengthOf(lines, 4)
      for (const secret of [TOKEN, SECRET, foreign, "hunter2"]) assert.notInclude(lines.join("\n"), secret)
      assert.include(lines.join("\n"), "lk_<redacted>")
      assert.include(lines.join("\n"), "no such token")
    })
  )

  it.effect("replaces the runtime's own logger", () =>
    Effect.gen(function* () {
      const loggers = yield* Effect.provide(
        Effect.service(Logger.CurrentLoggers),
        layerTelemetry(
          { logFormat: "json", logLevel: "Info", otlpEndpoint: undefined, sampler: DEFAULT_SAMPLER, version: "0" },
          () => {}
        )
      )
      assert.strictEqual(loggers.size, 1)
    })
  )
})
