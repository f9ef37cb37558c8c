import { Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { declaredAs } from "./declared.ts"
import type { Declared } from "./family.ts"
import type { Series, Snapshot } from "./snapshot.ts"

const SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes", "1": "_ratio" }

const withSuffix = (name: string, suffix: string): string => (name.endsWith(suffix) ? name : `${name}${suffix}`)

/**
 * What Prometheus knows a metric by, as OpenTelemetry's rules have it: dots become underscores, the unit stands behind, unless
 * it is in braces or there is none, and `_total` behind a counter.
 */
export const prometheusName = ({ name, unit, kind }: Pick<Declared, "name" | "unit" | "kind">): string => {
  const plain = withSuffix(name.replaceAll(".", "_"), SUFFIXES[unit] ?? "")
  return kind === "counter" ? withSuffix(plain, "_total") : plain
}

const nothing = () => {}

/** A metric of that series in a registry of its own, so that the library's formatter can write it. */
const registered = (context: Context.Context<never>, series: Series): void => {
  const declared = declaredAs(series.name)
  const name = prometheusName({ name: series.name, unit: declared?.unit ?? "", kind: series.kind })
  const about = { attributes: series.labels, description: declared?.meaning }
  const silent = { update: nothing, modify: nothing }
  switch (series.kind) {
    case "counter": {
      const state = { count: series.value, incremental: true }
      Metric.registerUnsafe(Metric.counter(name, { ...about, incremental: true }), context, {
        get: () => state,
        ...silent
      })
      return
    }
    case "gauge": {
      const state = { value: series.value }
      Metric.registerUnsafe(Metric.gauge(name, about), context, { get: () => state, ...silent })
      return
    }
    case "histogram": {
      const { buckets, count, sum } = series
      // Prometheus has no place for the least and the largest.
      const state = { buckets, count, sum, min: 0, max: 0 }
      Metric.registerUnsafe(
        Metric.histogram(name, { ...about, boundaries: buckets.map(([bound]) => bound) }),
        context,
        { get: () => state, ...silent }
      )
      return
    }
  }
}

/** The text that Prometheus reads (text/plain; version=0.0.4). */
export const exposition = (snapshot: Snapshot): string => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  for (const series of snapshot) registered(context, series)
  return PrometheusMetrics.formatUnsafe(context)
}
