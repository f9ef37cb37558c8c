import { Effect, Metric, type Scope } from "effect"
import { updateSeries } from "./metric-updates.ts"

/** How gauges of several processes are combined. */
export type GaugeAggregation = "sum" | "max" | "min"

export interface MetricDefinition {
  /** OpenTelemetry's name, or one that begins with `latchkey`. */
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /**
   * UCUM as in OpenTelemetry: `s`, `By`, `1` (a ratio), or a counted noun in braces. Empty if the value is only 0 or 1.
   */
  readonly unit: string
  readonly labels: ReadonlyArray<string>
  /** Includes the set for all further values (`OTHER_LABEL`). */
  readonly maxLabelSets: number
  readonly meaning: string
  /** Gauges only. */
  readonly aggregation?: GaugeAggregation
  /** Histograms only: ascending upper bounds without infinity. */
  readonly bounds?: ReadonlyArray<number>
  /** Outcome counters only. Each outcome starts at 0 (`initializeOutcomes`). */
  readonly outcomes?: ReadonlyArray<string>
}

type MetricOptions = Pick<MetricDefinition, "name" | "unit" | "meaning">
type LabelledMetricOptions<Label extends string> = MetricOptions & {
  readonly labels?: ReadonlyArray<Label>
  readonly maxLabelSets?: number
}

export const OTHER_LABEL = "other"

/** A metric with at most `maxLabelSets` series, so that callers cannot increase what Prometheus stores. */
class MetricFamily<Label extends string, M> {
  readonly definition: MetricDefinition
  readonly #labels: ReadonlyArray<Label>
  readonly #make: (labels: Metric.Metric.AttributeSet) => M
  readonly #made = new Map<string, M>()

  constructor(
    options: LabelledMetricOptions<Label> & Omit<MetricDefinition, "labels" | "maxLabelSets">,
    make: (labels: Metric.Metric.AttributeSet) => M
  ) {
    this.#labels = options.labels ?? []
    this.definition = { ...options, labels: this.#labels, maxLabelSets: options.maxLabelSets ?? 1 }
    this.#make = make
  }

  withLabels(labels: Readonly<Record<Label, string>>): M {
    const key = JSON.stringify(this.#labels.map((label) => labels[label]))
    const existing = this.#made.get(key)
    if (existing !== undefined) return existing
    return this.#made.size < this.definition.maxLabelSets - 1 || this.#isOther(labels)
      ? this.#add(key, labels)
      : this.#other()
  }

  #isOther(labels: Readonly<Record<Label, string>>): boolean {
    return this.#labels.every((label) => labels[label] === OTHER_LABEL)
  }

  #other(): M {
    const values = this.#labels.map(() => OTHER_LABEL)
    const key = JSON.stringify(values)
    return this.#made.get(key) ?? this.#add(key, Object.fromEntries(this.#labels.map((label) => [label, OTHER_LABEL])))
  }

  #add(key: string, labels: Metric.Metric.AttributeSet): M {
    const series = this.#make({ ...labels, unit: this.definition.unit })
    this.#made.set(key, series)
    return series
  }
}

type CounterFamily<Label extends string> = MetricFamily<Label, Metric.Counter<number>>
type GaugeFamily<Label extends string> = MetricFamily<Label, Metric.Gauge<number>>
type HistogramFamily<Label extends string> = MetricFamily<Label, Metric.Histogram<number>>

export const defineCounter = <Label extends string = never>(
  options: LabelledMetricOptions<Label>
): CounterFamily<Label> =>
  new MetricFamily({ ...options, kind: "counter" }, (attributes) =>
    Metric.counter(options.name, { description: options.meaning, attributes, incremental: true })
  )

export const defineOutcomeCounter = (
  options: MetricOptions & { readonly outcomes: ReadonlyArray<string> }
): CounterFamily<"outcome"> =>
  // The additional label set is for undeclared outcomes.
  defineCounter({ ...options, labels: ["outcome"], maxLabelSets: options.outcomes.length + 1 })

/**
 * Sets every outcome to 0. Prometheus sees no increase in a series that starts at 1, so the first dead letter would
 * raise no alert.
 */
export const initializeOutcomes = (families: ReadonlyArray<CounterFamily<"outcome">>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    for (const family of families) {
      for (const outcome of family.definition.outcomes ?? []) updateSeries(fiber, family.withLabels({ outcome }), 0)
    }
    return Effect.void
  })

export const defineGauge = <Label extends string = never>(
  options: LabelledMetricOptions<Label> & { readonly aggregation: GaugeAggregation }
): GaugeFamily<Label> =>
  new MetricFamily({ ...options, kind: "gauge" }, (attributes) =>
    Metric.gauge(options.name, { description: options.meaning, attributes })
  )

export const defineHistogram = <Label extends string = never>(
  options: LabelledMetricOptions<Label> & { readonly bounds: ReadonlyArray<number> }
): HistogramFamily<Label> =>
  new MetricFamily({ ...options, kind: "histogram" }, (attributes) =>
    Metric.histogram(options.name, { description: options.meaning, attributes, boundaries: options.bounds })
  )

export const registerGauge = (
  gauge: Metric.Gauge<number>,
  value: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.contextWith((context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() =>
          Metric.registerUnsafe(gauge, context, { get: () => ({ value: value() }), update: () => {}, modify: () => {} })
        ),
        (registration) => Effect.sync(() => registration.remove())
      )
    )
  )
