import { Effect, Metric, type Scope } from "effect"
import { updateSeries } from "./metric-updates.ts"

/** How gauges of several processes of one machine become one: what each has is added, what all see alike is one of them. */
export type GaugeAggregation = "sum" | "max" | "min"

/** What is said of a metric, whoever updates it. */
export interface MetricDefinition {
  /** As OpenTelemetry names it, or our own below `latchkey.`. */
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** UCUM, as OpenTelemetry has it: `s`, `By`, `1` (a share); in braces what is counted; empty: a statement that is 1 or 0. */
  readonly unit: string
  readonly labels: ReadonlyArray<string>
  /** Sets of label values it may have, the one for all beyond them among these. */
  readonly maxLabelSets: number
  readonly meaning: string
  /** Of a gauge. */
  readonly aggregation?: GaugeAggregation
  /** Of a histogram: upper bounds, rising, without infinity. */
  readonly bounds?: ReadonlyArray<number>
  /** Of a counter of outcomes: those there can be. Each stands at 0 from the start (`initializeOutcomes`). */
  readonly outcomes?: ReadonlyArray<string>
}

type MetricOptions = Pick<MetricDefinition, "name" | "unit" | "meaning">
/** A metric without labels has one series. */
type LabelledMetricOptions<Label extends string> = MetricOptions & {
  readonly labels?: ReadonlyArray<Label>
  readonly maxLabelSets?: number
}

/** What stands in each label where a set of values came too late to have a series of its own. */
export const OTHER_LABEL = "other"

/**
 * One metric with its series. There are never more of them than were declared, whatever is counted: so what Prometheus stores is
 * bounded by the table and not by who calls.
 */
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

  /** The series with these values; asked again, the same one. */
  withLabels(labels: Readonly<Record<Label, string>>): M {
    const key = JSON.stringify(this.#labels.map((label) => labels[label]))
    const existing = this.#made.get(key)
    if (existing !== undefined) return existing
    // The last room is for all that came too late.
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

/** A counter of how something ended, in one of so many ways. */
export const defineOutcomeCounter = (
  options: MetricOptions & { readonly outcomes: ReadonlyArray<string> }
): CounterFamily<"outcome"> =>
  // One more than there are: the last room is for what was not declared.
  defineCounter({ ...options, labels: ["outcome"], maxLabelSets: options.outcomes.length + 1 })

/**
 * Says 0 of every outcome, before anything ended in it: Prometheus sees no increase in a series that it meets at 1, so the first
 * dead letter of a process would alarm nobody.
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

/** A gauge whose value is asked for when somebody looks, until the scope closes: it costs nothing in between. */
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
