import { Effect, Option, type Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"

// Trace context as the text of the header `traceparent` (W3C Trace Context, version 00), for rows and headers.

const toTraceparent = (span: Tracer.AnySpan): string =>
  `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`

export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiber(({ cache: { span } }) =>
  Effect.succeed(span === undefined ? undefined : toTraceparent(span))
)

export const parseTraceparent = (text: string | null | undefined): Tracer.ExternalSpan | undefined =>
  text === undefined || text === null
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent: text })))
