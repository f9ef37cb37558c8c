import { type McpServerFactory, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import type { Exchange } from "./exchange.ts"

/**
 * Answers a message of the revisions of 2025 with one JSON document, for a client that reads no event stream: the
 * library's own handler of these revisions knows only streams.
 */
export const answerAsJson = async (
  protocol: McpServerFactory,
  exchange: Exchange,
  message: unknown
): Promise<Response> => {
  const server = await protocol({ era: "legacy", requestInfo: exchange })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  // A client that goes away takes its running calls with it.
  exchange.signal.addEventListener("abort", () => void server.close(), { once: true })
  const response = await transport.handleRequest(exchange, { parsedBody: message })
  await server.close()
  return response
}
