import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server"
import { ByteSize, Effect, Predicate, Result } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { NOT_JSON, parseJson } from "../../contract/json-text.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES } from "../../platform/limits.ts"
import { mapMessages, wrapArguments } from "./argument-wrapper.ts"
import { findBatchError } from "./batch.ts"
import { type McpTool, makeToolLookup } from "./tools.ts"

type HttpRequest = HttpServerRequest.HttpServerRequest
type HttpResponse = HttpServerResponse.HttpServerResponse

/** The parsed body of a request. The arguments of its tool calls are wrapped (argument-wrapper.ts). */
export interface McpMessage {
  readonly json: unknown
  /** Bytes of the body. */
  readonly bytes: number
}

/**
 * Returns `receive`, which receives the body of a request, and `parse`, which parses it. Each fails with the response to send: 400
 * for invalid JSON or too many values or messages, 413 for too large a body. The limit is {@link BODY_BYTES} as in REST, and
 * {@link IMAGE_BODY_BYTES} for a tool that takes an image. `parse` decides which one applies, because the body names the tool.
 */
export const makeMessageReader = (tools: ReadonlyMap<string, McpTool>) => {
  const findTool = makeToolLookup(tools)
  const takesImage = (name: string) => findTool(name)?.takesImage === true
  const maxBytes = Array.from(tools.keys()).some(takesImage) ? IMAGE_BODY_BYTES : BODY_BYTES

  const receive = (request: HttpRequest): Effect.Effect<Uint8Array, HttpResponse> =>
    Number(request.headers["content-length"] ?? 0) > maxBytes
      ? Effect.fail(makeTooLargeError(maxBytes))
      : request.arrayBuffer.pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
          Effect.mapError(({ reason }) =>
            reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
              ? makeTooLargeError(maxBytes)
              : invalidJsonError
          ),
          Effect.map((bytes) => new Uint8Array(bytes))
        )

  const parse = (body: Uint8Array, headers: HttpRequest["headers"]): Result.Result<McpMessage, HttpResponse> =>
    Result.flatMap(Result.mapError(Result.flatMap(decodeUtf8(body), parseJson), toInvalidBodyError), (json) => {
      if (body.length > BODY_BYTES && !takesImage(toolNameOf(json))) return Result.fail(makeTooLargeError(BODY_BYTES))
      const batchError = findBatchError(json, headers["mcp-protocol-version"])
      return batchError === undefined
        ? Result.succeed({ json: wrapArguments(mapMessages(json, dropNullParams)), bytes: body.length })
        : Result.fail(makeRpcError(400, INVALID_REQUEST, batchError))
    })

  return { receive, parse }
}

/**
 * Returns a message without `params: null` and without parameters that are null, such as `arguments` or `cursor`. Generated clients
 * send null for a parameter that they leave out.
 */
const dropNullParams = (message: unknown): unknown => {
  if (!Predicate.hasProperty(message, "params")) return message
  const { params, ...others } = message
  if (params === null) return others
  if (!Predicate.isObject(params)) return message
  return { ...others, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
}

/** The tool a message calls, or an empty text. */
const toolNameOf = (message: unknown): string =>
  Predicate.hasProperty(message, "params") &&
  Predicate.hasProperty(message.params, "name") &&
  Predicate.isString(message.params.name)
    ? message.params.name
    : ""

/** What is refused before it is a message, with the status and the headers of its envelope. */
export const toRpcErrorResponse = ({ envelope, headers }: ServiceResponse) =>
  HttpServerResponse.setHeaders(makeRpcError(envelope.error_code, INVALID_REQUEST, envelope.error_msg), {
    ...headers,
    "x-request-id": envelope.request_id
  })

const makeRpcError = (status: number, code: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })

const invalidJsonError = makeRpcError(400, PARSE_ERROR, "Parse error: the body is not JSON.")
const toInvalidBodyError = (problem: string) =>
  problem === NOT_JSON ? invalidJsonError : makeRpcError(400, INVALID_REQUEST, `The body ${problem}.`)
const makeTooLargeError = (limit: number) =>
  makeRpcError(413, INVALID_REQUEST, `The body must not be larger than ${limit} bytes.`)
