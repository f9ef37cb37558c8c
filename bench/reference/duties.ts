import { randomUUID } from "node:crypto"
import rateLimit from "@fastify/rate-limit"
import Fastify, { type FastifyInstance, type FastifyPluginCallback, type FastifyRequest, LogController } from "fastify"
import { refusedEnvelope } from "./entry-answers.ts"
import { answerOn } from "./routes.ts"
import { type Known, tokenLookUp } from "./tokens.ts"

// The duties that the service has, by the packages that a user would take for them: a token kept as its digest only, one
// rate window a token, a request id, a log line a request. Spans are a plugin's, for who wants them.

const refuseUnknown = (app: FastifyInstance, callers: WeakMap<FastifyRequest, Known>) => {
  const lookUp = tokenLookUp()
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id)
    const token = request.headers["service-access-token"]
    const known = typeof token === "string" ? await lookUp(token) : undefined
    if (known === undefined || !known.works || (request.method !== "GET" && known.scope !== "writable")) {
      return reply.send(refusedEnvelope(401, "Invalid access token"))
    }
    callers.set(request, known)
  })
}

const logLines = (app: FastifyInstance, callers: WeakMap<FastifyRequest, Known>) => {
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
}

export const withDuties = async (spans?: FastifyPluginCallback) => {
  const app = Fastify({
    logger: true,
    // One line a request, which is its own (above), not the two that it writes unless told.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `RT${randomUUID()}`
  })
  if (spans !== undefined) await app.register(spans)
  const callers = new WeakMap<FastifyRequest, Known>()
  refuseUnknown(app, callers)
  await app.register(rateLimit, {
    max: 1e9,
    timeWindow: "1 minute",
    keyGenerator: (request) => `token:${callers.get(request)?.id}`
  })
  logLines(app, callers)
  answerOn(app, app.rateLimit())
  return app
}
