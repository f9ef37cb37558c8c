import http from "node:http"
import { Predicate } from "effect"

// Requests as a hand-written client sends them, byte for byte: nothing straightens a path or a text on the way.

/** One answer, whole. */
export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** Milliseconds from the first byte sent to the last one read. */
  readonly ms: number
}

export interface Sent {
  readonly method: string
  /** Path and query, as they go on the wire. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Connections to one service that are kept between requests; as many as are asked for at once. */
export const connections = (most: number): http.Agent => new http.Agent({ keepAlive: true, maxSockets: most })

/** Longest any request of an attack waits, in milliseconds: beyond what is called a fall anywhere. */
export const PATIENCE_MS = 60_000

/** A kept connection was closed by the server, idle, as the request set out: nobody has read it. */
export class IdleConnectionEnded extends Error {}

/** Sends a request; fails where no whole answer comes, or where `signal` hangs up before. */
export const send = (base: string, agent: http.Agent, sent: Sent, signal?: AbortSignal): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const startedAt = performance.now()
    const { method, target: path, headers } = sent
    const options = { hostname, port, method, path, headers, agent, timeout: PATIENCE_MS, ...(signal && { signal }) }
    const request = http.request(options, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("close", () => {
        if (!response.complete) return reject(new Error("the answer broke off"))
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          ms: performance.now() - startedAt
        })
      })
    })
    request.on("timeout", () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)))
    request.on("error", (error: NodeJS.ErrnoException) =>
      reject(request.reusedSocket && error.code === "ECONNRESET" ? new IdleConnectionEnded() : error)
    )
    request.end(sent.body)
  })

/** JSON text of a value, also of those JavaScript would not write: `1e999`, `-0`. */
export const jsonText = (value: unknown): string => Array.from(jsonParts(value)).join("")

/**
 * The same, unless it is longer than `most` characters: undefined then. Lists of one large value cost nothing until they are
 * written, and written they may fill the memory.
 */
export const jsonTextUpTo = (value: unknown, most: number): string | undefined => {
  const parts: Array<string> = []
  let length = 0
  for (const part of jsonParts(value)) {
    length += part.length
    if (length > most) return undefined
    parts.push(part)
  }
  return parts.join("")
}

function* jsonParts(value: unknown): Generator<string> {
  if (typeof value === "number") yield numberText(value)
  else if (Array.isArray(value)) {
    yield "["
    for (const [index, each] of value.entries()) {
      if (index > 0) yield ","
      yield* jsonParts(each)
    }
    yield "]"
  } else if (Predicate.isObject(value)) {
    yield "{"
    for (const [index, [name, each]] of Object.entries(value)
      .filter(([, it]) => it !== undefined)
      .entries()) {
      yield `${index > 0 ? "," : ""}${JSON.stringify(name)}:`
      yield* jsonParts(each)
    }
    yield "}"
  } else yield JSON.stringify(value) ?? "null"
}

const numberText = (value: number): string => {
  if (Object.is(value, -0)) return "-0"
  if (value === Number.POSITIVE_INFINITY) return "1e999"
  return value === Number.NEGATIVE_INFINITY ? "-1e999" : JSON.stringify(value)
}

/** A text in a path or a query; half a character goes as the bytes nobody should send for it. */
export const percentEncoded = (text: string): string =>
  Array.from(text, (character) => (character.isWellFormed() ? encodeURIComponent(character) : halved(character)))
    .join("")
    .replaceAll(".", "%2E")

const halved = (half: string): string => {
  const unit = half.charCodeAt(0)
  const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("")
}
