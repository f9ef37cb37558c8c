import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Predicate } from "effect"
import { BODY_BYTES } from "../../platform/limits.ts"

/**
 * LINGER_MS and LINGER_BYTES limit reading after the last response. An immediate close would send a TCP reset, which
 * can overtake the response.
 */
const LINGER_MS = 500
export const LINGER_BYTES = 32 * 1024 * 1024
const HALF_CLOSED_MS = 500

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export class Connection {
  readonly socket: Socket
  readonly #isStopping: () => boolean
  /** Requests whose responses are not complete, oldest first. */
  readonly #openExchanges: Array<Exchange> = []
  #newestRequest: IncomingMessage | undefined
  #isNewestLast = false
  #isLastWanted = false
  /**
   * `rejecting`: unreadable bytes arrived, and their error follows the earlier responses. `ending`: the last response
   * is decided.
   */
  #state: "accepting" | "rejecting" | "ending" = "accepting"
  #rejectionText: string | undefined
  #idleSince = performance.now()
  /** When bytes of the next request were first noticed. */
  #nextRequestSince: number | undefined
  /** `socket.bytesRead` at the end of the newest request. Later bytes belong to the next request. */
  #bytesOfRequests = 0
  /** When the client last received bytes, or had none to receive. */
  #stalledSince = performance.now()
  #lastProgress = NO_PROGRESS

  constructor(socket: Socket, isStopping: () => boolean) {
    this.socket = socket
    this.#isStopping = isStopping
    socket.once("end", () => this.#checkHalfClosed())
  }

  begin(request: IncomingMessage, response: ServerResponse): boolean {
    this.#nextRequestSince = undefined
    this.#bytesOfRequests = this.socket.bytesRead
    if (!this.acceptsRequests || this.#isNewestLast) return false
    const exchange = { request, response }
    this.#openExchanges.push(exchange)
    this.#newestRequest = request
    this.#isNewestLast = closesConnection(request)
    response.once("close", () => {
      this.#openExchanges.splice(this.#openExchanges.indexOf(exchange), 1)
      this.#idleSince = performance.now()
      this.#bytesOfRequests = this.socket.bytesRead
      if (!request.complete) request.once("close", () => (this.#bytesOfRequests = this.socket.bytesRead))
      this.#endAfterOpenRequests()
    })
    return true
  }

  /** Ends the response when the request's body has arrived, or at {@link LINGER_MS} or {@link LINGER_BYTES}. */
  endAfterBody(request: IncomingMessage, response: ServerResponse, text: string): void {
    response.write(text)
    const end = () => {
      clearTimeout(timer)
      request.pause()
      response.end()
    }
    const timer = setTimeout(end, LINGER_MS)
    discardRemainingBody(request, { maxBytes: LINGER_BYTES, onEnd: end, onTooLong: end })
  }

  /**
   * Discards the rest of a body, so that the next request can be read. A chunked body of more than `BODY_BYTES` ends
   * the connection.
   */
  discardBody(request: IncomingMessage): void {
    discardRemainingBody(request, { maxBytes: BODY_BYTES, onEnd: () => {}, onTooLong: () => this.close() })
  }

  /**
   * Decides whether a response is the connection's last. Only the response to the newest pipelined request can be the
   * last, because Node sends nothing after it.
   */
  decideIsLast(request: IncomingMessage, isWanted: boolean): boolean {
    this.#isLastWanted ||= isWanted
    if (request !== this.#newestRequest || this.#state === "ending") return false
    // While rejecting, the error follows the responses to complete requests. The response to an incomplete request
    // replaces the error, so it is the last.
    const isLast = this.acceptsRequests
      ? this.#isLastWanted || this.#isNewestLast || this.#isStopping() || this.socket.readableEnded
      : !request.complete
    if (isLast) this.#state = "ending"
    return isLast
  }

  /**
   * Milliseconds since the last response, or since bytes of a next request were noticed. Undefined while a request is
   * open.
   */
  idleMs(): number | undefined {
    if (this.#openExchanges.length > 0) return undefined
    return performance.now() - (this.#noticeNextRequest() ?? this.#idleSince)
  }

  /** Whether headers of a next request, or empty lines, have arrived. */
  get isReceiving(): boolean {
    return this.#noticeNextRequest() !== undefined
  }

  /** Milliseconds since the last response, even if bytes of a next request arrived. */
  get msSinceResponse(): number {
    return this.#openExchanges.length > 0 ? 0 : performance.now() - this.#idleSince
  }

  #noticeNextRequest(): number | undefined {
    const isBodyIncomplete = this.#newestRequest?.complete === false
    if (isBodyIncomplete || this.socket.bytesRead === this.#bytesOfRequests) return undefined
    this.#nextRequestSince ??= performance.now()
    return this.#nextRequestSince
  }

  /**
   * Milliseconds in which the client received no bytes. Must be called regularly: it detects progress only between
   * calls.
   */
  stalledMs(): number {
    const now = performance.now()
    const progress = readWriteProgress(this.socket)
    const { waiting, sent, queued } = progress
    if (waiting === 0 || sent !== this.#lastProgress.sent || queued !== this.#lastProgress.queued)
      this.#stalledSince = now
    this.#lastProgress = progress
    return now - this.#stalledSince
  }

  close(): void {
    if (!this.acceptsRequests) return
    this.#state = "ending"
    this.#linger()
  }

  get canReject(): boolean {
    const newest = this.#newestRequest
    if (newest === undefined || newest.complete) return this.socket.bytesRead > 0
    return this.#openExchanges.some(({ request, response }) => request === newest && !response.headersSent)
  }

  get acceptsRequests(): boolean {
    return this.#state === "accepting"
  }

  /** The caller must then call {@link endWith}. */
  rejectMore(): void {
    this.#state = "rejecting"
  }

  /** Sends `text`, which may be empty, after the responses to complete requests. Then ends the connection. */
  endWith(text: string): void {
    if (this.#state === "rejecting") this.#rejectionText = text
    this.#endAfterOpenRequests()
  }

  #endAfterOpenRequests(): void {
    if (this.#state !== "rejecting" || this.#rejectionText === undefined) return
    if (this.#openExchanges.some(({ request, response }) => request.complete || response.headersSent)) return
    const newest = this.#newestRequest
    const hasResponse = newest?.complete === false && !this.#openExchanges.some(({ request }) => request === newest)
    this.#state = "ending"
    if (this.socket.writable) this.#linger(hasResponse ? "" : this.#rejectionText)
  }

  #linger(text = ""): void {
    this.socket.end(text)
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once("close", () => clearTimeout(timer))
  }

  /**
   * Tests whether a half-closed client still waits. Such a client ignores "102 Processing" (RFC 9110, 15.2). If the
   * client is gone, sending fails.
   */
  #checkHalfClosed(): void {
    const timer = setInterval(() => {
      const [oldest] = this.#openExchanges
      if (oldest === undefined) return clearInterval(timer)
      const { request, response } = oldest
      if (request.httpVersion === "1.1" && !response.headersSent) response.writeProcessing()
    }, HALF_CLOSED_MS)
    this.socket.once("close", () => clearInterval(timer))
  }
}

/** Whether the client ends the connection with this request (RFC 9112, 9.3). */
const closesConnection = ({ httpVersion, headers }: IncomingMessage): boolean =>
  headers.connection === undefined ? httpVersion !== "1.1" : CLOSE_OPTION.test(headers.connection)

const CLOSE_OPTION = /\bclose\b/i

interface WriteProgress {
  readonly waiting: number
  readonly sent: number
  readonly queued: number
}

const NO_PROGRESS: WriteProgress = { waiting: 0, sent: 0, queued: 0 }

const readWriteProgress = (socket: Socket): WriteProgress => {
  // Node's socket timeout reads the same private field. That timeout is not used, because received bytes restart it.
  const handle = Predicate.hasProperty(socket, "_handle") ? socket._handle : undefined
  const queued = Predicate.hasProperty(handle, "writeQueueSize") ? handle.writeQueueSize : 0
  return {
    waiting: socket.writableLength,
    sent: socket.bytesWritten - socket.writableLength,
    queued: Predicate.isNumber(queued) ? queued : 0
  }
}

const discardRemainingBody = (
  request: IncomingMessage,
  {
    maxBytes,
    onEnd,
    onTooLong
  }: { readonly maxBytes: number; readonly onEnd: () => void; readonly onTooLong: () => void }
): void => {
  let bytes = 0
  request
    .on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) onTooLong()
    })
    .once("close", onEnd)
    .once("end", onEnd)
}
