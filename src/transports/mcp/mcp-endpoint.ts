import { isJsonContentType } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { ConcurrencyLimiter, SMALL_BODY_BYTES } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { readToken } from "../../admission/gate/credentials.ts"
import { Forbidden, ServerError, Unauthenticated } from "../../contract/errors.ts"
import type { AnyOperation } from "../../contract/operation.ts"
import { Deployment } from "../../platform/installation.ts"
import { Service } from "../../service/service.ts"
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  toEnvelopeResponse,
  withHeaders,
  withStatus
} from "../http/api-http.ts"
import { makeChallenge, makeHostRule, makeOriginRule } from "./access-rules.ts"
import { makeMessageReader, toRpcErrorResponse } from "./message.ts"
import { makeMessageHandler } from "./message-handler.ts"
import { makeTools } from "./tools.ts"

/**
 * Serves the MCP revisions 2026-07-28 and 2025 without sessions (specification, "Tool-protocol (MCP) endpoint").
 *
 * - A foreign origin or host gets HTTP 403, and an invalid token 401, with an envelope.
 * - An unreadable message gets a JSON-RPC error.
 * - Other errors are tool results.
 */
export const makeMcpHandler = Effect.fnUntraced(function* (options: {
  readonly operations: ReadonlyArray<AnyOperation>
  readonly publicUrl: string
}): Effect.fn.Return<ApiHandler, never, Service | ConcurrencyLimiter> {
  const service = yield* Service
  const tools = makeTools(options.operations, yield* Deployment)
  const [isAllowedOrigin, isAllowedHost] = [makeOriginRule(options.publicUrl), makeHostRule(options.publicUrl)]
  const toChallenge = makeChallenge(options.publicUrl)
  const limiter = yield* ConcurrencyLimiter
  const { receive, parse } = makeMessageReader(tools)
  const handleMessage = yield* makeMessageHandler(tools)

  const rejectWithStatus = (
    request: ApiRequest,
    status: 401 | 403,
    error: Forbidden | Unauthenticated
  ): Effect.Effect<ApiResponse> =>
    Effect.map(service.respondWithError(error, { transport: "mcp", headers: request.headers }), (response) =>
      withStatus(toEnvelopeResponse(response), status)
    )

  /** Parsing a large message needs a permit, so that one operator cannot occupy the thread. */
  const parseWithPermit = (operatorId: number, body: Uint8Array, headers: ApiRequest["headers"]) => {
    const message = Effect.suspend(() => Effect.fromResult(parse(body, headers)))
    return body.length > SMALL_BODY_BYTES ? limiter.withPermit(operatorId, message, body.length) : message
  }

  /** Returns a JSON-RPC error. A tool result would need the message id, which is unknown before parsing. */
  const rejectUnparsed = (request: ApiRequest, error: ServerError): Effect.Effect<ApiResponse> =>
    Effect.map(service.respondWithError(error, { transport: "mcp", headers: request.headers }), toRpcErrorResponse)

  const withChallenge = (response: ApiResponse, badToken: string | undefined): ApiResponse =>
    withHeaders(response, { "www-authenticate": toChallenge(badToken) })

  return Effect.fnUntraced(function* (request): Effect.fn.Return<ApiResponse> {
    const { headers, method } = request
    if (!isAllowedHost(headers.host)) return yield* rejectWithStatus(request, 403, foreignHostError)
    if (!isAllowedOrigin(headers.origin)) return yield* rejectWithStatus(request, 403, foreignOriginError)
    const caller = yield* service.findCaller(headers)
    if (caller === undefined)
      return withChallenge(yield* rejectWithStatus(request, 401, unknownTokenError), readToken(headers))
    const { operatorId, scope } = caller
    // The library rejects other methods and media types with 405 or 415, without reading a message.
    if (method === "GET") return withChallenge(yield* handleMessage({ request, scope }), undefined)
    if (method !== "POST" || !isJsonContentType(headers["content-type"] ?? null))
      return yield* handleMessage({ request, scope })
    return yield* receive(request).pipe(
      Effect.flatMap((body) => parseWithPermit(operatorId, body, headers)),
      Effect.flatMap((message) => handleMessage({ request, scope }, message)),
      Effect.catch((rejection) =>
        rejection instanceof ServerError ? rejectUnparsed(request, rejection) : Effect.succeed(rejection)
      )
    )
  })
})

const foreignOriginError = new Forbidden({ message: "Origin: pages of this origin may not call the MCP endpoint." })
const foreignHostError = new Forbidden({ message: "Host: must be a name of this machine, such as localhost." })
const unknownTokenError = new Unauthenticated({ message: "Invalid access token" })
