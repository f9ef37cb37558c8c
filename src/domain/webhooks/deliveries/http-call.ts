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
  readonly maxBytes: number
}

export type HttpFailureReason =
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

export interface HttpResponse {
  readonly outcome: "answered"
  readonly status: number
  /** By their names in lower case. */
  readonly headers: http.IncomingHttpHeaders
  /** The body, or as much of it as is read. */
  readonly bytes: Buffer
  /** False where the body is longer than what is read of one. */
  readonly isComplete: boolean
}

export interface HttpFailure {
  readonly outcome: "failed"
  readonly reason: HttpFailureReason
  readonly detail: string
}

/** How far a request came; written while it runs, read when it is given up. */
export interface HttpCallProgress {
  phase: "connecting" | "securing" | "sent" | "answering"
  /** The connection had served another request before: the receiver may have closed it just now, unseen. */
  reused: boolean
}

const toHttpFailure = (error: NodeJS.ErrnoException, progress: HttpCallProgress): HttpFailure => {
  const failure = (reason: HttpFailureReason, detail = error.message || (error.code ?? error.name)): HttpFailure => ({
    outcome: "failed",
    reason,
    detail
  })
  if (error instanceof RefusedAddress) return failure("refused_address", error.detail)
  if (error instanceof NameNotResolved) return failure("dns", error.detail)
  if (error.code?.startsWith("HPE_")) return failure("protocol")
  switch (progress.phase) {
    case "connecting":
      // The detail is not the error's message, which names the resolved address. That may be in our own network.
      return failure("connect", error.code ?? error.name)
    case "securing":
      return failure("tls")
    default:
      return failure("closed")
  }
}

/** Notes in `progress` how far the connection of a request is. */
const watchConnection = (request: http.ClientRequest, isSecure: boolean, progress: HttpCallProgress) =>
  request.on("socket", (socket) => {
    progress.reused = request.reusedSocket
    if (!socket.connecting) {
      progress.phase = "sent"
      return
    }
    progress.phase = "connecting"
    socket.once("connect", () => {
      progress.phase = isSecure ? "securing" : "sent"
    })
    socket.once("secureConnect", () => {
      progress.phase = "sent"
    })
  })

/** Reads an answer as far as the limit and says how it ended, perhaps more than once: the first word counts. */
const readResponse = (
  request: http.ClientRequest,
  response: http.IncomingMessage,
  maxBytes: number,
  onEnd: (result: HttpResponse | HttpFailure) => void
) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const endWithResponse = () =>
    onEnd({
      outcome: "answered",
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes: Buffer.concat(chunks).subarray(0, maxBytes),
      isComplete: length <= maxBytes
    })
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) {
      endWithResponse()
      request.destroy()
    }
  })
  response.on("end", endWithResponse)
  const detail = `answered ${response.statusCode} and closed the connection before the end`
  response.on("error", () => onEnd({ outcome: "failed", reason: "closed", detail }))
}

/**
 * Sends the request and reads the answer, following no redirect. An answer longer than the limit counts by its status
 * and costs the connection. Interruption closes the connection.
 */
export const sendHttpCall = (
  { method, url, headers, body, agent, maxBytes }: HttpCall,
  progress: HttpCallProgress
): Effect.Effect<HttpResponse | HttpFailure> =>
  Effect.callback((resume) => {
    const onEnd = (result: HttpResponse | HttpFailure) => resume(Effect.succeed(result))
    const isSecure = url.protocol === "https:"
    const request = (isSecure ? https : http).request(url, { method, headers, agent })
    watchConnection(request, isSecure, progress)
    request.on("response", (response) => {
      progress.phase = "answering"
      readResponse(request, response, maxBytes, onEnd)
    })
    request.on("error", (error) => onEnd(toHttpFailure(error, progress)))
    // Some ends are no error to Node: a receiver that switches protocols, for one. After an answer has begun this event
    // may overtake the answer's own end, so there it decides nothing.
    request.on("close", () => {
      if (progress.phase === "answering") return
      onEnd({ outcome: "failed", reason: "closed", detail: "the connection closed without an answer" })
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })
