import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option, References, Tracer } from "effect"
import {
  CurrentSampler,
  DEFAULT_SAMPLER,
  makeSampler,
  parseSamplerName,
  RECORD_NOTHING,
  withSampler
} from "../../../src/platform/telemetry/sampling.ts"
import { annotateSpan, type RootSpan, withChildSpan, withRootSpan } from "../../../src/platform/telemetry/spans.ts"
import { makeSpanRecorder } from "../../support/span-recorder.ts"

const parent = (traceId: string, isSampled: boolean) =>
  Tracer.externalSpan({ traceId, spanId: "b7ad6b7169203331", sampled: isSampled })
const TRACE = "0af7651916cd43dd8448eb211c80319c"

const keeping = () => {
  const { tracer, listExportedSpans: told } = makeSpanRecorder()
  return { tracer, told, names: () => told().map((span) => span.name) }
}

const root: RootSpan<unknown, unknown> = { name: "request", kind: "server", attributes: () => ({ door: "rest" }) }

const work = Effect.andThen(annotateSpan("error_code", 0), Effect.succeed(1).pipe(withChildSpan("handler")))

describe("samplers", () => {
  it("are known by OpenTelemetry's names, in any letters", () => {
    assert.strictEqual(parseSamplerName("ALWAYS_OFF"), "always_off")
    assert.isUndefined(parseSamplerName("toString"))
    assert.isUndefined(parseSamplerName(""))
  })

  it("decide by the parent where they are based on it, and only then", () => {
    const decisions = (name: Parameters<typeof makeSampler>[0]["name"]) => {
      const { shouldRecord: records } = makeSampler({ name, ratio: 0 })
      return [records(undefined), records(parent(TRACE, true)), records(parent(TRACE, false))]
    }
    assert.deepStrictEqual(decisions("always_on"), [true, true, true])
    assert.deepStrictEqual(decisions("always_off"), [false, false, false])
    assert.deepStrictEqual(decisions("traceidratio"), [false, false, false])
    assert.deepStrictEqual(decisions("parentbased_always_on"), [true, true, false])
    assert.deepStrictEqual(decisions("parentbased_always_off"), [false, true, false])
    assert.deepStrictEqual(decisions("parentbased_traceidratio"), [false, true, false])
  })

  it("take a share of the traces, the same ones wherever their id is seen", () => {
    const half = makeSampler({ name: "traceidratio", ratio: 0.5 })
    assert.isFalse(half.shouldRecord(parent(`${"f".repeat(18)}7fffffffffffff`, true)))
    assert.isTrue(half.shouldRecord(parent(`${"0".repeat(18)}80000000000000`, false)))
    assert.isFalse(half.shouldRecord(parent("1", true)), "a short id")
    const taken = Array.from({ length: 2_000 }, () => half.shouldRecord(undefined)).filter(Boolean).length
    assert.isAbove(taken, 800)
    assert.isBelow(taken, 1_200)
    const [none, all] = [0, 1].map((ratio) => makeSampler({ name: "traceidratio", ratio }).shouldRecord)
    for (const digit of ["0", "f"]) {
      assert.isFalse(none?.(parent(digit.repeat(32), true)))
      assert.isTrue(all?.(parent(digit.repeat(32), false)))
    }
  })
})

describe("a root", () => {
  it.effect("that is recorded has the spans within it", () =>
    Effect.gen(function* () {
      const { tracer, names, told } = keeping()
      yield* withRootSpan(root, work).pipe(Effect.withTracer(tracer))
      assert.deepStrictEqual(names(), ["request", "handler"])
      assert.deepStrictEqual(Object.fromEntries(told()[0]?.attributes ?? []), { door: "rest", error_code: 0 })
    })
  )

  it.effect("that is not recorded makes none, nor does the library within it, and keeps its ids", () =>
    Effect.gen(function* () {
      const { tracer, told } = keeping()
      const ids = Effect.gen(function* () {
        const span = yield* Effect.currentParentSpan
        assert.isFalse(yield* References.TracerEnabled)
        return [span.traceId, span.spanId]
      })
      const [before, after] = yield* withRootSpan(
        root,
        Effect.all([ids, Effect.andThen(work, ids)]).pipe(Effect.tap(() => Effect.withSpan(Effect.void, "library")))
      ).pipe(
        Effect.withTracer(tracer),
        Effect.provideService(CurrentSampler, makeSampler({ name: "always_off", ratio: 1 }))
      )
      assert.deepStrictEqual(before, after)
      assert.match(`${before?.join("-")}`, /^[0-9a-f]{32}-[0-9a-f]{16}$/)
      assert.deepStrictEqual(told(), [])
    })
  )

  it.effect("says to others that it is recorded only where nobody decided", () =>
    Effect.gen(function* () {
      const isSaid = (sampler: typeof RECORD_NOTHING) =>
        withRootSpan(
          root,
          Effect.map(Effect.currentParentSpan, (span) => span.sampled)
        ).pipe(Effect.provideService(CurrentSampler, sampler))
      assert.isTrue(yield* isSaid(RECORD_NOTHING))
      assert.isFalse(yield* isSaid(makeSampler({ name: "always_off", ratio: 1 })))
    })
  )

  it.effect("that is not recorded is told all the same when it ended with what must not be missed", () =>
    Effect.gen(function* () {
      const { tracer, told: toldSpans, names } = keeping()
      const told: RootSpan<number, unknown> = {
        ...root,
        attributesAtEnd: (exit) =>
          exit._tag === "Success" && exit.value >= 500 ? { error_code: exit.value } : undefined
      }
      const above = parent(TRACE, false)
      let ids: ReadonlyArray<string | undefined> = []
      const noted = Effect.map(Effect.currentParentSpan, ({ traceId, spanId }) => {
        ids = [traceId, spanId]
      })
      const ending = (code: number, its: Partial<RootSpan<number, unknown>> = {}) =>
        withRootSpan({ ...told, ...its }, Effect.andThen(Effect.andThen(noted, work), Effect.succeed(code))).pipe(
          Effect.withTracer(tracer),
          Effect.provideService(CurrentSampler, makeSampler({ name: "parentbased_always_off", ratio: 1 }))
        )
      yield* ending(499, { parent: above })
      assert.deepStrictEqual(names(), [])
      yield* ending(500, { parent: above })
      yield* ending(503)
      assert.deepStrictEqual(names(), ["request", "request"])
      const [first, second] = toldSpans()
      assert.strictEqual(first?.traceId, TRACE)
      assert.strictEqual(Option.getOrUndefined(first?.parent ?? Option.none())?.spanId, above.spanId)
      assert.deepStrictEqual(Object.fromEntries(first?.attributes ?? []), { door: "rest", error_code: 500 })
      assert.strictEqual(first?.status._tag, "Ended")
      assert.strictEqual(second?.attributes.get("error_code"), 503)
      assert.deepStrictEqual([second?.traceId, second?.spanId], ids, "the ids that log lines have")
    })
  )

  it.effect("of work in the background is asked for too, and one that was asked for is not asked twice", () =>
    Effect.gen(function* () {
      const { tracer, names } = keeping()
      let asked = 0
      const sampler = {
        shouldRecord: () => {
          asked += 1
          return asked > 1
        },
        propagatesRecorded: () => false
      }
      const watched = Effect.withTracer(withSampler(tracer, sampler))
      yield* watched(Effect.withSpan(Effect.withSpan(Effect.void, "inner"), "unasked"))
      assert.deepStrictEqual(names(), [])
      yield* watched(withRootSpan(root, work)).pipe(Effect.provideService(CurrentSampler, sampler))
      assert.deepStrictEqual(names(), ["request", "handler"])
      assert.strictEqual(asked, 2)
    })
  )

  it("without a setting is recorded unless its caller records nothing", () => {
    const { shouldRecord: records } = Context.get(Context.empty(), CurrentSampler)
    assert.deepStrictEqual(DEFAULT_SAMPLER, { name: "parentbased_always_on", ratio: 1 })
    assert.isTrue(records(undefined))
    assert.isFalse(records(parent(TRACE, false)))
  })
})
