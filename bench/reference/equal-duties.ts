// First, on a line of its own: what it replaces must not be loaded yet.
import "./tracing.ts"

import { randomUUID } from "node:crypto"
import rateLimit from "@fastify/rate-limit"
import Fastify, { type FastifyRequest, LogController } from "fastify"
import { refusedEnvelope } from "./entry-answers.ts"
import { answerOn } from "./routes.ts"
import { settings } from "./settings.ts"
import { type Known, tokenLookUp } from "./tokens.ts"
import { spansOf, tracing } from "./tracing.ts"

// Reference: Fastify with the duties that the service has, by the packages that a user would take for them: a token kept
// as its digest only, one rate window a token, a request id, a log line a request, spans of request and statement.

const app = Fastify({
  logger: true,
  // One line a request, which is its own (below), not the two that it writes unless told.
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: () => `RT${randomUUID()}`
})

await app.register(tracing)

const lookUp = tokenLookUp()
const callers = new WeakMap<FastifyRequest, Known>()

app.addHook("onRequest", async (request, reply) => {
  reply.header("x-request-id", request.id)
  const token = request.headers["service-access-token"]
  const known = typeof token === "string" ? await lookUp(token) : undefined
  if (known === undefined || !known.works || (request.method !== "GET" && known.scope !== "writable")) {
    return reply.send(refusedEnvelope(401, "Invalid access token"))
  }
  callers.set(request, known)
})

await app.register(rateLimit, {
  max: 1e9,
  timeWindow: "1 minute",
  keyGenerator: (request) => `token:${callers.get(request)?.id}`
})

app.addHook("onResponse", async (request, reply) => {
  request.log.info(
    {
      request_id: request.id,
      operation: `${request.method} ${request.routeOptions.url}`,
      operator_id: callers.get(request)?.operatorId,
      status: reply.statusCode,
      ms: reply.elapsedTime
    },
    "call"
  )
})

answerOn(app, app.rateLimit())

// What is not done is not measured: without the spans this would be a server with fewer duties.
const spans = await spansOf(() =>
  app.inject({ url: "/v3/transactions?id=1", headers: { "service-access-token": settings.token } })
)
for (const scope of ["@fastify/otel", "@opentelemetry/instrumentation-pg"]) {
  if (!spans.some((span) => span.startsWith(scope))) throw new Error(`no span of ${scope}: ${spans.join(", ")}`)
}

await app.listen({ port: settings.port, host: "127.0.0.1" })
