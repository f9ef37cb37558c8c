import { assert, layer } from "@effect/vitest"
import { Effect, Logger, Option, Tracer } from "effect"
import { toReceivedInput } from "../../../src/contract/input.ts"
import { CurrentSampler, makeSampler } from "../../../src/platform/telemetry/sampling.ts"
import { Service } from "../../../src/service/service.ts"
import { createOperator, layerTest } from "../../support/harness.ts"
import { makeSpanRecorder } from "../../support/span-recorder.ts"

/** Runs an effect and answers the spans and log lines it made. */
const watched = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const lines: Array<string> = []
  const { tracer, listExportedSpans: told } = makeSpanRecorder()
  const json = Logger.formatJson
  const logger = Logger.make((options) => {
    lines.push(json.log(options))
  })
  yield* effect.pipe(Effect.provideService(Tracer.Tracer, tracer), Effect.provide(Logger.layer([logger])))
  return { spans: told(), lines }
})

const call = (token: string, operation: string, fields: object, headers: Record<string, string> = {}) =>
  Service.use((service) =>
    service.call(operation, {
      transport: "rest",
      headers: { "service-access-token": token, authorization: `Bearer ${token}`, ...headers },
      params: {},
      receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
    })
  )

const parentName = (span: Tracer.NativeSpan | undefined): string | undefined => {
  const parent = span === undefined ? undefined : Option.getOrUndefined(span.parent)
  return parent?._tag === "Span" ? parent.name : undefined
}

layer(layerTest)("a request, seen from outside", (it) => {
  it.effect("is a span with the gate, the handler and each statement within", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { spans } = yield* watched(call(token, "query_income_items", {}))
      const request = spans.find((span) => span.name === "request")
      assert.strictEqual(request?.kind, "server")
      assert.strictEqual(request?.attributes.get("latchkey.operation"), "query_income_items")
      assert.strictEqual(request?.attributes.get("latchkey.error_code"), 0)
      assert.match(String(request?.attributes.get("latchkey.request_id")), /^RT\d{14}/)
      assert.strictEqual(parentName(spans.find((span) => span.name === "gate")), "request")
      assert.strictEqual(parentName(spans.find((span) => span.name === "handler")), "request")
      const statements = spans.filter((span) => span.attributes.has("db.query.text"))
      assert.strictEqual(statements.length, 2)
    })
  )

  it.effect("goes on with the caller's trace", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const { spans } = yield* watched(
        call(token, "query_income_items", {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      )
      assert.isAbove(spans.length, 0)
      for (const span of spans) assert.strictEqual(span.traceId, traceId)
    })
  )

  it.effect("makes no span where nobody records it, but for what failed on our side", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const unrecorded = Effect.provideService(CurrentSampler, makeSampler({ name: "always_off", ratio: 1 }))
      const fine = yield* watched(
        Effect.all([call(token, "query_income_items", {}), call(token, "delete_transaction", { id: 1 })]).pipe(
          unrecorded
        )
      )
      assert.deepStrictEqual(fine.spans, [])
      assert.lengthOf(fine.lines, 2)
      const failing = Service.use((service) =>
        service.call("query_income_items", {
          transport: "rest",
          headers: { "service-access-token": token },
          params: {},
          receive: Effect.die(new Error("broken"))
        })
      )
      const { spans } = yield* watched(unrecorded(failing))
      assert.deepStrictEqual(
        spans.map((span) => [
          span.name,
          span.attributes.get("latchkey.operation"),
          span.attributes.get("latchkey.error_code")
        ]),
        [["request", "query_income_items", 500]]
      )
    })
  )

  it.effect("is one log line, which says how it went", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { lines } = yield* watched(call(token, "delete_transaction", { id: 1 }))
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], '"operation":"delete_transaction"')
      assert.include(lines[0], '"error_code":404')
    })
  )

  it.effect("shows its token nowhere", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const unknown = "lk_unknown_token_of_somebody_who_guesses"
      const { lines, spans } = yield* watched(
        Effect.all([
          call(token, "query_income_items", {}),
          call(token, "create_transaction", { note: 5 }),
          call(unknown, "query_income_items", {})
        ])
      )
      const seen = [
        ...lines,
        ...spans.flatMap((span) => [
          span.name,
          ...Array.from(span.attributes, ([key, value]) => `${key}=${String(value)}`)
        ])
      ].join("\n")
      assert.isAbove(seen.length, 500)
      for (const secret of [token, unknown]) assert.notInclude(seen, secret)
    })
  )
})
