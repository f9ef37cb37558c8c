import { Effect, Metric, Schema } from "effect"
import type { Across } from "./family.ts"

// What a process counted, at one moment, as plain values: what goes from a worker to its parent, and what is told at /metrics.

const Labels = Schema.Record(Schema.String, Schema.String)
const Named = { name: Schema.String, labels: Labels }

const CounterSeries = Schema.Struct({ kind: Schema.Literal("counter"), ...Named, value: Schema.Finite })
const GaugeSeries = Schema.Struct({
  kind: Schema.Literal("gauge"),
  ...Named,
  value: Schema.Finite,
  across: Schema.Literals(["sum", "max", "min"])
})
const HistogramSeries = Schema.Struct({
  kind: Schema.Literal("histogram"),
  ...Named,
  /** Upper bound, and how many were no more than that. */
  buckets: Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite])),
  count: Schema.Finite,
  sum: Schema.Finite
})

export const Series = Schema.Union([CounterSeries, GaugeSeries, HistogramSeries])
export type Series = typeof Series.Type

/** The series of one process, or of several added up; no two have the same name and labels. It is JSON as it is. */
export const Snapshot = Schema.Array(Series)
export type Snapshot = typeof Snapshot.Type

/** What an attribute says to collectors and is no label. */
const UNIT = "unit"

const labelsOf = (attributes: Metric.Metric.AttributeSet | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes ?? {}).filter(([name]) => name !== UNIT))

/** A number that JSON can hold; of what is none there is nothing to tell. */
const finite = (value: number | bigint): number => (Number.isFinite(Number(value)) ? Number(value) : 0)

const seriesOf = (metric: Metric.Metric.Snapshot, across: (name: string) => Across): Series | undefined => {
  const named = { name: metric.id, labels: labelsOf(metric.attributes) }
  switch (metric.type) {
    case "Counter":
      return { kind: "counter", ...named, value: finite(metric.state.count) }
    case "Gauge":
      return { kind: "gauge", ...named, value: finite(metric.state.value), across: across(metric.id) }
    case "Histogram": {
      const { buckets, count, sum } = metric.state
      const bounded = buckets.filter(([bound]) => Number.isFinite(bound))
      return { kind: "histogram", ...named, buckets: bounded, count, sum: finite(sum) }
    }
    // The service declares none of them: they cannot be added up.
    case "Frequency":
    case "Summary":
      return undefined
  }
}

/** What this process counted until now. `across`: how the gauge of that name becomes one of several processes. */
export const takeSnapshot = (across: (name: string) => Across): Effect.Effect<Snapshot> =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics.flatMap((metric) => {
      const series = seriesOf(metric, across)
      return series === undefined ? [] : [series]
    })
  )

const keyOf = ({ kind, name, labels }: Series): string =>
  JSON.stringify([kind, name, Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))])

const ACROSS: Readonly<Record<Across, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min
}

type Buckets = (typeof HistogramSeries.Type)["buckets"]

/** Two of one release have the same bounds. Of others only what both know is kept: a bucket of one alone would fall short. */
const bucketsOf = (one: Buckets, other: Buckets): Buckets => {
  const known = new Map(other)
  return one.flatMap(([bound, count]) => {
    const more = known.get(bound)
    return more === undefined ? [] : [[bound, count + more] as const]
  })
}

/** Both of one key. */
const joined = (one: Series, other: Series): Series => {
  if (one.kind === "counter" && other.kind === "counter") return { ...one, value: one.value + other.value }
  if (one.kind === "gauge" && other.kind === "gauge") {
    return { ...one, value: ACROSS[one.across](one.value, other.value) }
  }
  if (one.kind === "histogram" && other.kind === "histogram") {
    const buckets = bucketsOf(one.buckets, other.buckets)
    return { ...one, buckets, count: one.count + other.count, sum: one.sum + other.sum }
  }
  return one
}

/** Several processes as one: counters and histograms add, gauges as they say. */
export const addedUp = (snapshots: ReadonlyArray<Snapshot>): Snapshot => {
  const total = new Map<string, Series>()
  for (const series of snapshots.flat()) {
    const key = keyOf(series)
    const before = total.get(key)
    total.set(key, before === undefined ? series : joined(before, series))
  }
  return Array.from(total.values())
}

/**
 * What goes on counting of a process that is gone. Without it a sum would fall when a worker dies, and whoever reads it take that
 * for a new beginning, in which all that the others ever counted happened at once.
 */
export const leftBehind = (snapshot: Snapshot): Snapshot => snapshot.filter(({ kind }) => kind !== "gauge")
