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
  heard = ""
  readonly #ended: Promise<string>

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
      this.heard += text
    })
    this.#ended = new Promise((resolve, reject) => {
      this.socket.on("end", () => this.socket.end())
      this.socket.on("error", reject)
      this.socket.on("close", () => resolve(this.heard))
    })
    // Who never asks how it ended does not care.
    this.#ended.catch(() => "")
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** Everything that was heard until the server ended the connection; fails for a reset. */
  get ended(): Promise<string> {
    return this.#ended
  }

  /** Waits until that was heard. */
  hears(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (pattern.test(this.heard)) resolve(this.heard)
      }
      this.socket.on("data", look)
      this.socket.on("close", () => reject(new Error(`closed; heard: ${this.heard}`)))
      look()
    })
  }
}

export interface RawResponse {
  readonly status: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** The answers in what was heard, one after the other; interim ones count. */
export const parseResponses = (heard: string): ReadonlyArray<RawResponse> => {
  if (heard === "") return []
  const at = heard.indexOf("\r\n\r\n")
  assert.isAbove(at, 0, heard)
  const [status = "", ...lines] = heard.slice(0, at).split("\r\n")
  const headers = new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":")
      return [name.toLowerCase(), value.join(":").trim()]
    })
  )
  const bytes = Buffer.from(heard.slice(at + 4))
  const length = Number(headers.get("content-length") ?? 0)
  const rest = parseResponses(bytes.subarray(length).toString())
  return [{ status, headers, body: bytes.subarray(0, length).toString() }, ...rest]
}

/** The refusal that what was heard consists of: the envelope, not to be kept, the last of its connection. */
export const parseRejection = (heard: string, status?: string) => {
  const answers = parseResponses(heard)
  assert.lengthOf(answers, 1, heard)
  return toRejection(answers[0], status)
}

export const toRejection = (answer: RawResponse | undefined, status = "200 OK") => {
  assert.strictEqual(answer?.status, `HTTP/1.1 ${status}`)
  const envelope = decodeEnvelope(answer?.body)
  assert.match(envelope.request_id, /^RT\d{14}[0-9A-Z]{8}$/)
  assert.strictEqual(answer?.headers.get("x-request-id"), envelope.request_id)
  assert.match(answer?.headers.get("content-type") ?? "", /^application\/json/)
  assert.strictEqual(answer?.headers.get("connection"), "close")
  assert.strictEqual(answer?.headers.get("cache-control"), "no-store")
  return envelope
}
