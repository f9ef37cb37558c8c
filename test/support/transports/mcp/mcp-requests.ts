import { Effect } from "effect"
import { EchoEndpoint } from "./echo-endpoint.ts"

// Requests to the tool endpoint as a hand-written client sends them, and what is in the answers.

export const BOTH_MEDIA_TYPES = "application/json, text/event-stream"

interface RpcMessage {
  readonly jsonrpc?: string
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Record<string, unknown> | null
}

export const makeToolCall = (name: string, fields: Record<string, unknown> = {}, id = 1): RpcMessage => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: fields }
})

/** The same message in revision 2026-07-28, which says so in itself and in its headers. */
export const toModernMessage = (message: RpcMessage) => ({
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method ?? "",
    ...(typeof message.params?.name === "string" ? { "mcp-name": message.params.name } : {})
  },
  message: {
    ...message,
    params: {
      ...message.params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  }
})

export type RequestHeaders = Readonly<Record<string, string>>

export const sendMcpRequest = (init: RequestInit & { readonly headers: RequestHeaders }) =>
  Effect.flatMap(EchoEndpoint, ({ url }) =>
    Effect.promise(async (signal) => {
      const response = await fetch(url, { signal, ...init })
      return { status: response.status, headers: response.headers, body: await response.text() }
    })
  )

export const JSON_HEADERS = { authorization: "Bearer alice", "content-type": "application/json" }

export const postMessage = (message: unknown, headers: RequestHeaders = {}) =>
  sendMcpRequest({
    method: "POST",
    headers: { ...JSON_HEADERS, accept: BOTH_MEDIA_TYPES, ...headers },
    body: JSON.stringify(message)
  })

interface McpResponse {
  readonly headers: globalThis.Headers
  readonly body: string
}

/** The messages of an answer, whichever media type carries them. */
export const parseMessages = ({ headers, body }: McpResponse): ReadonlyArray<Record<string, unknown>> =>
  headers.get("content-type")?.startsWith("text/event-stream")
    ? body.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
    : [JSON.parse(body)]

export const lastMessageOf = (response: McpResponse) => parseMessages(response).at(-1) ?? {}

/** The envelopes of the tool results in an answer. */
export const parseEnvelopes = (response: McpResponse) =>
  parseMessages(response).map(({ result }) => JSON.parse((result as { content: [{ text: string }] }).content[0].text))

export const rpcErrorOf = (response: McpResponse) => lastMessageOf(response).error as { code: number; message: string }
