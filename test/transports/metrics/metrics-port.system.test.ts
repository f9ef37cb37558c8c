import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric, Scope } from "effect"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { UNMATCHED_ROUTE } from "../../../src/admission/windows/call-buckets.ts"
import { ERROR_CODES } from "../../../src/contract/errors.ts"
import { toReceivedInput } from "../../../src/contract/input.ts"
import { Readiness } from "../../../src/platform/database/Readiness.ts"
import { makeCallRecorder } from "../../../src/platform/telemetry/metrics/call-metrics.ts"
import {
  MAX_SERIES,
  OUTCOME_COUNTERS,
  webhookTries
} from "../../../src/platform/telemetry/metrics/metric-definitions.ts"
import { incrementCounter } from "../../../src/platform/telemetry/metrics/metric-updates.ts"
import type { MetricsSnapshot } from "../../../src/platform/telemetry/metrics/metrics-snapshot.ts"
import { layerProcessMetrics } from "../../../src/platform/telemetry/metrics/process-metrics.ts"
import { formatPrometheus, toPrometheusName } from "../../../src/platform/telemetry/metrics/prometheus-format.ts"
import { Snapshots, takeOwnSnapshot } from "../../../src/platform/telemetry/metrics/Snapshots.ts"
import { operations } from "../../../src/service/Api.ts"
import { Service } from "../../../src/service/service.ts"
import { layerMetricsPort, METRICS_CONNECTIONS_MAX } from "../../../src/transports/metrics/metrics-endpoint.ts"
import { call, createOperator, layerTest } from "../../support/harness.ts"
import { findFreePort } from "../../support/tools/cli/latchkey-process.ts"

const served = (
  snapshots: Layer.Layer<Snapshots> = Snapshots.layerProcess,
  isReady: Effect.Effect<boolean> = Effect.succeed(true)
) =>
  Effect.gen(function* () {
    const port = Number(yield* findFreePort)
    yield* Layer.build(
      layerMetricsPort({ port, host: "127.0.0.1" }).pipe(
        Layer.provide([snapshots, Layer.succeed(Readiness, { isReady })])
      )
    )
    const get = (path: string, init: RequestInit = {}) =>
      Effect.promise(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      })
    return { port, get }
  })

const seriesIn = (text: string): Array<string> => text.split("\n").filter((line) => /^[a-z]/.test(line))

const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

it.live("serves metrics, whether it lives and is ready, and nothing else", () =>
  Effect.gen(function* () {
    const { get } = yield* served()
    const metrics = yield* get("/metrics?x=1")
    assert.strictEqual(metrics.status, 200)
    assert.strictEqual(metrics.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    assert.strictEqual((yield* get("/health/live")).text, "live\n")
    assert.strictEqual((yield* get("/health/ready")).text, "ready\n")
    for (const path of ["/", "/v3/properties", "/mcp", "/console", "/metrics/x"]) {
      assert.strictEqual((yield* get(path)).status, 404, path)
    }
  }).pipe(Effect.scoped)
)

it.live("says that it is not ready", () =>
  Effect.gen(function* () {
    const { get } = yield* served(Snapshots.layerProcess, Effect.succeed(false))
    assert.strictEqual((yield* get("/health/ready")).status, 503)
  }).pipe(Effect.scoped)
)

it.live("tells several processes as one", () =>
  Effect.gen(function* () {
    const worker = (value: number): MetricsSnapshot => [
      { kind: "counter", name: "latchkey.calls", labels: { operation: "x", error_code: "0" }, value }
    ]
    const { get } = yield* served(Layer.succeed(Snapshots, { all: Effect.succeed([worker(2), worker(40)]) }))
    const { text } = yield* get("/metrics")
    assert.deepStrictEqual(seriesIn(text), ['latchkey_calls_total{operation="x",error_code="0"} 42'])
    assert.include(text, "# HELP latchkey_calls_total Calls with a response")
    assert.include(text, "# TYPE latchkey_calls_total counter")
  }).pipe(Effect.scoped)
)

/** A connection to the port. */
interface Connected {
  readonly isClosed: () => boolean
  /** Once the other side has closed it. */
  readonly closed: Promise<void>
  readonly end: () => void
}

it.live(`lets ${METRICS_CONNECTIONS_MAX} connections be open, and closes one more`, () =>
  Effect.gen(function* () {
    const { port } = yield* served()
    const open = Effect.acquireRelease(
      Effect.callback<Connected>((resume) => {
        const closed = Promise.withResolvers<void>()
        const socket = connect(port, "127.0.0.1", () =>
          resume(
            Effect.succeed({
              isClosed: () => socket.readableEnded || socket.destroyed,
              closed: closed.promise,
              end: () => socket.destroy()
            })
          )
        )
        socket
          .on("error", () => {})
          .once("close", closed.resolve)
          .resume()
      }),
      ({ end }) => Effect.sync(end)
    )
    const all = yield* Effect.all(Array.from({ length: METRICS_CONNECTIONS_MAX }, () => open))
    const more = yield* open
    yield* Effect.promise(() => more.closed)
    assert.deepStrictEqual(
      all.map(({ isClosed }) => isClosed()),
      all.map(() => false)
    )
  }).pipe(Effect.scoped)
)

it.live("a port that another has says which variable it is about", () =>
  Effect.gen(function* () {
    const { port } = yield* served()
    const scope = yield* Scope.make()
    const again = yield* Layer.buildWithScope(
      layerMetricsPort({ port, host: "127.0.0.1" }).pipe(
        Layer.provide([Snapshots.layerProcess, Layer.succeed(Readiness, { isReady: Effect.succeed(true) })])
      ),
      scope
    ).pipe(Effect.flip)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(again._tag, "MetricsPortUnavailable")
  }).pipe(Effect.scoped)
)

it.effect("calls of many operators make the series of one, and none names anything of theirs", () =>
  Effect.gen(function* () {
    const asked = Effect.gen(function* () {
      const operator = yield* createOperator()
      yield* call(operator.token, "search_properties")
      yield* call(operator.token, "search_properties", { id: "none" })
      const service = yield* Service
      yield* service.call(`no such operation ${operator.token}`, {
        transport: "mcp",
        headers: { "service-access-token": operator.token },
        params: {},
        receive: Effect.succeed(toReceivedInput({ encoding: "json", fields: {} }))
      })
      return operator
    })
    const operators = [yield* asked]
    const before = seriesIn(formatPrometheus(yield* takeOwnSnapshot)).length
    for (let nth = 0; nth < 20; nth++) operators.push(yield* asked)
    const text = formatPrometheus(yield* takeOwnSnapshot)
    assert.strictEqual(seriesIn(text).length, before)
    for (const { token } of operators) assert.notInclude(text, token)
    assert.match(text, /latchkey_calls_total\{operation="search_properties",error_code="0"\} \d+/)
    assert.match(text, /latchkey_calls_total\{operation="unmatched",error_code="404"\} 21/)
  }).pipe(Effect.provide(layerTest), alone)
)

it.live("says 0 of every way in which work can end before any has: the first dead letter is an increase", () =>
  Effect.gen(function* () {
    const { get } = yield* served()
    yield* Layer.build(layerProcessMetrics("1.2.3"))
    const before = seriesIn((yield* get("/metrics")).text)
    for (const { definition: declared } of OUTCOME_COUNTERS) {
      const name = toPrometheusName(declared)
      const outcomes = declared.outcomes ?? []
      assert.isAbove(outcomes.length, 1)
      assert.includeMembers(
        before,
        outcomes.map((outcome) => `${name}{outcome="${outcome}"} 0`)
      )
    }
    yield* incrementCounter(webhookTries.withLabels({ outcome: "dead_letter" }))
    assert.include(seriesIn((yield* get("/metrics")).text), 'latchkey_webhook_tries_total{outcome="dead_letter"} 1')
  }).pipe(Effect.scoped, alone)
)

it.live("labels the permits of operators and of the console", () =>
  Effect.gen(function* () {
    const { get } = yield* served()
    yield* Layer.build(
      Layer.mergeAll(ConcurrencyLimiter.layer(12), Layer.fresh(ConcurrencyLimiter.layer(4, "console")))
    )
    const series = seriesIn((yield* get("/metrics")).text)
    assert.includeMembers(series, [
      'latchkey_places_limit{of="operators"} 12',
      'latchkey_places_limit{of="console"} 4',
      'latchkey_places_waiting{of="operators"} 0'
    ])
  }).pipe(Effect.scoped, alone)
)

// Last: it takes all the room there is.
const CODES = [0, ...Object.values(ERROR_CODES), 502, 503, 504]

it.live(`is ${MAX_SERIES} series at the most, whichever operations are called and however they end`, () =>
  Effect.gen(function* () {
    const { get } = yield* served()
    for (const operation of [...operations.map(({ _tag }) => _tag), UNMATCHED_ROUTE]) {
      const measure = makeCallRecorder(operation)
      for (const errorCode of CODES) {
        for (const door of ["rest", "mcp", "console"]) yield* measure({ transport: door, errorCode, durationMs: 12 })
      }
    }
    const series = seriesIn((yield* get("/metrics")).text)
    assert.isAbove(series.length, 1_400)
    assert.isAtMost(series.length, MAX_SERIES)
  }).pipe(Effect.scoped, alone)
)
