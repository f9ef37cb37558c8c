import { Context, Option, Struct, type Tracer } from "effect"

/** Which traces are recorded, as OpenTelemetry says it (`OTEL_TRACES_SAMPLER`): asked once for each trace, at its root. */
export interface Sampler {
  /** Whether a trace is recorded that comes with this parent, or with none. */
  readonly shouldRecord: (parent: Tracer.AnySpan | undefined) => boolean
  /**
   * Of a trace that is not recorded here, whether whoever it goes on to hears that it is: without a collector nobody decided
   * here, and what the parent says is passed on.
   */
  readonly propagatesRecorded: (parent: Tracer.AnySpan | undefined) => boolean
}

type Decision = Sampler["shouldRecord"]

const always: Decision = () => true
const never: Decision = () => false

/** Of the last 56 bits of a trace id, which are random, as many as a number holds exactly. */
const toRandomShare = (traceId: string): number =>
  Number.parseInt(traceId.padStart(32, "0").slice(-14, -1), 16) / 16 ** 13

/**
 * A share of all traces. One that came with its id is decided by that, from the high end of what is random in it (W3C Trace
 * Context 2, OpenTelemetry's consistent sampling), so that others who do the same record the same; a new one by chance.
 */
const traceIdRatio =
  (ratio: number): Decision =>
  (parent) =>
    (parent === undefined ? Math.random() : toRandomShare(parent.traceId)) >= 1 - ratio

const parentBased =
  (root: Decision): Decision =>
  (parent) =>
    parent === undefined ? root(parent) : parent.sampled

/** The names that OpenTelemetry gives them, each with the decision it makes for its argument. */
const SAMPLERS = {
  always_on: () => always,
  always_off: () => never,
  traceidratio: traceIdRatio,
  parentbased_always_on: () => parentBased(always),
  parentbased_always_off: () => parentBased(never),
  parentbased_traceidratio: (ratio: number) => parentBased(traceIdRatio(ratio))
} as const

export type SamplerName = keyof typeof SAMPLERS
export const SAMPLER_NAMES: ReadonlyArray<SamplerName> = Struct.keys(SAMPLERS)

/** The sampler of that name, in small or capital letters; undefined when there is none. */
export const parseSamplerName = (name: string): SamplerName | undefined =>
  SAMPLER_NAMES.find((each) => each === name.toLowerCase())

/** A sampler by its settings; `ratio`, from 0 to 1, is what a `traceidratio` takes. */
export interface NamedSampler {
  readonly name: SamplerName
  readonly ratio: number
}

/** What OpenTelemetry does when nothing is said: every trace, unless its caller records none. */
export const DEFAULT_SAMPLER: NamedSampler = { name: "parentbased_always_on", ratio: 1 }

export const makeSampler = ({ name, ratio }: NamedSampler): Sampler => ({
  shouldRecord: SAMPLERS[name](ratio),
  propagatesRecorded: never
})

/** For a process without a collector: nobody would read what is recorded. */
export const RECORD_NOTHING: Sampler = { shouldRecord: never, propagatesRecorded: parentBased(always) }

/** The sampler that roots ask. */
export const CurrentSampler = Context.Reference<Sampler>("latchkey/platform/telemetry/CurrentSampler", {
  defaultValue: () => makeSampler(DEFAULT_SAMPLER)
})

/** Stands among a root's annotations: whether it is recorded was asked already. */
const SamplingDecided = Context.Reference<boolean>("latchkey/platform/telemetry/SamplingDecided", {
  defaultValue: () => false
})
export const SAMPLING_DECIDED: Context.Context<never> = Context.make(SamplingDecided, true)

/** The tracer, asking the sampler of every root that did not ask itself: those of work in the background. */
export const withSampler = (tracer: Tracer.Tracer, sampler: Sampler): Tracer.Tracer => ({
  ...tracer,
  span: (options) => {
    const isDecided =
      Option.isSome(options.parent) || !options.sampled || Context.get(options.annotations, SamplingDecided)
    return tracer.span(isDecided ? options : { ...options, sampled: sampler.shouldRecord(undefined) })
  }
})
