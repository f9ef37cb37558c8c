// The service as an agent sees it, by the tool endpoint, and as a check looks behind it, by REST.

export type Fields = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Fields
}

/** What a call is answered. */
export interface Envelope {
  readonly error_code: number
  readonly error_msg: string
  // What it holds is the tool's: tasks know their own.
  // biome-ignore lint/suspicious/noExplicitAny: JSON that each task reads for itself
  readonly data: any
}

/** Milliseconds a call of the service may take. */
const CALL_MS = 30_000

export class Service {
  readonly base: string
  readonly token: string
  constructor(base: string, token: string) {
    this.base = base
    this.token = token
  }

  async #rpc(method: string, params: Fields): Promise<Fields> {
    const response = await fetch(`${this.base}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.token}`,
        "content-type": "application/json",
        accept: "application/json",
        "mcp-protocol-version": "2025-11-25"
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_MS)
    })
    const { result, error } = Object(await response.json())
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  /** What the service tells every agent. */
  async instructions(): Promise<string> {
    const clientInfo = { name: "latchkey-evaluate", version: "1" }
    const told = await this.#rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
    return String(told["instructions"])
  }

  async tools(): Promise<ReadonlyArray<Tool>> {
    return Object(await this.#rpc("tools/list", {})).tools
  }

  /** The texts of a tool's result: the envelope, and what it says beside. */
  async texts(name: string, args: Fields): Promise<ReadonlyArray<string>> {
    const { content } = Object(await this.#rpc("tools/call", { name, arguments: args }))
    return content.map((each: { readonly text: string }) => each.text)
  }

  async rest(method: string, path: string, body?: Fields): Promise<Envelope> {
    const response = await fetch(`${this.base}/v3${path}`, {
      method,
      headers: { "service-access-token": this.token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS)
    })
    return Object(await response.json())
  }

  /** What a look or a preparation must be answered for the evaluation to make sense. */
  async data(method: string, path: string, body?: Fields): Promise<Envelope["data"]> {
    const { error_code, error_msg, data } = await this.rest(method, path, body)
    if (error_code !== 0) throw new Error(`${method} ${path}: ${error_code} ${error_msg}`)
    return data
  }
}
