import { Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { findMetricDefinition } from "./metric-definitions.ts"
import type { MetricDefinition } from "./metric-family.ts"
import type { MetricSeries, MetricsSnapshot } from "./metrics-snapshot.ts"

const SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes", "1": "_ratio" }

const withSuffix = (name: string, suffix: string): string => (name.endsWith(suffix) ? name : `${name}${suffix}`)

/** Follows OpenTelemetry's rules: underscores for dots, the unit as suffix, and `_total` for counters. */
export const toPrometheusName = ({ name, unit, kind }: Pick<MetricDefinition, "name" | "unit" | "kind">): string => {
  const plain = withSuffix(name.replaceAll(".", "_"), SUFFIXES[unit] ?? "")
  return kind === "counter" ? withSuffix(plain, "_total") : plain
}

const doNothing = () => {}

const registerSeries = (context: Context.Context<never>, series: MetricSeries): void => {
  const definition = findMetricDefinition(series.name)
  const name = toPrometheusName({ name: series.name, unit: definition?.unit ?? "", kind: series.kind })
  const options = { attributes: series.labels, description: definition?.meaning }
  const readOnlyHooks = { update: doNothing, modify: doNothing }
  switch (series.kind) {
    case "counter": {
      const state = { count: series.value, incremental: true }
      Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), context, {
        get: () => state,
        ...readOnlyHooks
      })
      return
    }
    case "gauge": {
      const state = { value: series.value }
      Metric.registerUnsafe(Metric.gauge(name, options), context, { get: () => state, ...readOnlyHooks })
      return
    }
    case "histogram": {
      const { buckets, count, sum } = series
      // Prometheus has no minimum and maximum.
      const state = { buckets, count, sum, min: 0, max: 0 }
      Metric.registerUnsafe(
        Metric.histogram(name, { ...options, boundaries: buckets.map(([bound]) => bound) }),
        context,
        { get: () => state, ...readOnlyHooks }
      )
      return
    }
  }
}

/** Returns Prometheus text (text/plain; version=0.0.4). */
export const formatPrometheus = (snapshot: MetricsSnapshot): string => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  for (const series of snapshot) registerSeries(context, series)
  return PrometheusMetrics.formatUnsafe(context)
}
