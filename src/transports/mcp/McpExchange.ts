import type { Context } from "effect"
import type { Caller } from "../../contract/caller.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { ServiceCall } from "../../service/service.ts"
import type { ApiRequest, ApiResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"
import { BatchCallQueue } from "./batch.ts"

export interface AuthenticatedRequest {
  readonly request: ApiRequest
  readonly scope: Caller["scope"]
}

export class McpExchange {
  /** Includes the credentials for the gate, which the MCP library does not get. */
  readonly callerHeaders: ServiceCall["headers"]
  readonly context: Context.Context<never>
  readonly scope: Caller["scope"]
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

  /** Keeps only headers, because a batch has many responses. */
  readonly recordResponse = ({ headers, envelope }: ServiceResponse): void => {
    this.#responseCount++
    this.#lastHeaders = { ...headers, "x-request-id": envelope.request_id }
  }

  /** Headers that REST would send. Empty unless there was exactly one call. */
  get responseHeaders(): ServiceResponse["headers"] {
    return this.#responseCount === 1 ? this.#lastHeaders : {}
  }
}

export class ProtocolRequest extends Request {
  readonly exchange: McpExchange

  constructor({ method, headers }: ApiRequest, exchange: McpExchange, signal: AbortSignal) {
    // GET stands for every method but POST. The library rejects them all alike, and `Request` does not allow TRACE.
    super(PLACEHOLDER_URL, { method: method === "POST" ? "POST" : "GET", headers: toProtocolHeaders(headers), signal })
    this.exchange = exchange
  }
}

// `Request` requires a URL, but the library does not read it. The client's `Host` is not trustworthy.
const PLACEHOLDER_URL = "http://localhost/mcp"

/**
 * The MCP library requires both media types in `Accept`, but clients send `text/event-stream` alone,
 * `application/json`, `*\/*` or nothing.
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

export const acceptsSomeFormat = ({ headers: { accept = "*/*" } }: ApiRequest): boolean =>
  acceptsEventStream(accept) || acceptsJson(accept)

/** Returns undefined if the client accepts both formats or none. */
export const findOnlyAcceptedFormat = ({ headers }: ApiRequest): "events" | "json" | undefined => {
  const accept = headers.accept ?? "*/*"
  const [isEventStreamAccepted, isJsonAccepted] = [acceptsEventStream(accept), acceptsJson(accept)]
  return isEventStreamAccepted === isJsonAccepted ? undefined : isEventStreamAccepted ? "events" : "json"
}

/** Reads the whole body first, because the headers of a single call are known only then. */
export const toApiResponse = async (exchange: McpExchange, response: Response): Promise<ApiResponse> => ({
  status: response.status,
  headers: {
    ...Object.fromEntries(response.headers),
    // The library lets caches store an event stream, but each stream is for one caller.
    ...NO_STORE,
    ...exchange.responseHeaders
  },
  body: await response.text()
})
