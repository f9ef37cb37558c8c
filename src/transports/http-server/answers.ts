import { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../contract/errors.ts"
import { Service } from "../../service/service.ts"
import { endpointAt, REJECTION_FORMATS } from "../endpoints.ts"
import { NO_STORE } from "../http/caching.ts"
import { READY_PATH, requestPath } from "../http/paths.ts"
import type { Connections } from "./Connections.ts"

type Response = HttpServerResponse.HttpServerResponse
type App = Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>

/** The application with what every answer of this server has in common, whichever door it left by. */
export const withServerAnswers = Effect.fnUntraced(function* (app: App, connections: Connections) {
  const service = yield* Service

  /** Not fit to be handled, whatever path it names; that path says in which form. */
  const refusal = (message: string, request: HttpServerRequest.HttpServerRequest) => {
    const { transport, toResponse } = REJECTION_FORMATS[endpointAt(requestPath(request))]
    return Effect.map(service.respondWithError(new BadRequest({ message }), { transport, headers: {} }), (answer) =>
      toResponse(answer, request)
    )
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<Response> => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const connection = connections.of(incoming.socket)
    // It came after the last answer of its connection. To run it would be to do something nobody hears of.
    if (!(incoming instanceof IncomingMessage) || !connection?.has(incoming)) return Effect.interruptible(Effect.never)
    const wrong = wrongHeader(incoming)
    const answer =
      wrong !== undefined
        ? refusal(wrong, request)
        : connections.stopping && requestPath(request) === READY_PATH
          ? Effect.succeed(stopping)
          : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
    return Effect.map(answer, (response) => {
      const last = connection.isLast(incoming, wrong !== undefined)
      // Nearly all answers say it themselves: what is set afterwards copies all of them.
      const said = "cache-control" in response.headers ? response : HttpServerResponse.setHeaders(response, NO_STORE)
      return last ? HttpServerResponse.setHeader(said, "connection", "close") : said
    })
  })
})

/** A load balancer sends its callers elsewhere while those that come are still served. */
const stopping = HttpServerResponse.text("stopping\n", { status: 503 })

/** What a request says about itself that it must not. */
const wrongHeader = (request: IncomingMessage): string | undefined => {
  // RFC 9112, 3.2: a request with none, or with two that could name different places, is a bad one.
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return "Host: must be given once."
  const { expect } = request.headers
  // Node answers 100-continue, and hands over what else a request expects.
  return expect === undefined || expect.toLowerCase() === "100-continue"
    ? undefined
    : "Expect: must be 100-continue or left out."
}
