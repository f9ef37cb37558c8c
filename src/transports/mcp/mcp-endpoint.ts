import { isJsonContentType } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Places, SMALL_BODY_BYTES } from "../../admission/concurrency/Places.ts"
import { readToken } from "../../admission/gate/credentials.ts"
import { Forbidden, ServerError, Unauthenticated } from "../../contract/errors.ts"
import type { AnyOperation } from "../../contract/operation.ts"
import { Deployment } from "../../platform/installation.ts"
import { Service } from "../../service/service.ts"
import { toEnvelopeResponse } from "../rest/rest-endpoint.ts"
import { makeChallenge, makeHostRule, makeOriginRule } from "./access-rules.ts"
import { makeMessageReader, toRpcErrorResponse } from "./message.ts"
import { makeMessageHandler } from "./message-handler.ts"
import { makeTools } from "./tools.ts"

type HttpRequest = HttpServerRequest.HttpServerRequest
type HttpResponse = HttpServerResponse.HttpServerResponse

/**
 * The tool-protocol endpoint (specification, "Tool-protocol (MCP) endpoint"): a thin proxy over {@link Service}, for
 * revision 2026-07-28 and those of 2025, without sessions. Only who may not speak at all is told so by HTTP status:
 * 403 for a page of a foreign origin or at a foreign name, 401 without a known token, the envelope as body. What is no readable message is
 * answered with a JSON-RPC error. Everything else the service says arrives inside a tool's result.
 */
export const makeMcpHandler = Effect.fnUntraced(function* (options: {
  readonly operations: ReadonlyArray<AnyOperation>
  /** Where callers reach the service. */
  readonly publicUrl: string
}) {
  const service = yield* Service
  const tools = makeTools(options.operations, yield* Deployment)
  const [isAllowedOrigin, isAllowedHost] = [makeOriginRule(options.publicUrl), makeHostRule(options.publicUrl)]
  const toChallenge = makeChallenge(options.publicUrl)
  const permits = yield* Places
  const { receive, parse } = makeMessageReader(tools)
  const handleMessage = yield* makeMessageHandler(tools)

  const rejectWithStatus = (
    request: HttpRequest,
    status: 401 | 403,
    error: Forbidden | Unauthenticated
  ): Effect.Effect<HttpResponse> =>
    Effect.map(service.respondWithError(error, { transport: "mcp", headers: request.headers }), (answer) =>
      HttpServerResponse.setStatus(toEnvelopeResponse(answer), status)
    )

  /** Parses a message. A large message needs a permit of its operator, so that no operator can occupy the thread. */
  const parseWithPermit = (operatorId: number, body: Uint8Array, headers: HttpRequest["headers"]) => {
    const message = Effect.suspend(() => Effect.fromResult(parse(body, headers)))
    return body.length > SMALL_BODY_BYTES ? permits.within(operatorId, message, body.length) : message
  }

  /** Returns the response to a message that got no permit. Its id is not parsed, so the response is no tool result. */
  const rejectUnparsed = (request: HttpRequest, error: ServerError): Effect.Effect<HttpResponse> =>
    Effect.map(service.respondWithError(error, { transport: "mcp", headers: request.headers }), toRpcErrorResponse)

  const withChallenge = (response: HttpResponse, badToken: string | undefined): HttpResponse =>
    HttpServerResponse.setHeader(response, "www-authenticate", toChallenge(badToken))

  return Effect.fnUntraced(function* (request: HttpRequest): Effect.fn.Return<HttpResponse> {
    const { headers, method } = request
    if (!isAllowedHost(headers.host)) return yield* rejectWithStatus(request, 403, foreignHostError)
    if (!isAllowedOrigin(headers.origin)) return yield* rejectWithStatus(request, 403, foreignOriginError)
    const caller = yield* service.findCaller(headers)
    if (caller === undefined)
      return withChallenge(yield* rejectWithStatus(request, 401, unknownTokenError), readToken(headers))
    const { operatorId, scope } = caller
    // The library answers these without a message: 405 and 415.
    if (method === "GET") return withChallenge(yield* handleMessage({ request, scope }), undefined)
    if (method !== "POST" || !isJsonContentType(headers["content-type"] ?? null))
      return yield* handleMessage({ request, scope })
    return yield* receive(request).pipe(
      Effect.flatMap((body) => parseWithPermit(operatorId, body, headers)),
      Effect.flatMap((message) => handleMessage({ request, scope }, message)),
      Effect.catch((refusal) =>
        refusal instanceof ServerError ? rejectUnparsed(request, refusal) : Effect.succeed(refusal)
      )
    )
  })
})

const foreignOriginError = new Forbidden({ message: "Origin: pages of this origin may not call the MCP endpoint." })
const foreignHostError = new Forbidden({ message: "Host: must be a name of this machine, such as localhost." })
const unknownTokenError = new Unauthenticated({ message: "Invalid access token" })
