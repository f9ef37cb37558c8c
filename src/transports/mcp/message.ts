import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server"
import { ByteSize, Effect, Predicate, Result } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Answer } from "../../contract/envelope.ts"
import { NOT_JSON, parseJson } from "../../contract/json-text.ts"
import { textOf } from "../../contract/utf8.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES } from "../../platform/limits.ts"
import { mapMessages, wrapArguments } from "./arguments.ts"
import { batchRefusal } from "./batch.ts"
import { type OfferedTool, toolFinder } from "./tools.ts"

type HttpRequest = HttpServerRequest.HttpServerRequest
type HttpResponse = HttpServerResponse.HttpServerResponse

/** The parsed body of a request. The arguments of its tool calls are wrapped (arguments.ts). */
export interface Message {
  readonly json: unknown
  /** Bytes of the body. */
  readonly bytes: number
}

/**
 * Returns `receive`, which receives the body of a request, and `parse`, which parses it. Each fails with the response to send: 400
 * for invalid JSON or too many values or messages, 413 for too large a body. The limit is {@link BODY_BYTES} as in REST, and
 * {@link IMAGE_BODY_BYTES} for a tool that takes an image. `parse` decides which one applies, because the body names the tool.
 */
export const messageReader = (tools: ReadonlyMap<string, OfferedTool>) => {
  const find = toolFinder(tools)
  const takesImage = (name: string) => find(name)?.takesImage === true
  const most = Array.from(tools.keys()).some(takesImage) ? IMAGE_BODY_BYTES : BODY_BYTES

  const receive = (request: HttpRequest): Effect.Effect<Uint8Array, HttpResponse> =>
    Number(request.headers["content-length"] ?? 0) > most
      ? Effect.fail(tooLarge(most))
      : request.arrayBuffer.pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(most)),
          Effect.mapError(({ reason }) =>
            reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge(most) : unreadable
          ),
          Effect.map((bytes) => new Uint8Array(bytes))
        )

  const parse = (body: Uint8Array, headers: HttpRequest["headers"]): Result.Result<Message, HttpResponse> =>
    Result.flatMap(Result.mapError(Result.flatMap(textOf(body), parseJson), notTaken), (json) => {
      if (body.length > BODY_BYTES && !takesImage(nameOfTool(json))) return Result.fail(tooLarge(BODY_BYTES))
      const refusal = batchRefusal(json, headers["mcp-protocol-version"])
      return refusal === undefined
        ? Result.succeed({ json: wrapArguments(mapMessages(json, withoutNulls)), bytes: body.length })
        : Result.fail(rpcError(400, INVALID_REQUEST, refusal))
    })

  return { receive, parse }
}

/**
 * Returns a message without `params: null` and without parameters that are null, such as `arguments` or `cursor`. Generated clients
 * send null for a parameter that they leave out.
 */
const withoutNulls = (message: unknown): unknown => {
  if (!Predicate.hasProperty(message, "params")) return message
  const { params, ...others } = message
  if (params === null) return others
  if (!Predicate.isObject(params)) return message
  return { ...others, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
}

/** The tool a message calls, or an empty text. */
const nameOfTool = (message: unknown): string =>
  Predicate.hasProperty(message, "params") &&
  Predicate.hasProperty(message.params, "name") &&
  Predicate.isString(message.params.name)
    ? message.params.name
    : ""

/** What is refused before it is a message, with the status and the headers of its envelope. */
export const rpcRefusal = ({ envelope, headers }: Answer) =>
  HttpServerResponse.setHeaders(rpcError(envelope.error_code, INVALID_REQUEST, envelope.error_msg), {
    ...headers,
    "x-request-id": envelope.request_id
  })

const rpcError = (status: number, code: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

const unreadable = rpcError(400, PARSE_ERROR, "Parse error: the body is not JSON.")
const notTaken = (why: string) => (why === NOT_JSON ? unreadable : rpcError(400, INVALID_REQUEST, `The body ${why}.`))
const tooLarge = (limit: number) => rpcError(413, INVALID_REQUEST, `The body must not be larger than ${limit} bytes.`)
