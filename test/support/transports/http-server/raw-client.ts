import { connect, type Socket } from "node:net"
import { assert } from "@effect/vitest"
import { Schema } from "effect"

// A client of bytes: what a library would never send, and exactly what came back.

const Envelope = Schema.fromJsonString(
  Schema.Struct({ request_id: Schema.String, error_code: Schema.Int, error_msg: Schema.String })
)
export const decodeEnvelope = Schema.decodeUnknownSync(Envelope)

export class RawClient {
  readonly socket: Socket
  received = ""
  readonly #connectionEnd: Promise<string>

  /** `localAddress`: the address of this machine that the server sees, if not the usual one. */
  constructor(base: string, localAddress?: string) {
    const { port, hostname } = new URL(base)
    this.socket = connect({
      port: Number(port),
      host: hostname,
      allowHalfOpen: true,
      ...(localAddress === undefined ? {} : { localAddress })
    })
    this.socket.setEncoding("utf8").on("data", (text: string) => {
      this.received += text
    })
    this.#connectionEnd = new Promise((resolve, reject) => {
      this.socket.on("end", () => this.socket.end())
      this.socket.on("error", reject)
      this.socket.on("close", () => resolve(this.received))
    })
    // Who never asks how it ended does not care.
    this.#connectionEnd.catch(() => "")
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** Everything that was heard until the server ended the connection; fails for a reset. */
  get receivedUntilEnd(): Promise<string> {
    return this.#connectionEnd
  }

  /** Waits until that was heard. */
  awaitText(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (pattern.test(this.received)) resolve(this.received)
      }
      this.socket.on("data", check)
      this.socket.on("close", () => reject(new Error(`closed; heard: ${this.received}`)))
      check()
    })
  }
}

export interface RawResponse {
  readonly status: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** The answers in what was heard, one after the other; interim ones count. */
export const parseResponses = (text: string): ReadonlyArray<RawResponse> => {
  if (text === "") return []
  const at = text.indexOf("\r\n\r\n")
  assert.isAbove(at, 0, text)
  const [status = "", ...lines] = text.slice(0, at).split("\r\n")
  const headers = new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":")
      return [name.toLowerCase(), value.join(":").trim()]
    })
  )
  const bytes = Buffer.from(text.slice(at + 4))
  const length = Number(headers.get("content-length") ?? 0)
  const rest = parseResponses(bytes.subarray(length).toString())
  return [{ status, headers, body: bytes.subarray(0, length).toString() }, ...rest]
}

/** The refusal that what was heard consists of: the envelope, not to be kept, the last of its connection. */
export const parseRejection = (text: string, status?: string) => {
  const responses = parseResponses(text)
  assert.lengthOf(responses, 1, text)
  return assertRejection(responses[0], status)
}

export const assertRejection = (response: RawResponse | undefined, status = "200 OK") => {
  assert.strictEqual(response?.status, `HTTP/1.1 ${status}`)
  const envelope = decodeEnvelope(response?.body)
  assert.match(envelope.request_id, /^RT\d{14}[0-9A-Z]{8}$/)
  assert.strictEqual(response?.headers.get("x-request-id"), envelope.request_id)
  assert.match(response?.headers.get("content-type") ?? "", /^application\/json/)
  assert.strictEqual(response?.headers.get("connection"), "close")
  assert.strictEqual(response?.headers.get("cache-control"), "no-store")
  return envelope
}
