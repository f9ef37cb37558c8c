import { Clock, Context, Effect, type Exit, type Fiber, Option, References, Tracer } from "effect"
import { CurrentSampler, SAMPLING_DECIDED, type Sampler } from "./sampling.ts"

// A span that nobody reads costs as much as one that is read. So a root asks the sampler first: what is not recorded is one
// light span, for the ids of the log lines, and nothing within it, the database's spans neither.

/** Where in our own code a span was opened says nothing about a request, and finding out costs as much as the span. */
const NO_STACK_TRACE = { captureStackTrace: false }

type Attributes = Readonly<Record<string, unknown>>

/** The root of a trace, or of what this process does for one. */
export interface RootSpan<A, E> {
  readonly name: string
  readonly kind: Tracer.SpanKind
  /** Asked for only where somebody reads them. */
  readonly attributes: () => Attributes
  /** What it is done for: the caller's span where it sent one, or that of the change which left it to be done. */
  readonly parent?: Tracer.AnySpan | undefined
  /** What it has to do with, without being a part of it. */
  readonly cause?: Tracer.AnySpan | undefined
  /** Of what must not be missed, recorded or not: what there is to say of how it ended ({@link recordFailure} says so too). */
  readonly attributesAtEnd?: (exit: Exit.Exit<A, E>) => Attributes | undefined
}

/** Runs it as the root of a trace, recorded or not as the sampler says. */
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
 * What a root that is not recorded shows: the ids of a span that is told only if need be, and that nobody is to record more.
 * It is made for each call, and mostly asked for two ids, so it copies nothing.
 */
class UnrecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly #span: Tracer.Span
  readonly sampled: boolean
  /** What is told of it although it is not recorded. */
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
  // A tracer is sent what ends, so until then it is nobody's.
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

/** Runs it as a part of a trace that is recorded, else as it is. */
export const withChildSpan =
  (name: string, attributes: Attributes = {}, kind: Tracer.SpanKind = "internal") =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      fiber.cache.tracerEnabled ? self.pipe(Effect.withSpan(name, { kind, attributes }, NO_STACK_TRACE)) : self
    )

/** Says more of the span that is recorded, if one is. */
export const annotateSpan = (key: string, value: unknown): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { span, tracerEnabled } = fiber.cache
    if (tracerEnabled && span?._tag === "Span") span.attribute(key, value)
    return Effect.void
  })

/**
 * Says that what runs came to nothing for a reason that somebody should look at, in a word or a status (`error.type`). Its root
 * is told to a collector whatever traces that is sent.
 */
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
