import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { type Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Service } from "../../service/service.ts"
import { type AuthenticatedRequest, McpExchange, singleAcceptedFormat, toHttpResponse } from "./McpExchange.ts"
import type { McpMessage } from "./message.ts"
import { makeServerFactory } from "./server-factory.ts"
import type { McpTool } from "./tools.ts"

/** Hands messages to the protocol library, which answers each in the form its client reads. */
export const makeMessageHandler = Effect.fnUntraced(function* (tools: ReadonlyMap<string, McpTool>) {
  const service = yield* Service
  // A response is written whole (see toHttpResponse), so there is no stream to keep alive.
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const onerror = (error: Error) => void run(Effect.logDebug("the MCP library reported an error", error.message))
  const serverFactory = makeServerFactory(service, tools, onerror)
  const defaultHandler = createMcpHandler(serverFactory, { keepAliveMs: 0, onerror })
  const eventStreamHandler = createMcpHandler(serverFactory, { keepAliveMs: 0, onerror, responseMode: "sse" })

  const respond = async (
    exchange: McpExchange,
    { json }: McpMessage,
    acceptedFormat: ReturnType<typeof singleAcceptedFormat>
  ) => {
    const isSingle = json !== undefined && !Array.isArray(json)
    if ((isSingle || acceptedFormat === "json") && json !== undefined && (await isLegacyRequest(exchange, json))) {
      const document = await respondAsJson(serverFactory, exchange, json)
      return acceptedFormat === "json" ? document : toEventStream(document)
    }
    return (acceptedFormat === "events" ? eventStreamHandler : defaultHandler).fetch(exchange, { parsedBody: json })
  }

  /** A client that goes away takes its running calls with it. */
  return (
    authenticatedRequest: AuthenticatedRequest,
    message: McpMessage = EMPTY_MESSAGE
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.promise(async (signal) => {
        const exchange = new McpExchange(authenticatedRequest, context, signal, message.bytes)
        return toHttpResponse(
          exchange,
          await respond(exchange, message, singleAcceptedFormat(authenticatedRequest.request))
        )
      })
    )
})

const EMPTY_MESSAGE: McpMessage = { json: undefined, bytes: 0 }

/**
 * A message of the revisions of 2025 and one JSON document in answer: for a client that reads no event stream, since the
 * library's own handler of these revisions knows only streams, and for a single message, since a stream that is ended by its
 * first event costs more than the call it tells of.
 */
const respondAsJson = async (
  serverFactory: McpServerFactory,
  exchange: McpExchange,
  message: unknown
): Promise<Response> => {
  const server = await serverFactory({ era: "legacy", requestInfo: exchange })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  exchange.signal.addEventListener("abort", () => void server.close(), { once: true })
  const response = await transport.handleRequest(exchange, { parsedBody: message })
  await server.close()
  return response
}

/** The same answer as the one event of a stream, in the library's own form. */
const toEventStream = async (document: Response): Promise<Response> => {
  if (document.status !== 200) return document
  return new Response(`event: message\ndata: ${await document.text()}\n\n`, { headers: EVENT_HEADERS })
}

const EVENT_HEADERS = { "content-type": "text/event-stream", "x-accel-buffering": "no" }
