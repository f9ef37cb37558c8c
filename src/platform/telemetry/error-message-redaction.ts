import type { OtlpTracer } from "effect/observability"

type TraceData = OtlpTracer.TraceData
type Span = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]
type Attribute = Span["attributes"][number]

// Removes error messages from spans, because they may quote input of callers or rows. Type and stack frames stay. The
// log has the message under the same trace_id.

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

export const redactErrorMessages = ({ resourceSpans }: TraceData): TraceData => ({
  resourceSpans: resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(redactSpan) }))
  }))
})
