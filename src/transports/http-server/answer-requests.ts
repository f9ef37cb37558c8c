import { IncomingMessage, type Server, type ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, Exit, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../contract/errors.ts"
import { BODY_BYTES } from "../../platform/limits.ts"
import { Service } from "../../service/service.ts"
import { type ApiResponse, type HttpApp, toEnvelopeResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"
import { READY_PATH, REST_PREFIX, requestPath } from "../http/paths.ts"
import type { Connection } from "./Connection.ts"
import type { Connections } from "./Connections.ts"
import { expectsContinue, ReceivedRequest } from "./ReceivedRequest.ts"

/** REST and MCP use Node's objects and one write per response. Pages use Effect's HTTP server. */
export const answerRequests = Effect.fnUntraced(function* (server: Server, connections: Connections, app: HttpApp) {
  const { rejectIfStillOverloaded } = yield* Service
  const answerPage = yield* NodeHttpServer.makeHandler(withPageHeaders(app.pages, connections), {
    // Created before the finalizer that stops the server, so that the scope closes later and running pages finish.
    scope: yield* Scope.fork(yield* Effect.scope, "parallel")
  })
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.of(request.socket)
    // A request after the last response must not run, because its client would not receive the result.
    if (connection === undefined || !connection.begin(request, response)) return
    const received = new ReceivedRequest(request, response)
    const headerError = findHeaderError(request)
    if (headerError !== undefined)
      return runToResponse(app.reject(received, headerError), { request, response, connection, isLastWanted: true })
    const exchange = { request, response, connection, isLastWanted: isUpgrade(request) }
    const overloadError = received.url.startsWith(`${REST_PREFIX}/`)
      ? rejectIfStillOverloaded(received.headers)
      : undefined
    if (overloadError !== undefined) return writeResponse(exchange, toEnvelopeResponse(overloadError))
    const apiAnswer = app.answerApi(received)
    if (apiAnswer !== undefined) return runToResponse(apiAnswer, exchange)
    if (expectsContinue(request)) response.writeContinue()
    answerPage(request, response)
  }

  const runToResponse = (effect: Effect.Effect<ApiResponse>, exchange: Exchange) => {
    const fiber = run(effect)
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) return writeResponse(exchange, exit.value)
      if (!Cause.hasInterruptsOnly(exit.cause)) run(Effect.logError("defect", exit.cause))
      writeResponse(exchange, defectResponse)
    })
    if (fiber.pollUnsafe() !== undefined) return
    exchange.response.once("close", () => {
      if (!exchange.response.writableEnded) fiber.interruptUnsafe()
    })
  }

  server.on("request", answer)
  // Node emits `checkExpectation` for any other `Expect` header, which findHeaderError rejects.
  server.on("checkContinue", answer)
  server.on("checkExpectation", answer)
})

/** Response to a defect in a transport. Operations return an envelope for their own defects. */
const defectResponse: ApiResponse = { status: 500, headers: NO_STORE, body: "" }

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly isLastWanted: boolean
}

const NO_CONTENT = 204

const writeResponse = (
  { request, response, connection, isLastWanted }: Exchange,
  { status, headers, body }: ApiResponse
): void => {
  if (response.destroyed) return
  const isLast = connection.decideIsLast(request, isLastWanted || hasLongUnreadBody(request) || awaitsContinue(request))
  const sentHeaders: Record<string, string | number> = { ...headers }
  // A 204 response has no Content-Length (RFC 9110, 8.6).
  if (status !== NO_CONTENT) sentHeaders["content-length"] = Buffer.byteLength(body)
  if (isLast) sentHeaders["connection"] = "close"
  response.writeHead(status, sentHeaders)
  if (isLast && !request.complete) {
    connection.endAfterBody(request, response, body)
    return
  }
  response.end(body)
  // Node itself discards unread bodies of known length.
  if (!request.complete && request.headers["transfer-encoding"] !== undefined) connection.discardBody(request)
}

/**
 * The server ignores Upgrade (RFC 9110, 7.8), but Node drops bytes that arrived with it, such as a pipelined request.
 * The client sends that request again, because the response ends the connection.
 */
const isUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade !== undefined

/** Node closes the connection after a response to a client that still waits for "100 Continue". */
const awaitsContinue = (request: IncomingMessage): boolean =>
  expectsContinue(request) && request.readableFlowing === null

const hasLongUnreadBody = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && Number(headers["content-length"] ?? 0) > BODY_BYTES

const withPageHeaders = (pages: HttpApp["pages"], connections: Connections): HttpApp["pages"] =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const answer =
      connections.stopping && requestPath(request) === READY_PATH ? Effect.succeed(stoppingResponse) : pages
    // Effect runs page handlers uninterruptibly, so a page would continue after a disconnect.
    return Effect.map(Effect.interruptible(answer), (response) => {
      const isLast =
        incoming instanceof IncomingMessage &&
        connections.of(incoming.socket)?.decideIsLast(incoming, isUpgrade(incoming))
      const kept = "cache-control" in response.headers ? response : HttpServerResponse.setHeaders(response, NO_STORE)
      return isLast ? HttpServerResponse.setHeader(kept, "connection", "close") : kept
    })
  })

const stoppingResponse = HttpServerResponse.text("stopping\n", { status: 503 })

const findHeaderError = (request: IncomingMessage): BadRequest | undefined => {
  // At most one Host header is allowed, and HTTP/1.1 requires it (RFC 9112, 3.2).
  const hosts = countHosts(request.rawHeaders)
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1"))
    return new BadRequest({ message: "Host: must be given once." })
  const { expect } = request.headers
  return expect === undefined || !expectsContinue(request) || expect.toLowerCase() === "100-continue"
    ? undefined
    : new BadRequest({ message: "Expect: must be 100-continue or left out." })
}

/** `rawHeaders` alternates names and values. */
const countHosts = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") count++
  }
  return count
}
