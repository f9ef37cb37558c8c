import { createRequire } from "node:module"
import { FastifyOtelInstrumentation } from "@fastify/otel"
import { registerInstrumentations } from "@opentelemetry/instrumentation"
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg"
import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-node"

// Spans of requests and of statements, as the packages of OpenTelemetry make them, that go nowhere. To be imported before
// anything that imports pg: its functions are replaced when it is loaded by require, and only then.

/** What a span is of, such as `@opentelemetry/instrumentation-pg`. */
let heard: Array<string> | undefined

const nowhere: SpanProcessor = {
  onStart: () => {},
  onEnd: ({ instrumentationScope, name }: ReadableSpan) => {
    heard?.push(`${instrumentationScope.name} ${name}`)
  },
  forceFlush: async () => {},
  shutdown: async () => {}
}

const tracerProvider = new NodeTracerProvider({ spanProcessors: [nowhere] })
tracerProvider.register()

// As many spans a request as the service has of its own: the request, its handler, the connection and the statement. With
// a span for each hook besides, which is what it does unless told, a request would cost more.
const fastify = new FastifyOtelInstrumentation({ instrumentHooks: false })
registerInstrumentations({ tracerProvider, instrumentations: [fastify, new PgInstrumentation()] })
createRequire(import.meta.url)("pg")

export const tracing = fastify.plugin()

/** The spans that end while this runs. */
export const spansOf = async (work: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const spans: Array<string> = []
  heard = spans
  await work()
  heard = undefined
  return spans
}
