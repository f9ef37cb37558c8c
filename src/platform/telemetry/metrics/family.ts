import { Effect, Metric, type Scope } from "effect"
import { note } from "./measuring.ts"

/** How gauges of several processes of one machine become one: what each has is added, what all see alike is one of them. */
export type Across = "sum" | "max" | "min"

/** What is said of a metric, whoever updates it. */
export interface Declared {
  /** As OpenTelemetry names it, or our own below `latchkey.`. */
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** UCUM, as OpenTelemetry has it: `s`, `By`, `1` (a share); in braces what is counted; empty: a statement that is 1 or 0. */
  readonly unit: string
  readonly labels: ReadonlyArray<string>
  /** Sets of label values it may have, the one for all beyond them among these. */
  readonly most: number
  readonly meaning: string
  /** Of a gauge. */
  readonly across?: Across
  /** Of a histogram: upper bounds, rising, without infinity. */
  readonly bounds?: ReadonlyArray<number>
  /** Of a counter of outcomes: those there can be. Each stands at 0 from the start (`fromNothing`). */
  readonly outcomes?: ReadonlyArray<string>
}

type Said = Pick<Declared, "name" | "unit" | "meaning" | "most">
type Labelled<Label extends string> = Said & { readonly labels: ReadonlyArray<Label> }

/** What stands in each label where a set of values came too late to have a series of its own. */
export const OTHER = "other"

/**
 * One metric with its series. There are never more of them than were declared, whatever is counted: so what Prometheus stores is
 * bounded by the table and not by who calls.
 */
export class Family<Label extends string, M> {
  readonly declared: Declared
  readonly #labels: ReadonlyArray<Label>
  readonly #make: (labels: Metric.Metric.AttributeSet) => M
  readonly #made = new Map<string, M>()

  constructor(declared: Declared, labels: ReadonlyArray<Label>, make: (labels: Metric.Metric.AttributeSet) => M) {
    this.declared = declared
    this.#labels = labels
    this.#make = make
  }

  /** The series with these values; asked again, the same one. */
  of(labels: Readonly<Record<Label, string>>): M {
    const key = JSON.stringify(this.#labels.map((label) => labels[label]))
    const made = this.#made.get(key)
    if (made !== undefined) return made
    // The last room is for all that came too late.
    return this.#made.size < this.declared.most - 1 || this.#isOther(labels) ? this.#add(key, labels) : this.#other()
  }

  #isOther(labels: Readonly<Record<Label, string>>): boolean {
    return this.#labels.every((label) => labels[label] === OTHER)
  }

  #other(): M {
    const values = this.#labels.map(() => OTHER)
    const key = JSON.stringify(values)
    return this.#made.get(key) ?? this.#add(key, Object.fromEntries(this.#labels.map((label) => [label, OTHER])))
  }

  #add(key: string, labels: Metric.Metric.AttributeSet): M {
    const made = this.#make({ ...labels, unit: this.declared.unit })
    this.#made.set(key, made)
    return made
  }
}

export type CounterFamily<Label extends string> = Family<Label, Metric.Counter<number>>
export type GaugeFamily<Label extends string> = Family<Label, Metric.Gauge<number>>
export type HistogramFamily<Label extends string> = Family<Label, Metric.Histogram<number>>

export const counters = <Label extends string = never>(said: Labelled<Label>): CounterFamily<Label> =>
  new Family({ ...said, kind: "counter" }, said.labels, (attributes) =>
    Metric.counter(said.name, { description: said.meaning, attributes, incremental: true })
  )

/** A counter of how something ended, in one of so many ways. */
export const outcomes = (
  said: Omit<Said, "most"> & { readonly outcomes: ReadonlyArray<string> }
): CounterFamily<"outcome"> =>
  // One more than there are: the last room is for what was not declared.
  counters({ ...said, labels: ["outcome"], most: said.outcomes.length + 1 })

/**
 * Says 0 of every outcome, before anything ended in it: Prometheus sees no increase in a series that it meets at 1, so the first
 * dead letter of a process would alarm nobody.
 */
export const fromNothing = (families: ReadonlyArray<CounterFamily<"outcome">>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    for (const family of families) {
      for (const outcome of family.declared.outcomes ?? []) note(fiber, family.of({ outcome }), 0)
    }
    return Effect.void
  })

export const gauges = <Label extends string = never>(
  said: Labelled<Label> & { readonly across: Across }
): GaugeFamily<Label> =>
  new Family({ ...said, kind: "gauge" }, said.labels, (attributes) =>
    Metric.gauge(said.name, { description: said.meaning, attributes })
  )

export const histograms = <Label extends string = never>(
  said: Labelled<Label> & { readonly bounds: ReadonlyArray<number> }
): HistogramFamily<Label> =>
  new Family({ ...said, kind: "histogram" }, said.labels, (attributes) =>
    Metric.histogram(said.name, { description: said.meaning, attributes, boundaries: said.bounds })
  )

/** A gauge whose value is asked for when somebody looks, until the scope closes: it costs nothing in between. */
export const watched = (gauge: Metric.Gauge<number>, value: () => number): Effect.Effect<void, never, Scope.Scope> =>
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
