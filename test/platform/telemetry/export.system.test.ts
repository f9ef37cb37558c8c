import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Metric, Option, Queue } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { EXPORT_SHUTDOWN_MS, EXPORT_TIMEOUT_MS, layerTelemetry } from "../../../src/platform/telemetry/layer.ts"
import { DEFAULT_SAMPLER } from "../../../src/platform/telemetry/sampling.ts"

const TOKEN = "lk_Zx81-aQ_Zx81aQZx81aQZx81aQZx81aQZx81aQZx8"

/** A collector on loopback, for as long as the scope lasts. */
const collector = (answer: (request: IncomingMessage, body: string, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8")
        request.on("data", (chunk: string) => {
          body += chunk
        })
        request.on("end", () => answer(request, body, response))
      })
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address()
        const port = bound !== null && typeof bound === "object" ? bound.port : 0
        resume(
          Effect.succeed({
            address: `http://127.0.0.1:${port}`,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const telemetry = (otlpEndpoint: string | undefined) =>
  layerTelemetry(
    { logFormat: "json", logLevel: "Info", otlpEndpoint, sampler: DEFAULT_SAMPLER, version: "3.13.0" },
    () => {}
  )

const request = Effect.gen(function* () {
  yield* Metric.update(Metric.counter("test_requests"), 1)
  yield* Effect.logInfo(`asked with ${TOKEN}`).pipe(Effect.annotateLogs("authorization", `Bearer ${TOKEN}`))
  yield* Effect.annotateCurrentSpan("token", TOKEN)
  return yield* Effect.fail(new Error(`refused ${TOKEN}`)).pipe(Effect.withSpan("Gate.admit"), Effect.ignore)
}).pipe(Effect.withSpan("search_transactions"))

describe("export to a collector", () => {
  it.effect("sends traces, metrics and logs, without the tokens in them", () =>
    Effect.gen(function* () {
      const received = new Map<string, string>()
      const { address } = yield* collector((sent, body, response) => {
        received.set(sent.url ?? "", body)
        response.end("{}")
      })
      yield* Effect.provide(request, telemetry(address))
      assert.sameMembers(Array.from(received.keys()), ["/v1/traces", "/v1/metrics", "/v1/logs"])
      assert.include(received.get("/v1/traces"), "search_transactions")
      // A span that failed leaves without its words.
      assert.include(received.get("/v1/traces"), '"stringValue":"lk_<redacted>"')
      assert.notInclude(received.get("/v1/traces"), "refused")
      assert.include(received.get("/v1/metrics"), "test_requests")
      assert.include(received.get("/v1/logs"), "asked with")
      for (const body of received.values()) {
        assert.include(body, '"latchkey"')
        assert.notInclude(body, TOKEN)
      }
    })
  )

  it.effect("a collector that refuses everything changes nothing", () =>
    Effect.gen(function* () {
      let asked = 0
      const { address } = yield* collector((_sent, _body, response) => {
        asked += 1
        response.writeHead(400).end()
      })
      assert.isTrue(Option.isSome(yield* Effect.option(Effect.provide(request, telemetry(address)))))
      assert.isAbove(asked, 0)
    })
  )

  it.effect("a collector that is not there changes nothing", () =>
    Effect.gen(function* () {
      const { address, close } = yield* collector(() => {})
      close()
      const ending = yield* Effect.forkChild(Effect.provide(request, telemetry(address)))
      yield* TestClock.adjust(EXPORT_SHUTDOWN_MS)
      assert.isTrue((yield* Fiber.await(ending))._tag === "Success")
    })
  )

  it.effect(
    "a collector that never answers holds the end up for its share of time only, and a request not at all",
    () =>
      Effect.gen(function* () {
        const { address } = yield* collector(() => {})
        let done = false
        const ending = yield* Effect.forkChild(
          request.pipe(
            Effect.andThen(
              Effect.sync(() => {
                done = true
              })
            ),
            Effect.provide(telemetry(address))
          )
        )
        yield* TestClock.adjust(EXPORT_SHUTDOWN_MS - 1)
        assert.isTrue(done)
        assert.isUndefined(ending.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.await(ending))._tag, "Success")
      })
  )

  it.effect("gives up on a batch that is not answered in time and tries again", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string>()
      const { address } = yield* collector((sent) => {
        if (sent.url === "/v1/logs") Queue.offerUnsafe(asked, "again")
      })
      const running = yield* Effect.forkChild(
        Effect.andThen(Effect.logInfo("hello"), Effect.never).pipe(Effect.provide(telemetry(address)))
      )
      // The first export, after the logger's own second.
      yield* TestClock.adjust("1 second")
      yield* Queue.take(asked)
      yield* TestClock.adjust(EXPORT_TIMEOUT_MS - 1)
      assert.isTrue(Option.isNone(yield* Queue.poll(asked)))
      yield* TestClock.adjust(1)
      // The exporter's pause before it tries again.
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Queue.take(asked), "again")
      yield* Effect.forkChild(Fiber.interrupt(running))
      yield* TestClock.adjust(EXPORT_SHUTDOWN_MS)
    })
  )

  it.effect("a token header is redacted before it can become an attribute", () =>
    Effect.gen(function* () {
      const names = Context.get(
        yield* Effect.provide(Effect.context<never>(), telemetry(undefined)),
        Headers.CurrentRedactedNames
      )
      const shown = Headers.redact(
        Headers.fromInput({ "service-access-token": TOKEN, authorization: `Bearer ${TOKEN}`, accept: "*/*" }),
        names
      )
      assert.notInclude(JSON.stringify(shown), TOKEN)
      assert.strictEqual(shown.accept, "*/*")
    })
  )
})
