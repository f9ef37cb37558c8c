import { Clock, Context, Effect, type Exit, type Fiber, Option, References, Tracer } from "effect"
import { CurrentSampler, SAMPLING_DECIDED, type Sampler } from "./sampling.ts"

// The sampler decides at the root. An unrecorded trace has only one light span, which provides the ids in log lines.

/** A stack trace costs as much as the span. */
const NO_STACK_TRACE = { captureStackTrace: false }

type Attributes = Readonly<Record<string, unknown>>

export interface RootSpan<A, E> {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** Evaluated only if the span is exported. */
  readonly attributes: () => Attributes
  /** Span of the caller, or of the change that scheduled the work. */
  readonly parent?: Tracer.AnySpan | undefined
  readonly cause?: Tracer.AnySpan | undefined
  /**
   * Returns the attributes of a failure, or undefined if there is none. A span with a failure is exported even if the
   * trace is not recorded.
   */
  readonly attributesAtEnd?: (exit: Exit.Exit<A, E>) => Attributes | undefined
}

export const withRootSpan = <A, E, R>(root: RootSpan<A, E>, self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const sampler = fiber.getRef(CurrentSampler)
    return sampler.shouldRecord(root.parent) ? runRecorded(root, self) : runUnrecorded(root, self, fiber, sampler)
  })

const runRecorded = <A, E, R>(
  { name, kind, attributes, parent, cause }: RootSpan<A, E>,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
  self.pipe(
    Effect.withSpan(
      name,
      {
        kind,
        attributes: attributes(),
        annotations: SAMPLING_DECIDED,
        links: toLinks(cause),
        sampled: true,
        ...(parent === undefined ? { root: true } : { parent })
      },
      NO_STACK_TRACE
    )
  )

const toLinks = (cause: Tracer.AnySpan | undefined): Array<Tracer.SpanLink> =>
  cause === undefined ? [] : [{ span: cause, attributes: {} }]

/**
 * A root span that is exported only on failure. It delegates to the real span, because a copy for every call would be
 * slow.
 */
class UnrecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly #span: Tracer.Span
  readonly sampled: boolean
  failureAttributes: Attributes | undefined

  constructor(span: Tracer.Span, sampled: boolean) {
    this.#span = span
    this.sampled = sampled
  }

  get name() {
    return this.#span.name
  }
  get spanId() {
    return this.#span.spanId
  }
  get traceId() {
    return this.#span.traceId
  }
  get parent() {
    return this.#span.parent
  }
  get annotations() {
    return this.#span.annotations
  }
  get status() {
    return this.#span.status
  }
  get attributes() {
    return this.#span.attributes
  }
  get links() {
    return this.#span.links
  }
  get kind() {
    return this.#span.kind
  }
  end() {}
  attribute() {}
  event() {}
  addLinks() {}
}

const runUnrecorded = <A, E, R>(
  { name, kind, parent, cause, attributes, attributesAtEnd: failureAttributes }: RootSpan<A, E>,
  self: Effect.Effect<A, E, R>,
  fiber: Fiber.Fiber<unknown, unknown>,
  sampler: Sampler
): Effect.Effect<A, E, R> => {
  const clock = fiber.getRef(Clock.Clock)
  // Exported only if `end` is called.
  const span = fiber.getRef(Tracer.Tracer).span({
    name,
    kind,
    parent: Option.fromUndefinedOr(parent),
    annotations: SAMPLING_DECIDED,
    links: toLinks(cause),
    startTime: clock.currentTimeNanosUnsafe(),
    root: parent === undefined,
    sampled: true
  })
  const unrecordedSpan = new UnrecordedSpan(span, sampler.propagatesRecorded(parent))
  const withoutTracing = Effect.updateContext(self, (context: Context.Context<R>) =>
    Context.add(Context.add(context, References.TracerEnabled, false), Tracer.ParentSpan, unrecordedSpan)
  )
  return Effect.onExit(withoutTracing, (exit) => {
    const failure = failureAttributes?.(exit) ?? unrecordedSpan.failureAttributes
    if (failure === undefined) return Effect.void
    for (const [key, value] of Object.entries({ ...attributes(), ...failure })) span.attribute(key, value)
    return Effect.sync(() => span.end(clock.currentTimeNanosUnsafe(), exit))
  })
}

export const withChildSpan =
  (name: string, attributes: Attributes = {}, kind: Tracer.SpanKind = "internal") =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      fiber.cache.tracerEnabled ? self.pipe(Effect.withSpan(name, { kind, attributes }, NO_STACK_TRACE)) : self
    )

export const annotateSpan = (key: string, value: unknown): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { span, tracerEnabled } = fiber.cache
    if (tracerEnabled && span?._tag === "Span") span.attribute(key, value)
    return Effect.void
  })

/** Records a failure as `error.type`. Its root span is exported even if the trace is not recorded. */
export const recordFailure = (type: string, attributes: Attributes = {}): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { span, tracerEnabled } = fiber.cache
    const failure = { ...attributes, "error.type": type }
    if (span instanceof UnrecordedSpan) span.failureAttributes = failure
    else if (tracerEnabled && span?._tag === "Span") {
      for (const [key, value] of Object.entries(failure)) span.attribute(key, value)
    }
    return Effect.void
  })
