import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Predicate } from "effect"
import { BODY_BYTES } from "../../platform/limits.ts"

/**
 * Milliseconds and bytes for which a connection is still read after its last response. Closed at once, a connection whose client
 * still sends would be reset, and the reset can overtake the response.
 */
const LINGER_MS = 500
export const LINGER_BYTES = 32 * 1024 * 1024
/** Milliseconds between two checks that a client which has ended its side still waits for its response. */
const HALF_CLOSED_MS = 500

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A connection of a client. It tracks the open requests and decides which response is the last. */
export class Connection {
  readonly socket: Socket
  /** Returns whether the server stops, so that the next response is the last of the connection. */
  readonly #isStopping: () => boolean
  /** Requests without a complete response, in the order in which they came. A client may pipeline. */
  readonly #openExchanges: Array<Exchange> = []
  #newestRequest: IncomingMessage | undefined
  /** Whether the newest request has `Connection: close`, so that its response is the last. */
  #isNewestLast = false
  /** Whether the server wants to close the connection, so that the next possible response is the last. */
  #isLastWanted = false
  /**
   * `rejecting`: the client sent something unreadable, and its error is sent after the responses before it. `ending`: the last response is
   * decided.
   */
  #state: "accepting" | "rejecting" | "ending" = "accepting"
  /** The error that ends the connection, while `rejecting`. */
  #rejectionText: string | undefined
  /** When the last response was complete, or the connection was made. */
  #idleSince = performance.now()
  /** When bytes of the next request were first noticed. */
  #nextRequestSince: number | undefined
  /** Bytes read up to the end of the newest request. Further bytes belong to the next request. */
  #bytesOfRequests = 0
  /** Since when the client has received nothing of a response. */
  #stalledSince = performance.now()
  #lastProgress = NO_PROGRESS

  constructor(socket: Socket, isStopping: () => boolean) {
    this.socket = socket
    this.#isStopping = isStopping
    socket.once("end", () => this.#checkHalfClosed())
  }

  /** Registers a request before it is handled. Returns false if it came after the last response of the connection. */
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

  /**
   * Writes a last response, and ends the connection when the body of its request has arrived, or after {@link LINGER_MS}. Closed at
   * once, the connection would be reset, and the reset can overtake the response.
   */
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
   * Discards the rest of the body of an answered request, so that the next request can be read. A chunked body announces no length: one
   * with more than `BODY_BYTES` ends the connection.
   */
  discardBody(request: IncomingMessage): void {
    discardRemainingBody(request, { maxBytes: BODY_BYTES, onEnd: () => {}, onTooLong: () => this.close() })
  }

  /**
   * Decides whether the response that is about to be written is the last of the connection. With pipelined requests only the response to
   * the newest one can be: Node sends nothing after a last response.
   */
  decideIsLast(request: IncomingMessage, isWanted: boolean): boolean {
    this.#isLastWanted ||= isWanted
    if (request !== this.#newestRequest || this.#state === "ending") return false
    // While rejecting, this request was complete and the error follows it. An incomplete request gets this response alone.
    const isLast = this.acceptsRequests
      ? this.#isLastWanted || this.#isNewestLast || this.#isStopping() || this.socket.readableEnded
      : !request.complete
    if (isLast) this.#state = "ending"
    return isLast
  }

  /**
   * Returns for how many milliseconds the connection has been idle. Returns undefined while a request is open. Where bytes of a next
   * request have come, counts from the first call that noticed them.
   */
  idleMs(): number | undefined {
    if (this.#openExchanges.length > 0) return undefined
    return performance.now() - (this.#noticeNextRequest() ?? this.#idleSince)
  }

  /** Whether bytes have come since the last request. They are the headers of the next one, or empty lines. */
  get isReceiving(): boolean {
    return this.#noticeNextRequest() !== undefined
  }

  /** Milliseconds since the last response, or since the connection was made, whatever bytes have come since. */
  get msSinceResponse(): number {
    return this.#openExchanges.length > 0 ? 0 : performance.now() - this.#idleSince
  }

  #noticeNextRequest(): number | undefined {
    const isBodyIncomplete = this.#newestRequest?.complete === false
    if (isBodyIncomplete || this.socket.bytesRead === this.#bytesOfRequests) return undefined
    this.#nextRequestSince ??= performance.now()
    return this.#nextRequestSince
  }

  /** Returns for how many milliseconds the client has received nothing of a response, as seen by repeated calls. */
  stalledMs(): number {
    const now = performance.now()
    const progress = readWriteProgress(this.socket)
    const { waiting, sent, queued } = progress
    if (waiting === 0 || sent !== this.#lastProgress.sent || queued !== this.#lastProgress.queued)
      this.#stalledSince = now
    this.#lastProgress = progress
    return now - this.#stalledSince
  }

  /** Ends a connection without open requests. */
  close(): void {
    if (!this.acceptsRequests) return
    this.#state = "ending"
    this.#linger()
  }

  /** Whether the response to unreadable bytes can still be sent. */
  get canReject(): boolean {
    const newest = this.#newestRequest
    if (newest === undefined || newest.complete) return this.socket.bytesRead > 0
    return this.#openExchanges.some(({ request, response }) => request === newest && !response.headersSent)
  }

  get acceptsRequests(): boolean {
    return this.#state === "accepting"
  }

  /** Accepts no more requests, because the client sent something unreadable. {@link endWith} must follow. */
  rejectMore(): void {
    this.#state = "rejecting"
  }

  /** Sends a text, which may be empty, after the responses to the complete requests before it, and ends the connection. */
  endWith(text: string): void {
    if (this.#state === "rejecting") this.#rejectionText = text
    this.#endAfterOpenRequests()
  }

  #endAfterOpenRequests(): void {
    if (this.#state !== "rejecting" || this.#rejectionText === undefined) return
    if (this.#openExchanges.some(({ request, response }) => request.complete || response.headersSent)) return
    const newest = this.#newestRequest
    // An incomplete request may have its response already.
    const hasResponse = newest?.complete === false && !this.#openExchanges.some(({ request }) => request === newest)
    this.#state = "ending"
    if (this.socket.writable) this.#linger(hasResponse ? "" : this.#rejectionText)
  }

  /** Ends our side, and closes the connection when the client has ended its own, or after {@link LINGER_MS}. */
  #linger(text = ""): void {
    this.socket.end(text)
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once("close", () => clearTimeout(timer))
  }

  /**
   * A client that has ended its side may wait for its response, or be gone. Sending "102 Processing" tells: a waiting client ignores it
   * (RFC 9110, 15.2), and to a client that is gone it fails.
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

/** RFC 9112, 9.3. */
const closesConnection = ({ httpVersion, headers }: IncomingMessage): boolean =>
  headers.connection === undefined ? httpVersion !== "1.1" : CLOSE_OPTION.test(headers.connection)

const CLOSE_OPTION = /\bclose\b/i

/** The bytes of responses on a socket. */
interface WriteProgress {
  /** Bytes that wait in this process. */
  readonly waiting: number
  /** Bytes that were passed to the kernel. */
  readonly sent: number
  /** Bytes of these that the kernel has not sent. */
  readonly queued: number
}

const NO_PROGRESS: WriteProgress = { waiting: 0, sent: 0, queued: 0 }

const readWriteProgress = (socket: Socket): WriteProgress => {
  // Node's own socket timeout reads the same field, but bytes from the client restart that timeout.
  const handle = Predicate.hasProperty(socket, "_handle") ? socket._handle : undefined
  const queued = Predicate.hasProperty(handle, "writeQueueSize") ? handle.writeQueueSize : 0
  return {
    waiting: socket.writableLength,
    sent: socket.bytesWritten - socket.writableLength,
    queued: Predicate.isNumber(queued) ? queued : 0
  }
}

/** Reads and discards the rest of a body. Runs `onTooLong` once it has more than `maxBytes`. */
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
