import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server"
import { Effect, Predicate, Result } from "effect"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { NOT_JSON, parseJson } from "../../contract/json-text.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES } from "../../platform/limits.ts"
import { type ApiRequest, type ApiResponse, toJsonResponse, withHeaders } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"
import { mapMessages, wrapArguments } from "./argument-wrapper.ts"
import { findBatchError } from "./batch.ts"
import { type McpTool, makeToolLookup } from "./tools.ts"

/** In `json`, tool arguments are wrapped (argument-wrapper.ts). */
export interface McpMessage {
  readonly json: unknown
  readonly bytes: number
}

/**
 * Both functions fail with the response to send. Tools that take an image allow {@link IMAGE_BODY_BYTES}, others {@link
 * BODY_BYTES}. `parse` checks the lower limit, because only it knows the tool.
 */
export const makeMessageReader = (tools: ReadonlyMap<string, McpTool>) => {
  const findTool = makeToolLookup(tools)
  const takesImage = (name: string) => findTool(name)?.takesImage === true
  const maxBytes = Array.from(tools.keys()).some(takesImage) ? IMAGE_BODY_BYTES : BODY_BYTES

  const receive = (request: ApiRequest): Effect.Effect<Uint8Array, ApiResponse> =>
    Effect.mapError(request.receiveBody(maxBytes), ({ _tag }) =>
      _tag === "BodyTooLarge" ? makeTooLargeError(maxBytes) : invalidJsonError
    )

  const parse = (body: Uint8Array, headers: ApiRequest["headers"]): Result.Result<McpMessage, ApiResponse> =>
    Result.flatMap(Result.mapError(Result.flatMap(decodeUtf8(body), parseJson), toInvalidBodyError), (json) => {
      if (body.length > BODY_BYTES && !takesImage(readToolName(json))) return Result.fail(makeTooLargeError(BODY_BYTES))
      const batchError = findBatchError(json, headers["mcp-protocol-version"])
      return batchError === undefined
        ? Result.succeed({ json: wrapArguments(mapMessages(json, dropNullParams)), bytes: body.length })
        : Result.fail(makeRpcError(400, INVALID_REQUEST, batchError))
    })

  return { receive, parse }
}

/** Generated clients send null for parameters that they omit, such as `arguments` or `cursor`. */
const dropNullParams = (message: unknown): unknown => {
  if (!Predicate.hasProperty(message, "params")) return message
  const { params, ...others } = message
  if (params === null) return others
  if (!Predicate.isObject(params)) return message
  return { ...others, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
}

const readToolName = (message: unknown): string =>
  Predicate.hasProperty(message, "params") &&
  Predicate.hasProperty(message.params, "name") &&
  Predicate.isString(message.params.name)
    ? message.params.name
    : ""

/** Returns the error of a request that was rejected before parsing, with the envelope's code as HTTP status. */
export const toRpcErrorResponse = ({ envelope, headers }: ServiceResponse) =>
  withHeaders(makeRpcError(envelope.error_code, INVALID_REQUEST, envelope.error_msg), {
    ...headers,
    "x-request-id": envelope.request_id
  })

const makeRpcError = (status: number, code: number, message: string) =>
  toJsonResponse(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }), NO_STORE, status)

const invalidJsonError = makeRpcError(400, PARSE_ERROR, "Parse error: the body is not JSON.")
const toInvalidBodyError = (problem: string) =>
  problem === NOT_JSON ? invalidJsonError : makeRpcError(400, INVALID_REQUEST, `The body ${problem}.`)
const makeTooLargeError = (limit: number) =>
  makeRpcError(413, INVALID_REQUEST, `The body must not be larger than ${limit} bytes.`)
