// First, on a line of its own: what it replaces must not be loaded yet.
import "./tracing.ts"

import { withDuties } from "./duties.ts"
import { settings } from "./settings.ts"
import { spansOf, tracing } from "./tracing.ts"

// Reference: Fastify with the duties that the service has, and with spans of each request whether somebody reads them or
// not.

const app = await withDuties(tracing)

const read = () => app.inject({ url: "/v3/transactions?id=1", headers: { "service-access-token": settings.token } })

// What is not done is not measured: with fewer spans than the service has this would be a server with fewer duties.
const SPANS = [
  "@opentelemetry/instrumentation-pg pg-pool.connect",
  "@opentelemetry/instrumentation-pg pg.query:",
  "@fastify/otel handler",
  "@fastify/otel request"
]

// The first one also looks its token up; those that follow are what is measured.
await read()
const spans = await spansOf(read)
if (spans.length !== SPANS.length || !SPANS.every((start) => spans.some((span) => span.startsWith(start)))) {
  throw new Error(`a read makes the spans ${spans.join(", ")}; wanted are ${SPANS.join(", ")}`)
}

await app.listen({ port: settings.port, host: "127.0.0.1" })
