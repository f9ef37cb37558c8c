import { Context, Option, Struct, type Tracer } from "effect"

/** Decides at the root of a trace whether the trace is recorded (`OTEL_TRACES_SAMPLER`). */
export interface Sampler {
  readonly shouldRecord: (parent: Tracer.AnySpan | undefined) => boolean
  /**
   * Whether outgoing requests mark a trace as recorded although this process does not record it. With a collector:
   * never. Without one: as the parent decided, and always if there is no parent.
   */
  readonly propagatesRecorded: (parent: Tracer.AnySpan | undefined) => boolean
}

type Decision = Sampler["shouldRecord"]

const always: Decision = () => true
const never: Decision = () => false

/** The last 56 bits of a trace id are random. A number holds 52 of them exactly. */
const toRandomShare = (traceId: string): number =>
  Number.parseInt(traceId.padStart(32, "0").slice(-14, -1), 16) / 16 ** 13

/**
 * Records a share of all traces. If a trace has a parent, the trace id decides, as in W3C Trace Context 2, so that all
 * services record the same traces.
 */
const traceIdRatio =
  (ratio: number): Decision =>
  (parent) =>
    (parent === undefined ? Math.random() : toRandomShare(parent.traceId)) >= 1 - ratio

const parentBased =
  (root: Decision): Decision =>
  (parent) =>
    parent === undefined ? root(parent) : parent.sampled

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

export const parseSamplerName = (name: string): SamplerName | undefined =>
  SAMPLER_NAMES.find((each) => each === name.toLowerCase())

/** `ratio` is from 0 to 1. */
export interface NamedSampler {
  readonly name: SamplerName
  readonly ratio: number
}

/** OpenTelemetry's default. */
export const DEFAULT_SAMPLER: NamedSampler = { name: "parentbased_always_on", ratio: 1 }

export const makeSampler = ({ name, ratio }: NamedSampler): Sampler => ({
  shouldRecord: SAMPLERS[name](ratio),
  propagatesRecorded: never
})

export const RECORD_NOTHING: Sampler = { shouldRecord: never, propagatesRecorded: parentBased(always) }

export const CurrentSampler = Context.Reference<Sampler>("latchkey/platform/telemetry/CurrentSampler", {
  defaultValue: () => makeSampler(DEFAULT_SAMPLER)
})

/** Annotation of a root span whose sampling is already decided. */
const SamplingDecided = Context.Reference<boolean>("latchkey/platform/telemetry/SamplingDecided", {
  defaultValue: () => false
})
export const SAMPLING_DECIDED: Context.Context<never> = Context.make(SamplingDecided, true)

/** Returns a tracer that samples roots without a decision, such as those of background work. */
export const withSampler = (tracer: Tracer.Tracer, sampler: Sampler): Tracer.Tracer => ({
  ...tracer,
  span: (options) => {
    const isDecided =
      Option.isSome(options.parent) || !options.sampled || Context.get(options.annotations, SamplingDecided)
    return tracer.span(isDecided ? options : { ...options, sampled: sampler.shouldRecord(undefined) })
  }
})
