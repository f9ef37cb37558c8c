import type { OtlpTracer } from "effect/observability"

type TraceData = OtlpTracer.TraceData
type Span = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]
type Attribute = Span["attributes"][number]

// What a failed span would say of its error is left out: an error's words may quote what a caller wrote, and a database's what
// a row holds. Its name stays, and where it was thrown; the words stand in the log line with the same trace_id.

const FRAME = /^\s+at /

const keepFrames = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => FRAME.test(line))
    .join("\n")

const redactAttributes = (attributes: ReadonlyArray<Attribute>): Array<Attribute> =>
  attributes.flatMap((attribute) => {
    if (attribute.key === "exception.message") return []
    if (attribute.key !== "exception.stacktrace") return [attribute]
    return [{ ...attribute, value: { stringValue: keepFrames(attribute.value.stringValue ?? "") } }]
  })

const findExceptionType = ({ events }: Span): string | undefined =>
  events.flatMap(({ attributes }) =>
    attributes.flatMap(({ key, value }) => (key === "exception.type" ? [value.stringValue ?? "Error"] : []))
  )[0]

const redactSpan = (span: Span): Span => {
  const { code, message } = span.status
  return {
    ...span,
    events: span.events.map((event) => ({ ...event, attributes: redactAttributes(event.attributes) })),
    status: message === undefined ? { code } : { code, message: findExceptionType(span) ?? "Error" }
  }
}

/** Spans as they leave: without the words of errors. */
export const redactErrorMessages = ({ resourceSpans }: TraceData): TraceData => ({
  resourceSpans: resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(redactSpan) }))
  }))
})
