import { Effect, Option, type Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"

// A trace on its way through what is no call: a row of the database, a header. The text is that of the header `traceparent`
// (W3C Trace Context, version 00): trace, span, and whether it is recorded.

const toTraceparent = (span: Tracer.AnySpan): string =>
  `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`

/** The span that runs now, recorded or not; undefined: there is none. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiber(({ cache: { span } }) =>
  Effect.succeed(span === undefined ? undefined : toTraceparent(span))
)

/** The span a text names; undefined where there is no text, or it is not one. */
export const parseTraceparent = (text: string | null | undefined): Tracer.ExternalSpan | undefined =>
  text === undefined || text === null
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent: text })))
