import { Tracer } from "effect"

/** A tracer that keeps every span it is asked for; `told` are those a collector would be sent. */
export const makeSpanRecorder = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const listExportedSpans = () => spans.filter((span) => span.sampled && span.status._tag === "Ended")
  return { tracer, spans, listExportedSpans }
}
