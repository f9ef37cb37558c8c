import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Schema } from "effect"

// A collector on loopback that keeps what it is sent, to be asked what left the process.

const Attribute = Schema.Struct({
  key: Schema.String,
  value: Schema.Struct({
    stringValue: Schema.optionalKey(Schema.String),
    intValue: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number]))
  })
})

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  attributes: Schema.Array(Attribute)
})
export type CollectedSpan = typeof Span.Type

const TraceExport = Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) })) }))
})
const decodeTraceExport = Schema.decodeUnknownSync(Schema.fromJsonString(TraceExport))

/** A collector for as long as the scope lasts: its address, all that was sent to it, and the spans in that. */
export const startCollector = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof makeCollector>>((resume) => {
    const collector = makeCollector()
    collector.server.listen(0, "127.0.0.1", () => resume(Effect.succeed(collector)))
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const makeCollector = () => {
  const bodies: Array<{ readonly path: string; readonly body: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      bodies.push({ path: request.url ?? "", body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  return {
    server,
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    // Not read as a caller's JSON is: a batch of spans has more fields than a call may have.
    spans: (): ReadonlyArray<CollectedSpan> =>
      bodies
        .filter(({ path }) => path === "/v1/traces")
        .flatMap(({ body }) => decodeTraceExport(body).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  }
}
