import type { Context } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Caller } from "../../contract/caller.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { ServiceCall } from "../../service/service.ts"
import { BatchCallQueue } from "./batch.ts"

/** A request of somebody whose token is known. */
export interface AuthenticatedRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  /** What the token may do. */
  readonly scope: Caller["scope"]
}

/**
 * One HTTP exchange as the protocol library sees it: a web request that remembers whose call it is. The library makes
 * a server for every request and hands it this object, which is how a tool call finds its caller.
 */
export class McpExchange extends Request {
  /** The headers as they came: the Gate reads credentials from them, and the library is shown none. */
  readonly callerHeaders: ServiceCall["headers"]
  /** Of the fiber that serves the request: log annotations, tracer and parent span of the calls. */
  readonly context: Context.Context<never>
  readonly scope: Caller["scope"]
  /** Bytes of the message it came with. */
  readonly size: number
  readonly calls = new BatchCallQueue()
  #answers = 0
  #headers: ServiceResponse["headers"] = {}

  constructor(
    { request, scope }: AuthenticatedRequest,
    context: Context.Context<never>,
    signal: AbortSignal,
    size: number
  ) {
    // To the library all but POST is the same refusal, and a web request cannot even say TRACE.
    const method = request.method === "POST" ? "POST" : "GET"
    super(PLACEHOLDER_URL, { method, headers: protocolHeaders(request.headers), signal })
    this.callerHeaders = request.headers
    this.context = context
    this.scope = scope
    this.size = size
  }

  /** Notes an answer's headers. Of its body nothing is kept: a batch has many. */
  readonly recordResponse = ({ headers, envelope }: ServiceResponse): void => {
    this.#answers++
    this.#headers = { ...headers, "x-request-id": envelope.request_id }
  }

  /** The headers REST would have sent with the one call of this exchange; of several calls, nobody's. */
  get responseHeaders(): ServiceResponse["headers"] {
    return this.#answers === 1 ? this.#headers : {}
  }
}

// The library reads no address; a request must have one, and the client's Host is not to be trusted with it.
const PLACEHOLDER_URL = "http://localhost/mcp"

/**
 * Only what the protocol defines. `Accept` is widened: the library wants both media types named, while the
 * specification's clients send `text/event-stream` alone, and others `application/json`, `*\/*` or nothing.
 */
const protocolHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const forwardedHeaders: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name === "content-type" || name.startsWith("mcp-")) forwardedHeaders[name] = value
  }
  const accept = headers.accept ?? "*/*"
  forwardedHeaders.accept =
    acceptsEventStream(accept) || acceptsJson(accept) ? "application/json, text/event-stream" : accept
  return forwardedHeaders
}

const acceptsEventStream = (accept: string): boolean => /text\/(event-stream|\*)|\*\/\*/i.test(accept)
const acceptsJson = (accept: string): boolean => /application\/(json|\*)|\*\/\*/i.test(accept)

/** Whether a client can read but one of the two forms of an answer, and which. */
export const singleAcceptedFormat = ({
  headers
}: HttpServerRequest.HttpServerRequest): "events" | "json" | undefined => {
  const accept = headers.accept ?? "*/*"
  const [isEventStreamAccepted, isJsonAccepted] = [acceptsEventStream(accept), acceptsJson(accept)]
  return isEventStreamAccepted === isJsonAccepted ? undefined : isEventStreamAccepted ? "events" : "json"
}

/**
 * The library's response, whole: no answer of this endpoint goes on after its result, so one write carries it all, and
 * the headers REST would have sent with a single call, known only then, can still go with it.
 */
export const toHttpResponse = async (
  exchange: McpExchange,
  response: Response
): Promise<HttpServerResponse.HttpServerResponse> => {
  const body = await response.text()
  const options = {
    status: response.status,
    headers: {
      ...Object.fromEntries(response.headers),
      // The library lets an event stream be kept; each is one caller's answer.
      "cache-control": "no-store",
      ...exchange.responseHeaders
    }
  }
  return body === "" ? HttpServerResponse.empty(options) : HttpServerResponse.text(body, options)
}
