import http from "node:http"
import https from "node:https"
import { Effect } from "effect"
import { NameNotResolved } from "./AddressResolver.ts"
import { RefusedAddress } from "./checked-lookup.ts"

/** One request over one connection. */
export interface HttpCall {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent: http.Agent
  /** Bytes of the answer's body that are read. */
  readonly most: number
}

export type FailureReason =
  /** The name or the literal leads to an address deliveries may not go to. */
  | "refused_address"
  /** The URL is none, is neither http nor https, or is http to a host that is not on the allow-list. */
  | "refused_url"
  | "dns"
  | "connect"
  | "tls"
  /** The connection ended before the answer did. */
  | "closed"
  /** What came back is not HTTP. */
  | "protocol"
  /** No complete answer in the time of a try. */
  | "timeout"

export interface Read {
  readonly outcome: "answered"
  readonly status: number
  /** By their names in lower case. */
  readonly headers: http.IncomingHttpHeaders
  /** The body, or as much of it as is read. */
  readonly bytes: Buffer
  /** False where the body is longer than what is read of one. */
  readonly whole: boolean
}

export interface Failed {
  readonly outcome: "failed"
  readonly reason: FailureReason
  readonly detail: string
}

/** How far a request came; written while it runs, read when it is given up. */
export interface Progress {
  phase: "connecting" | "securing" | "sent" | "answering"
  /** The connection had served another request before: the receiver may have closed it just now, unseen. */
  reused: boolean
}

const failureOf = (error: NodeJS.ErrnoException, progress: Progress): Failed => {
  const failed = (reason: FailureReason, detail = error.message || (error.code ?? error.name)): Failed => ({
    outcome: "failed",
    reason,
    detail
  })
  if (error instanceof RefusedAddress) return failed("refused_address", error.detail)
  if (error instanceof NameNotResolved) return failed("dns", error.detail)
  if (error.code?.startsWith("HPE_")) return failed("protocol")
  switch (progress.phase) {
    case "connecting":
      // The detail is not the error's message, which names the resolved address. That may be in our own network.
      return failed("connect", error.code ?? error.name)
    case "securing":
      return failed("tls")
    default:
      return failed("closed")
  }
}

/** Notes in `progress` how far the connection of a request is. */
const watchConnection = (request: http.ClientRequest, secure: boolean, progress: Progress) =>
  request.on("socket", (socket) => {
    progress.reused = request.reusedSocket
    if (!socket.connecting) {
      progress.phase = "sent"
      return
    }
    progress.phase = "connecting"
    socket.once("connect", () => {
      progress.phase = secure ? "securing" : "sent"
    })
    socket.once("secureConnect", () => {
      progress.phase = "sent"
    })
  })

/** Reads an answer as far as the limit and says how it ended, perhaps more than once: the first word counts. */
const readAnswer = (
  request: http.ClientRequest,
  response: http.IncomingMessage,
  most: number,
  ended: (how: Read | Failed) => void
) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const answered = () =>
    ended({
      outcome: "answered",
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes: Buffer.concat(chunks).subarray(0, most),
      whole: length <= most
    })
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > most) {
      answered()
      request.destroy()
    }
  })
  response.on("end", answered)
  const detail = `answered ${response.statusCode} and closed the connection before the end`
  response.on("error", () => ended({ outcome: "failed", reason: "closed", detail }))
}

/**
 * Sends the request and reads the answer, following no redirect. An answer longer than the limit counts by its status
 * and costs the connection. Interruption closes the connection.
 */
export const httpCall = (
  { method, url, headers, body, agent, most }: HttpCall,
  progress: Progress
): Effect.Effect<Read | Failed> =>
  Effect.callback((resume) => {
    const ended = (how: Read | Failed) => resume(Effect.succeed(how))
    const secure = url.protocol === "https:"
    const request = (secure ? https : http).request(url, { method, headers, agent })
    watchConnection(request, secure, progress)
    request.on("response", (response) => {
      progress.phase = "answering"
      readAnswer(request, response, most, ended)
    })
    request.on("error", (error) => ended(failureOf(error, progress)))
    // Some ends are no error to Node: a receiver that switches protocols, for one. After an answer has begun this event
    // may overtake the answer's own end, so there it decides nothing.
    request.on("close", () => {
      if (progress.phase === "answering") return
      ended({ outcome: "failed", reason: "closed", detail: "the connection closed without an answer" })
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })
