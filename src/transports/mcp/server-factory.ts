import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
  type ServerOptions
} from "@modelcontextprotocol/server"
import { Effect } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import type { Caller } from "../../contract/caller.ts"
import {
  IDEMPOTENCY_KEY_META,
  REPLAYED_HEADER,
  REPLAYED_META,
  type ReceivedIdempotencyKey
} from "../../contract/idempotency-key.ts"
import { toReceivedInput } from "../../contract/input.ts"
import { toPrintableName } from "../../contract/printable-name.ts"
import { CURRENT_VERSION } from "../../contract/releases.ts"
import { PAGE_DEFAULT } from "../../platform/limits.ts"
import type { Service } from "../../service/service.ts"
import { resolveArgumentAliases } from "./aliases.ts"
import { unwrapArguments } from "./argument-wrapper.ts"
import type { McpExchange } from "./McpExchange.ts"
import { findNearestTool } from "./nearest-tool.ts"
import { type McpTool, makeToolLookup } from "./tools.ts"

/** In characters. */
const MCP_LARGE_RESPONSE = 256 * 1024
export const MCP_LIST_FRESH_MS = 5 * 60 * 1000

const SERVER_INFO = { name: manifest.name, title: "Latchkey", version: CURRENT_VERSION }

/** Private, because the list for read-only tokens is shorter. */
const TOOL_LIST_CACHE = { ttlMs: MCP_LIST_FRESH_MS, cacheScope: "private" } as const
const DISCOVERY_CACHE = { ttlMs: MCP_LIST_FRESH_MS, cacheScope: "public" } as const

/** Agents read this text once, before they list the tools. Limit: 300 tokens. */
export const INSTRUCTIONS = [
  "Latchkey runs short-stay rentals: properties, reservations, calendars, prices, guests, money, tasks, staff.",
  "Each tool answers one JSON envelope: request_id, error_code (0 is success), error_msg, data.",
  "Look ids up, never guess one: search_properties, search_reservations (reservation_code is the order, stay_code one stay of it), query_conversations, search_listings, the query_ dictionaries.",
  "Before a tool whose _meta says requires_confirmation ask the user, naming what will change: what guests and channels are told cannot be taken back.",
  "Not possible here: moving a stay to another property, editing or deleting properties and room types, charging or paying out money, webhooks, tokens. Say so; the host's console or REST may.",
  `Dates are YYYY-MM-DD in the host's time zone; ranges include their last day. Lists answer ${PAGE_DEFAULT} rows unless limit or its default says otherwise; offset leads on.`,
  "Money is in major units: 35.5 is 35 euro 50.",
  "After error_code 429 wait before the next call; 400, 404 and 422 fail again unless the arguments change. When an answer to a write was lost, look before you repeat it."
].join("\n")

const SERVER_OPTIONS: ServerOptions = {
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  cacheHints: { "tools/list": TOOL_LIST_CACHE, "server/discover": DISCOVERY_CACHE }
}

/** Uses the library's low-level `Server`, because `McpServer` would validate the arguments, which the service does. */
export const makeServerFactory = (
  service: Service["Service"],
  tools: ReadonlyMap<string, McpTool>,
  onerror: (error: Error) => void
) => {
  const [toolLists, findTool] = [makeToolLists(tools), makeToolLookup(tools)]
  return (findExchange: (id: RequestId) => McpExchange | undefined): Server => {
    const getExchange = (id: RequestId): McpExchange => {
      const exchange = findExchange(id)
      if (exchange === undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error")
      return exchange
    }
    const server = new Server(SERVER_INFO, SERVER_OPTIONS)
    server.onerror = onerror
    server.setRequestHandler("tools/list", ({ params }, { mcpReq }) =>
      params?.cursor === undefined
        ? toolLists[getExchange(mcpReq.id).scope]
        : rejectInvalidParams("cursor: must be left out, because the list has one page.")
    )
    server.setRequestHandler("tools/call", ({ params: { name, arguments: wrapped, _meta } }, { mcpReq }) => {
      const tool = findTool(name)
      if (tool === undefined) return rejectInvalidParams(toUnknownToolMessage(name, tools))
      const exchange = getExchange(mcpReq.id)
      const callInput = { fields: unwrapArguments(wrapped), key: readIdempotencyKey(_meta) }
      return Effect.runPromiseWith(exchange.context)(callTool(service, exchange, tool, callInput), {
        signal: mcpReq.signal
      })
    })
    return server
  }
}

/** Returns the tool list for each token scope (specification, OAuth 2.0 bearer token 4). */
const makeToolLists = (tools: ReadonlyMap<string, McpTool>): Readonly<Record<Caller["scope"], ListToolsResult>> => {
  const all = Array.from(tools.values(), ({ definition }) => definition)
  return {
    writable: { tools: all },
    "read-only": { tools: all.filter((tool) => tool.annotations?.readOnlyHint === true) }
  }
}

const readIdempotencyKey = (meta: Readonly<Record<string, unknown>> | undefined): ReceivedIdempotencyKey | undefined =>
  meta?.[IDEMPOTENCY_KEY_META] === undefined
    ? undefined
    : { field: `_meta["${IDEMPOTENCY_KEY_META}"]`, value: meta[IDEMPOTENCY_KEY_META] }

const toUnknownToolMessage = (name: string, tools: ReadonlyMap<string, McpTool>): string => {
  const suggestion = findNearestTool(toPrintableName(name), Array.from(tools.keys()))
  return `Unknown tool: ${toPrintableName(name)}${suggestion === undefined ? "" : `. Did you mean ${suggestion}?`}`
}

const rejectInvalidParams = (message: string): Promise<never> =>
  Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidParams, message))

/** Tools have no output schema, so there is no structured content. */
const callTool = Effect.fnUntraced(function* (
  service: Service["Service"],
  exchange: McpExchange,
  { definition: { name }, describeUnknownArguments }: McpTool,
  {
    fields: sentFields,
    key
  }: { readonly fields: Record<string, unknown>; readonly key: ReceivedIdempotencyKey | undefined }
): Effect.fn.Return<CallToolResult, ProtocolError> {
  const { fields, error } = resolveArgumentAliases(name, sentFields)
  let code = 0
  let replayed = false
  const response = Effect.map(
    service.call(name, {
      transport: "mcp",
      headers: exchange.callerHeaders,
      params: fields,
      idempotencyKey: key,
      receive: Effect.succeed(
        error === undefined
          ? toReceivedInput({ encoding: "json", fields }, exchange.size)
          : { parse: Effect.fail(error), bytes: exchange.size }
      )
    }),
    (serviceResponse) => {
      exchange.recordResponse(serviceResponse)
      code = serviceResponse.envelope.error_code
      replayed = REPLAYED_HEADER in serviceResponse.headers
      return JSON.stringify(serviceResponse.envelope)
    }
  )
  // The library serializes the text again, so a large text waits for the next event-loop iteration.
  const responseAfterYield = Effect.tap(response, (text) =>
    text.length > MCP_LARGE_RESPONSE ? Effect.yieldNow : Effect.void
  )
  const envelope = yield* exchange.calls.run(responseAfterYield)
  const texts = [envelope, REJECTED_CODES.has(code) ? undefined : describeUnknownArguments(fields)].filter(
    (text) => text !== undefined
  )
  const result = { content: texts.map((text) => ({ type: "text" as const, text })), isError: code !== 0 }
  return replayed ? { ...result, _meta: { [REPLAYED_META]: true } } : result
})

const REJECTED_CODES: ReadonlySet<number> = new Set([401, 420, 429])
