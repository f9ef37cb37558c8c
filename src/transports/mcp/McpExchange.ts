import type { Context } from "effect"
import type { Caller } from "../../contract/caller.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { ServiceCall } from "../../service/service.ts"
import type { ApiRequest, ApiResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"
import { BatchCallQueue } from "./batch.ts"

// The exchange of one HTTP request with the MCP library: translates the request for the library, and its response for the client.

/** A request with a valid token. */
export interface AuthenticatedRequest {
  readonly request: ApiRequest
  /** The scope of the token. */
  readonly scope: Caller["scope"]
}

/** One HTTP request to the endpoint, with the facts that its tool calls need. */
export class McpExchange {
  /** The received headers. The gate reads the credentials from them. The library does not get them. */
  readonly callerHeaders: ServiceCall["headers"]
  /** The context of the fiber that handles the request: log annotations, tracer and parent span of the calls. */
  readonly context: Context.Context<never>
  readonly scope: Caller["scope"]
  /** Bytes of the message. */
  readonly size: number
  readonly calls = new BatchCallQueue()
  #responseCount = 0
  #lastHeaders: ServiceResponse["headers"] = {}

  constructor({ request, scope }: AuthenticatedRequest, context: Context.Context<never>, size: number) {
    this.callerHeaders = request.headers
    this.context = context
    this.scope = scope
    this.size = size
  }

  /** Records the headers of a response. Its body is not kept, because a batch has many. */
  readonly recordResponse = ({ headers, envelope }: ServiceResponse): void => {
    this.#responseCount++
    this.#lastHeaders = { ...headers, "x-request-id": envelope.request_id }
  }

  /** The headers that REST would have sent with the one call of this exchange. Empty if it had several calls. */
  get responseHeaders(): ServiceResponse["headers"] {
    return this.#responseCount === 1 ? this.#lastHeaders : {}
  }
}

/** The request of an exchange for the protocol library. The library passes it to the server that it makes for the request. */
export class ProtocolRequest extends Request {
  readonly exchange: McpExchange

  constructor({ method, headers }: ApiRequest, exchange: McpExchange, signal: AbortSignal) {
    // The library rejects all methods but POST in the same way, and a web request cannot have the method TRACE.
    super(PLACEHOLDER_URL, { method: method === "POST" ? "POST" : "GET", headers: toProtocolHeaders(headers), signal })
    this.exchange = exchange
  }
}

// The library does not read the URL, but a request must have one. The `Host` of the client is not trustworthy.
const PLACEHOLDER_URL = "http://localhost/mcp"

/**
 * Returns the headers that the protocol defines. `Accept` is extended: the library requires both media types, but clients of the
 * specification send `text/event-stream` alone, and others `application/json`, `*\/*` or nothing.
 */
const toProtocolHeaders = (headers: ApiRequest["headers"]): Record<string, string> => {
  const forwardedHeaders: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && (name === "content-type" || name.startsWith("mcp-"))) forwardedHeaders[name] = value
  }
  const accept = headers.accept ?? "*/*"
  forwardedHeaders.accept =
    acceptsEventStream(accept) || acceptsJson(accept) ? "application/json, text/event-stream" : accept
  return forwardedHeaders
}

const acceptsEventStream = (accept: string): boolean => /text\/(event-stream|\*)|\*\/\*/i.test(accept)
const acceptsJson = (accept: string): boolean => /application\/(json|\*)|\*\/\*/i.test(accept)

/** Returns whether the client accepts an event stream or JSON. */
export const acceptsSomeFormat = ({ headers: { accept = "*/*" } }: ApiRequest): boolean =>
  acceptsEventStream(accept) || acceptsJson(accept)

/** Returns the one format that the client accepts. Undefined: it accepts both or none. */
export const findOnlyAcceptedFormat = ({ headers }: ApiRequest): "events" | "json" | undefined => {
  const accept = headers.accept ?? "*/*"
  const [isEventStreamAccepted, isJsonAccepted] = [acceptsEventStream(accept), acceptsJson(accept)]
  return isEventStreamAccepted === isJsonAccepted ? undefined : isEventStreamAccepted ? "events" : "json"
}

/**
 * Converts a response of the library. It reads the whole body first: no response goes on after its result, and the headers of a single call
 * are known only then.
 */
export const toApiResponse = async (exchange: McpExchange, response: Response): Promise<ApiResponse> => ({
  status: response.status,
  headers: {
    ...Object.fromEntries(response.headers),
    // The library allows caches to keep an event stream, but each is the response to one caller.
    ...NO_STORE,
    ...exchange.responseHeaders
  },
  body: await response.text()
})
