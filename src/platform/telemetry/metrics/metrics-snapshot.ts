import { Effect, Metric, Schema } from "effect"
import type { GaugeAggregation } from "./metric-family.ts"

// Plain values of a process's metrics at one moment, for the primary process and for /metrics.

const Labels = Schema.Record(Schema.String, Schema.String)
const SERIES_IDENTITY = { name: Schema.String, labels: Labels }

const CounterSeries = Schema.Struct({ kind: Schema.Literal("counter"), ...SERIES_IDENTITY, value: Schema.Finite })
const GaugeSeries = Schema.Struct({
  kind: Schema.Literal("gauge"),
  ...SERIES_IDENTITY,
  value: Schema.Finite,
  across: Schema.Literals(["sum", "max", "min"])
})
const HistogramSeries = Schema.Struct({
  kind: Schema.Literal("histogram"),
  ...SERIES_IDENTITY,
  /** Upper bound and cumulative count. */
  buckets: Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite])),
  count: Schema.Finite,
  sum: Schema.Finite
})

export const MetricSeries = Schema.Union([CounterSeries, GaugeSeries, HistogramSeries])
export type MetricSeries = typeof MetricSeries.Type

/** Each combination of name and labels occurs once. */
export const MetricsSnapshot = Schema.Array(MetricSeries)
export type MetricsSnapshot = typeof MetricsSnapshot.Type

const UNIT_ATTRIBUTE = "unit"

const toLabels = (attributes: Metric.Metric.AttributeSet | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes ?? {}).filter(([name]) => name !== UNIT_ATTRIBUTE))

/** JSON has no infinite numbers. */
const toFinite = (value: number | bigint): number => (Number.isFinite(Number(value)) ? Number(value) : 0)

const toSeries = (
  metric: Metric.Metric.Snapshot,
  findAggregation: (name: string) => GaugeAggregation
): MetricSeries | undefined => {
  const identity = { name: metric.id, labels: toLabels(metric.attributes) }
  switch (metric.type) {
    case "Counter":
      return { kind: "counter", ...identity, value: toFinite(metric.state.count) }
    case "Gauge":
      return { kind: "gauge", ...identity, value: toFinite(metric.state.value), across: findAggregation(metric.id) }
    case "Histogram": {
      const { buckets, count, sum } = metric.state
      const bounded = buckets.filter(([bound]) => Number.isFinite(bound))
      return { kind: "histogram", ...identity, buckets: bounded, count, sum: toFinite(sum) }
    }
    // The service declares no frequencies or summaries, because they cannot be combined.
    case "Frequency":
    case "Summary":
      return undefined
  }
}

export const takeSnapshot = (findAggregation: (name: string) => GaugeAggregation): Effect.Effect<MetricsSnapshot> =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics.flatMap((metric) => {
      const series = toSeries(metric, findAggregation)
      return series === undefined ? [] : [series]
    })
  )

const toSeriesKey = ({ kind, name, labels }: MetricSeries): string =>
  JSON.stringify([kind, name, Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))])

const AGGREGATORS: Readonly<Record<GaugeAggregation, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min
}

type Buckets = (typeof HistogramSeries.Type)["buckets"]

/**
 * Processes of different releases may have different bounds. A bucket that only one process has would lack the counts
 * of the other, so it is dropped.
 */
const mergeBuckets = (one: Buckets, other: Buckets): Buckets => {
  const otherBuckets = new Map(other)
  return one.flatMap(([bound, count]) => {
    const otherCount = otherBuckets.get(bound)
    return otherCount === undefined ? [] : [[bound, count + otherCount] as const]
  })
}

const mergeSeries = (one: MetricSeries, other: MetricSeries): MetricSeries => {
  if (one.kind === "counter" && other.kind === "counter") return { ...one, value: one.value + other.value }
  if (one.kind === "gauge" && other.kind === "gauge") {
    return { ...one, value: AGGREGATORS[one.across](one.value, other.value) }
  }
  if (one.kind === "histogram" && other.kind === "histogram") {
    const buckets = mergeBuckets(one.buckets, other.buckets)
    return { ...one, buckets, count: one.count + other.count, sum: one.sum + other.sum }
  }
  return one
}

export const mergeSnapshots = (snapshots: ReadonlyArray<MetricsSnapshot>): MetricsSnapshot => {
  const total = new Map<string, MetricSeries>()
  for (const series of snapshots.flat()) {
    const key = toSeriesKey(series)
    const existing = total.get(key)
    total.set(key, existing === undefined ? series : mergeSeries(existing, series))
  }
  return Array.from(total.values())
}

/**
 * Returns the counts of a process that has ended. Without them the sums would fall, which Prometheus treats as a
 * counter reset.
 */
export const withoutGauges = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ kind }) => kind !== "gauge")
