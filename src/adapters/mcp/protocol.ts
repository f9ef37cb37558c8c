import {
  type CallToolResult,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerOptions
} from "@modelcontextprotocol/server"
import { Effect } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import type { Answer } from "../../contract/envelope.ts"
import { MCP_LIST_FRESH_MS } from "../../limits.ts"
import type { Service } from "../../service.ts"
import { Exchange } from "./exchange.ts"
import type { OfferedTool } from "./tools.ts"

const IDENTITY = { name: manifest.name, title: "Latchkey", version: manifest.version }

const FRESH = { ttlMs: MCP_LIST_FRESH_MS, cacheScope: "public" } as const

const OPTIONS: ServerOptions = {
  capabilities: { tools: {} },
  instructions: [
    "Each tool answers with one JSON envelope: request_id, error_code (0 is success), error_msg, data.",
    "Look ids up with the search and query tools; never guess one.",
    "Ask the user before calling a tool whose _meta says requires_confirmation.",
    "Dates are YYYY-MM-DD in the host's time zone, and ranges include their last day. Lists take offset and limit.",
    "After error_code 429 wait before the next call; 400, 404 and 422 will fail again unless the arguments change."
  ].join("\n"),
  cacheHints: { "tools/list": FRESH, "server/discover": FRESH }
}

/**
 * Makes the server of one request: the library keeps nothing between requests, so a server is cheap (the list of tools
 * is made once) and knows only its own exchange. It is the library's low-level `Server`: `McpServer` would register
 * every tool again for every request, and would check arguments that are the service's to check.
 */
export const protocolOf = (
  service: Service["Service"],
  tools: ReadonlyMap<string, OfferedTool>,
  onerror: (error: Error) => void
): McpServerFactory => {
  const list = { tools: Array.from(tools.values(), (tool) => tool.listed) }
  return ({ requestInfo: exchange }) => {
    // The endpoint hands over nothing else.
    if (!(exchange instanceof Exchange)) throw new TypeError("not an exchange of this endpoint")
    const server = new Server(IDENTITY, OPTIONS)
    server.onerror = onerror
    server.setRequestHandler("tools/list", ({ params }) =>
      params?.cursor === undefined ? list : invalidParams("The list has one page: there is no such cursor.")
    )
    server.setRequestHandler("tools/call", ({ params: { name, arguments: fields = {} } }, { mcpReq }) =>
      tools.has(name)
        ? Effect.runPromiseWith(exchange.context)(call(service, exchange, name, fields), { signal: mcpReq.signal })
        : invalidParams(`Unknown tool: ${name}`)
    )
    return server
  }
}

const invalidParams = (message: string): Promise<never> =>
  Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidParams, message))

const call = (service: Service["Service"], exchange: Exchange, name: string, fields: Record<string, unknown>) =>
  Effect.map(
    service.call(name, {
      door: "mcp",
      headers: exchange.caller,
      params: fields,
      read: Effect.succeed({ encoding: "json", fields })
    }),
    (answer) => {
      exchange.answers.push(answer)
      return resultOf(answer)
    }
  )

/** The envelope as REST would write it. No output schema is declared, so no structured content is due beside it. */
const resultOf = ({ envelope }: Answer): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(envelope) }],
  isError: envelope.error_code !== 0
})
