import {
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCRequest,
  type McpServerFactory,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { type Context, Effect } from "effect"
import { Service } from "../../service/service.ts"
import { type ApiRequest, type ApiResponse, toJsonResponse } from "../http/api-http.ts"
import { NO_STORE } from "../http/caching.ts"
import { ExchangeTransport } from "./exchange-transport.ts"
import {
  type AuthenticatedRequest,
  acceptsSomeFormat,
  findOnlyAcceptedFormat,
  McpExchange,
  ProtocolRequest,
  toApiResponse
} from "./McpExchange.ts"
import type { McpMessage } from "./message.ts"
import { makeServerFactory } from "./server-factory.ts"
import type { McpTool } from "./tools.ts"

/** One shared server handles stateless requests of the 2025 revisions. Every other request gets a server of its own. */
export const makeMessageHandler = Effect.fnUntraced(function* (tools: ReadonlyMap<string, McpTool>) {
  const service = yield* Service
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const onerror = (error: Error) => void run(Effect.logDebug("the MCP library reported an error", error.message))
  const makeServer = makeServerFactory(service, tools, onerror)
  const makeRequestServer: McpServerFactory = ({ requestInfo }) => {
    // Unreachable: the handlers pass only ProtocolRequest.
    if (!(requestInfo instanceof ProtocolRequest)) throw new TypeError("not a request of this endpoint")
    return makeServer(() => requestInfo.exchange)
  }
  // Each response is sent at once, so no stream needs keep-alive.
  const defaultHandler = createMcpHandler(makeRequestServer, { keepAliveMs: 0, onerror })
  const eventStreamHandler = createMcpHandler(makeRequestServer, { keepAliveMs: 0, onerror, responseMode: "sse" })
  const transport = new ExchangeTransport()
  yield* Effect.promise(() => makeServer((id) => transport.findExchange(id)).connect(transport))

  const respond = async (
    request: ApiRequest,
    exchange: McpExchange,
    { json }: McpMessage,
    signal: AbortSignal
  ): Promise<ApiResponse> => {
    const onlyFormat = findOnlyAcceptedFormat(request)
    const isLegacy = isLegacyMessage(request, json)
    if (isLegacy && acceptsSomeFormat(request) && isStatelessRequest(request, json)) {
      const text = JSON.stringify(await transport.request(exchange, json, signal))
      return onlyFormat === "json" ? toJsonResponse(text, toHeaders(exchange)) : toEventStream(text, exchange)
    }
    const protocolRequest = new ProtocolRequest(request, exchange, signal)
    const isSingle = json !== undefined && !Array.isArray(json)
    if (isLegacy && (isSingle || onlyFormat === "json")) {
      const document = await respondAsJson(makeRequestServer, protocolRequest, json)
      const isDocument = onlyFormat === "json" || document.status !== 200
      return isDocument ? toApiResponse(exchange, document) : toEventStream(await document.text(), exchange)
    }
    const handler = onlyFormat === "events" ? eventStreamHandler : defaultHandler
    return toApiResponse(exchange, await handler.fetch(protocolRequest, { parsedBody: json }))
  }

  return ({ request, scope }: AuthenticatedRequest, message: McpMessage = EMPTY_MESSAGE): Effect.Effect<ApiResponse> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.promise((signal) =>
        respond(request, new McpExchange({ request, scope }, context, message.bytes), message, signal)
      )
    )
})

const EMPTY_MESSAGE: McpMessage = { json: undefined, bytes: 0 }

const isLegacyMessage = ({ method, headers }: ApiRequest, json: unknown): boolean => {
  if (json === undefined) return false
  const [version, mcpMethod, name] = [headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"]]
  const classified = classifyInboundRequest({
    httpMethod: method,
    body: json,
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(mcpMethod !== undefined && { mcpMethodHeader: mcpMethod }),
    ...(name !== undefined && { mcpNameHeader: name })
  })
  return classified.kind === "legacy"
}

/** Selects requests for the shared server. `initialize`, for example, would change its state. */
const isStatelessRequest = ({ headers }: ApiRequest, json: unknown): json is JSONRPCRequest => {
  const version = headers["mcp-protocol-version"]
  return (
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    isJSONRPCRequest(json) &&
    STATELESS_METHODS.has(json.method)
  )
}

const STATELESS_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"])

/**
 * Returns one JSON document for a message of a 2025 revision. The library would return an event stream, which some
 * clients reject and which costs more.
 */
const respondAsJson = async (
  serverFactory: McpServerFactory,
  request: ProtocolRequest,
  message: unknown
): Promise<Response> => {
  const server = await serverFactory({ era: "legacy", requestInfo: request })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  request.signal.addEventListener("abort", () => void server.close(), { once: true })
  const response = await transport.handleRequest(request, { parsedBody: message })
  await server.close()
  return response
}

const toEventStream = (text: string, exchange: McpExchange): ApiResponse => ({
  status: 200,
  headers: { ...EVENT_HEADERS, ...toHeaders(exchange) },
  body: `event: message\ndata: ${text}\n\n`
})

const EVENT_HEADERS = { "content-type": "text/event-stream", "x-accel-buffering": "no" }

const toHeaders = (exchange: McpExchange): ApiResponse["headers"] => ({ ...NO_STORE, ...exchange.responseHeaders })
