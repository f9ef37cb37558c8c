import http from "node:http"
import https from "node:https"
import { Effect } from "effect"
import { NameNotResolved } from "./AddressResolver.ts"
import { RefusedAddress } from "./checked-lookup.ts"

export interface HttpCall {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent: http.Agent
  readonly maxBytes: number
}

export type HttpFailureReason =
  | "refused_address"
  /** The URL is invalid, neither http nor https, or http to a host that is not allow-listed. */
  | "refused_url"
  | "dns"
  | "connect"
  | "tls"
  /** The connection ended before the response did. */
  | "closed"
  | "protocol"
  | "timeout"

export interface HttpResponse {
  readonly outcome: "answered"
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** At most {@link HttpCall.maxBytes}. */
  readonly bytes: Buffer
  /** False if the body was cut off. */
  readonly isComplete: boolean
}

export interface HttpFailure {
  readonly outcome: "failed"
  readonly reason: HttpFailureReason
  readonly detail: string
}

export interface HttpCallProgress {
  phase: "connecting" | "securing" | "sent" | "answering"
  /** True for a connection from the pool, which the receiver may just have closed. */
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
      // The error's message would reveal the resolved address, which may be in our own network.
      return failure("connect", error.code ?? error.name)
    case "securing":
      return failure("tls")
    default:
      return failure("closed")
  }
}

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

/** May call `onEnd` several times. Only the first call counts. */
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

/** Follows no redirects. If the body is too long or the fiber is interrupted, the connection is closed. */
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
    // Node reports some closed connections only here. During a response, `close` may come before its `end`.
    request.on("close", () => {
      if (progress.phase === "answering") return
      onEnd({ outcome: "failed", reason: "closed", detail: "the connection closed without an answer" })
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })
