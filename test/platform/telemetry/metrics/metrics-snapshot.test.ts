import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Schema } from "effect"
import * as FastCheck from "fast-check"
import {
  defineCounter,
  defineGauge,
  defineHistogram,
  OTHER_LABEL,
  registerGauge
} from "../../../../src/platform/telemetry/metrics/metric-family.ts"
import {
  incrementCounter,
  MetricsEnabled,
  setGauge
} from "../../../../src/platform/telemetry/metrics/metric-updates.ts"
import {
  type MetricSeries,
  MetricsSnapshot,
  mergeSnapshots,
  takeSnapshot,
  withoutGauges
} from "../../../../src/platform/telemetry/metrics/metrics-snapshot.ts"
import { WorkerSnapshots } from "../../../../src/platform/telemetry/metrics/Snapshots.ts"

const SAID = { unit: "", meaning: "of a test", maxLabelSets: 10 }

/** With a registry of its own, as a process has. */
const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const BOUNDS = [0.1, 1, 5]
const values = FastCheck.nat(1_000)
const labels = FastCheck.constantFrom<Record<string, string>>({}, { kind: "a" }, { kind: "b" })
const series = FastCheck.oneof(
  FastCheck.record({
    kind: FastCheck.constant("counter" as const),
    name: FastCheck.constantFrom("c1", "c2"),
    labels,
    value: values
  }),
  FastCheck.constantFrom("sum" as const, "max" as const, "min" as const).chain((across) =>
    FastCheck.record({
      kind: FastCheck.constant("gauge" as const),
      name: FastCheck.constant(`g_${across}`),
      labels,
      value: values,
      across: FastCheck.constant(across)
    })
  ),
  FastCheck.record({
    name: FastCheck.constant("h"),
    labels,
    each: FastCheck.array(values, { minLength: 4, maxLength: 4 })
  }).map(({ name, labels, each }): MetricSeries => {
    const upTo = each.map((_, at) => each.slice(0, at + 1).reduce((all, one) => all + one, 0))
    return {
      kind: "histogram",
      name,
      labels,
      buckets: BOUNDS.map((bound, at) => [bound, upTo[at] ?? 0] as const),
      count: upTo.at(-1) ?? 0,
      sum: each[0] ?? 0
    }
  })
)
/** No two series of one process have the same name and labels. */
const snapshots = FastCheck.uniqueArray(series, {
  maxLength: 8,
  selector: ({ name, labels }) => JSON.stringify([name, labels])
})

const sorted = (snapshot: MetricsSnapshot) => snapshot.map((each) => JSON.stringify(each)).toSorted()
const totalOf = (snapshot: MetricsSnapshot): number =>
  snapshot.reduce(
    (all, each) => all + (each.kind === "counter" ? each.value : each.kind === "histogram" ? each.count : 0),
    0
  )

describe("snapshots added up", () => {
  it("one is itself, and which comes first or is added first is all the same", () => {
    FastCheck.assert(
      FastCheck.property(snapshots, snapshots, snapshots, (one, two, three) => {
        assert.deepStrictEqual(sorted(mergeSnapshots([one])), sorted(one))
        assert.deepStrictEqual(sorted(mergeSnapshots([one, two, three])), sorted(mergeSnapshots([three, one, two])))
        assert.deepStrictEqual(
          sorted(mergeSnapshots([one, two, three])),
          sorted(mergeSnapshots([mergeSnapshots([one, two]), three]))
        )
      })
    )
  })

  it("nothing that was counted is lost or counted twice, and no series is there twice", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(snapshots, { maxLength: 5 }), (all) => {
        const total = mergeSnapshots(all)
        assert.strictEqual(
          totalOf(total),
          all.reduce((sum, each) => sum + totalOf(each), 0)
        )
        const keys = total.map(({ name, labels }) => JSON.stringify([name, labels]))
        assert.strictEqual(new Set(keys).size, keys.length)
      })
    )
  })

  it("gauges become one as they say", () => {
    const gauge = (across: "sum" | "max" | "min", value: number): MetricSeries => ({
      kind: "gauge",
      name: across,
      labels: {},
      value,
      across
    })
    for (const [across, wanted] of [
      ["sum", 9],
      ["max", 7],
      ["min", 2]
    ] as const) {
      const [one] = mergeSnapshots([[gauge(across, 7)], [gauge(across, 2)]])
      assert.strictEqual(one?.kind === "gauge" ? one.value : undefined, wanted)
    }
  })

  it("of two releases with other bounds only common buckets are kept, and all of the count", () => {
    const histogram = (bounds: ReadonlyArray<number>): MetricSeries => ({
      kind: "histogram",
      name: "h",
      labels: {},
      buckets: bounds.map((bound) => [bound, 1] as const),
      count: 2,
      sum: 1
    })
    const [one] = mergeSnapshots([[histogram([1, 5])], [histogram([5, 10])]])
    assert.deepStrictEqual(one, { kind: "histogram", name: "h", labels: {}, buckets: [[5, 2]], count: 4, sum: 2 })
  })
})

describe("workers as their parent knows them", () => {
  it("sums never fall, whoever ends and whoever is silent", () => {
    const steps = FastCheck.array(
      FastCheck.oneof(
        FastCheck.record({ step: FastCheck.constant("counts" as const), worker: FastCheck.nat(3), more: values }),
        FastCheck.record({ step: FastCheck.constant("ends" as const), worker: FastCheck.nat(3) })
      ),
      { maxLength: 30 }
    )
    FastCheck.assert(
      FastCheck.property(steps, (all) => {
        const heard = new WorkerSnapshots()
        const ids = [0, 1, 2, 3]
        const counts = [0, 0, 0, 0]
        let next = 4
        let counted = 0
        for (const step of all) {
          const id = ids[step.worker] ?? 0
          if (step.step === "ends") {
            heard.remove(id)
            // A number is not used again.
            ids[step.worker] = next
            counts[step.worker] = 0
            next += 1
          } else {
            counted += step.more
            const value = (counts[step.worker] ?? 0) + step.more
            counts[step.worker] = value
            heard.update(id, [{ kind: "counter", name: "c", labels: {}, value }])
          }
          assert.strictEqual(totalOf(mergeSnapshots(heard.snapshots)), counted)
        }
      })
    )
  })

  it("what a worker stood at goes with it", () => {
    const heard = new WorkerSnapshots()
    heard.update(1, [{ kind: "gauge", name: "g", labels: {}, value: 5, across: "sum" }])
    heard.remove(1)
    heard.remove(1)
    assert.deepStrictEqual(mergeSnapshots(heard.snapshots), [])
    assert.deepStrictEqual(withoutGauges([{ kind: "gauge", name: "g", labels: {}, value: 5, across: "sum" }]), [])
  })
})

describe("a snapshot of a process", () => {
  it.effect("is JSON, has no unit among its labels, and says how gauges become one", () =>
    alone(
      Effect.gen(function* () {
        yield* incrementCounter(
          defineCounter({ ...SAID, name: "c", unit: "s", labels: ["of"] }).withLabels({ of: "x" })
        )
        yield* setGauge(defineGauge({ ...SAID, name: "g", labels: [], aggregation: "min" }).withLabels({}), Number.NaN)
        yield* Metric.update(defineHistogram({ ...SAID, name: "h", labels: [], bounds: BOUNDS }).withLabels({}), 0.5)
        const snapshot = yield* takeSnapshot(() => "min")
        assert.deepStrictEqual(snapshot, [
          { kind: "counter", name: "c", labels: { of: "x" }, value: 1 },
          { kind: "gauge", name: "g", labels: {}, value: 0, across: "min" },
          {
            kind: "histogram",
            name: "h",
            labels: {},
            buckets: [
              [0.1, 0],
              [1, 1],
              [5, 1]
            ],
            count: 1,
            sum: 0.5
          }
        ])
        assert.deepStrictEqual(
          Schema.decodeUnknownSync(MetricsSnapshot)(JSON.parse(JSON.stringify(snapshot))),
          snapshot
        )
      })
    )
  )

  it.effect("has nothing where nobody measures", () =>
    alone(
      Effect.gen(function* () {
        const counter = defineCounter({ ...SAID, name: "c", labels: [] }).withLabels({})
        yield* Effect.provideService(incrementCounter(counter), MetricsEnabled, false)
        assert.deepStrictEqual(yield* takeSnapshot(() => "max"), [])
      })
    )
  )
})

describe("the series of a metric", () => {
  it("are no more than were declared: the last is for all that came too late", () => {
    const family = defineCounter({ ...SAID, name: "bounded", labels: ["who"], maxLabelSets: 3 })
    const [first, second] = [family.withLabels({ who: "1" }), family.withLabels({ who: "2" })]
    assert.notStrictEqual(first, second)
    const third = family.withLabels({ who: "3" })
    assert.strictEqual(third.attributes?.["who"], OTHER_LABEL)
    assert.strictEqual(family.withLabels({ who: "4" }), third)
    assert.strictEqual(family.withLabels({ who: "1" }), first)
    assert.strictEqual(family.withLabels({ who: OTHER_LABEL }), third)
  })

  it.effect("one that is watched is there until its scope closes", () =>
    alone(
      Effect.gen(function* () {
        const gauge = defineGauge({ ...SAID, name: "w", labels: [], aggregation: "sum" }).withLabels({})
        let stands = 1
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* registerGauge(gauge, () => stands)
            stands = 8
            const [series] = yield* takeSnapshot(() => "sum")
            assert.strictEqual(series?.kind === "gauge" ? series.value : undefined, 8)
          })
        )
        assert.deepStrictEqual(yield* takeSnapshot(() => "sum"), [])
      })
    )
  )
})
