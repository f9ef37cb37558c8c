import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { type Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Service } from "../../service/service.ts"
import { type Asked, Exchange, httpResponseOf, onlyForm } from "./exchange.ts"
import type { Message } from "./message.ts"
import { protocolOf } from "./protocol.ts"
import type { OfferedTool } from "./tools.ts"

/** Hands messages to the protocol library, which answers each in the form its client reads. */
export const makeSpeak = Effect.fnUntraced(function* (tools: ReadonlyMap<string, OfferedTool>) {
  const service = yield* Service
  // A response is written whole (see httpResponseOf), so there is no stream to keep alive.
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const onerror = (error: Error) => void run(Effect.logDebug("the MCP library reported an error", error.message))
  const protocol = protocolOf(service, tools, onerror)
  const chosenByLibrary = createMcpHandler(protocol, { keepAliveMs: 0, onerror })
  const eventStream = createMcpHandler(protocol, { keepAliveMs: 0, onerror, responseMode: "sse" })

  const answer = async (exchange: Exchange, { json }: Message, form: ReturnType<typeof onlyForm>) => {
    const isSingle = json !== undefined && !Array.isArray(json)
    if ((isSingle || form === "json") && json !== undefined && (await isLegacyRequest(exchange, json))) {
      const document = await answerAsJson(protocol, exchange, json)
      return form === "json" ? document : asEvent(document)
    }
    return (form === "events" ? eventStream : chosenByLibrary).fetch(exchange, { parsedBody: json })
  }

  /** A client that goes away takes its running calls with it. */
  return (asked: Asked, message: Message = NOTHING_READ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.promise(async (signal) => {
        const exchange = new Exchange(asked, context, signal, message.bytes)
        return httpResponseOf(exchange, await answer(exchange, message, onlyForm(asked.request)))
      })
    )
})

const NOTHING_READ: Message = { json: undefined, bytes: 0 }

/**
 * A message of the revisions of 2025 and one JSON document in answer: for a client that reads no event stream, since the
 * library's own handler of these revisions knows only streams, and for a single message, since a stream that is ended by its
 * first event costs more than the call it tells of.
 */
const answerAsJson = async (protocol: McpServerFactory, exchange: Exchange, message: unknown): Promise<Response> => {
  const server = await protocol({ era: "legacy", requestInfo: exchange })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  exchange.signal.addEventListener("abort", () => void server.close(), { once: true })
  const response = await transport.handleRequest(exchange, { parsedBody: message })
  await server.close()
  return response
}

/** The same answer as the one event of a stream, in the library's own form. */
const asEvent = async (document: Response): Promise<Response> => {
  if (document.status !== 200) return document
  return new Response(`event: message\ndata: ${await document.text()}\n\n`, { headers: EVENT_HEADERS })
}

const EVENT_HEADERS = { "content-type": "text/event-stream", "x-accel-buffering": "no" }
