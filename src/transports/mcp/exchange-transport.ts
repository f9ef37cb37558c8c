import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from "@modelcontextprotocol/server"
import type { McpExchange } from "./McpExchange.ts"

interface OpenRequest {
  readonly exchange: McpExchange
  readonly clientId: RequestId
  readonly respond: (message: JSONRPCMessage) => void
}

/** Two clients may choose the same request id, so each request gets its own id here. */
export class ExchangeTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  #lastId = 0
  readonly #open = new Map<RequestId, OpenRequest>()

  start(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.onclose?.()
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    const id = "id" in message ? message.id : undefined
    const request = id === undefined ? undefined : this.#open.get(id)
    if (id !== undefined && request !== undefined) {
      this.#open.delete(id)
      request.respond({ ...message, id: request.clientId })
    }
    return Promise.resolve()
  }

  findExchange(id: RequestId): McpExchange | undefined {
    return this.#open.get(id)?.exchange
  }

  /** If the client disconnects, the request is cancelled and the promise never resolves. */
  request(exchange: McpExchange, message: JSONRPCRequest, signal: AbortSignal): Promise<JSONRPCMessage> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#open.set(id, { exchange, clientId: message.id, respond: resolve })
      signal.addEventListener("abort", () => this.#cancel(id), { once: true })
      this.onmessage?.({ ...message, id })
    })
  }

  #cancel(id: RequestId): void {
    if (!this.#open.delete(id)) return
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
  }
}
