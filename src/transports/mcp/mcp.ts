import { isJsonContentType } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Places, SMALL_BODY_BYTES } from "../../admission/concurrency/Places.ts"
import { tokenOf } from "../../admission/gate/credentials.ts"
import { Forbidden, ServerError, Unauthenticated } from "../../contract/errors.ts"
import type { AnyOperation } from "../../contract/operation.ts"
import { Deployment } from "../../platform/installation.ts"
import { Service } from "../../service/service.ts"
import { toResponse } from "../rest/rest.ts"
import { challengeRule, hostRule, originRule } from "./access.ts"
import { messageReader, rpcRefusal } from "./message.ts"
import { makeSpeak } from "./speaking.ts"
import { toolsOf } from "./tools.ts"

type HttpRequest = HttpServerRequest.HttpServerRequest
type HttpResponse = HttpServerResponse.HttpServerResponse

/**
 * The tool-protocol endpoint (specification, "Tool-protocol (MCP) endpoint"): a thin proxy over {@link Service}, for
 * revision 2026-07-28 and those of 2025, without sessions. Only who may not speak at all is told so by HTTP status:
 * 403 for a page of a foreign origin or at a foreign name, 401 without a known token, the envelope as body. What is no readable message is
 * answered with a JSON-RPC error. Everything else the service says arrives inside a tool's result.
 */
export const mcpApp = Effect.fnUntraced(function* (options: {
  readonly operations: ReadonlyArray<AnyOperation>
  /** Where callers reach the service. */
  readonly publicUrl: string
}) {
  const service = yield* Service
  const tools = toolsOf(options.operations, yield* Deployment)
  const [allows, isMeant] = [originRule(options.publicUrl), hostRule(options.publicUrl)]
  const challenge = challengeRule(options.publicUrl)
  const places = yield* Places
  const { receive, parse } = messageReader(tools)
  const speak = yield* makeSpeak(tools)

  const refuse = (
    request: HttpRequest,
    status: 401 | 403,
    error: Forbidden | Unauthenticated
  ): Effect.Effect<HttpResponse> =>
    Effect.map(service.refuse(error, { door: "mcp", headers: request.headers }), (answer) =>
      HttpServerResponse.setStatus(toResponse(answer), status)
    )

  /** Parses a message. A large message needs a permit of its operator, so that no operator can occupy the thread. */
  const parseFairly = (operatorId: number, body: Uint8Array, headers: HttpRequest["headers"]) => {
    const message = Effect.suspend(() => Effect.fromResult(parse(body, headers)))
    return body.length > SMALL_BODY_BYTES ? places.within(operatorId, message, body.length) : message
  }

  /** Returns the response to a message that got no permit. Its id is not parsed, so the response is no tool result. */
  const refuseUnread = (request: HttpRequest, error: ServerError): Effect.Effect<HttpResponse> =>
    Effect.map(service.refuse(error, { door: "mcp", headers: request.headers }), rpcRefusal)

  const challenged = (response: HttpResponse, badToken: string | undefined): HttpResponse =>
    HttpServerResponse.setHeader(response, "www-authenticate", challenge(badToken))

  return Effect.fnUntraced(function* (request: HttpRequest): Effect.fn.Return<HttpResponse> {
    const { headers, method } = request
    if (!isMeant(headers.host)) return yield* refuse(request, 403, foreignHost)
    if (!allows(headers.origin)) return yield* refuse(request, 403, foreignOrigin)
    const caller = yield* service.callerOf(headers)
    if (caller === undefined) return challenged(yield* refuse(request, 401, unknownToken), tokenOf(headers))
    const { operatorId, scope } = caller
    // The library answers these without a message: 405 and 415.
    if (method === "GET") return challenged(yield* speak({ request, scope }), undefined)
    if (method !== "POST" || !isJsonContentType(headers["content-type"] ?? null))
      return yield* speak({ request, scope })
    return yield* receive(request).pipe(
      Effect.flatMap((body) => parseFairly(operatorId, body, headers)),
      Effect.flatMap((message) => speak({ request, scope }, message)),
      Effect.catch((refusal) =>
        refusal instanceof ServerError ? refuseUnread(request, refusal) : Effect.succeed(refusal)
      )
    )
  })
})

const foreignOrigin = new Forbidden({ message: "Origin: pages of this origin may not call the MCP endpoint." })
const foreignHost = new Forbidden({ message: "Host: must be a name of this machine, such as localhost." })
const unknownToken = new Unauthenticated({ message: "Invalid access token" })
