import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Predicate } from "effect"

/**
 * Milliseconds and bytes that a client which is still sending is read after its last answer: closed at once, the
 * connection would be reset, and the reset can overtake the answer.
 */
const LINGER_MS = 500
export const LINGER_BYTES = 32 * 1024 * 1024
/** Milliseconds between two looks whether a client that ends its side while a call runs is still there for the answer. */
const HALF_CLOSED_MS = 500

/** A request that was handed over, and what its answer is written to. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** One caller's connection: what of it is under way, and when it has had its last answer. */
export class Connection {
  readonly socket: Socket
  /** Whether every answer from now on is to be the last of its connection. */
  readonly #stopping: () => boolean
  /** Handed over and not answered to the end, in the order they came (a client may send several ahead). */
  readonly #open: Array<Exchange> = []
  #newest: IncomingMessage | undefined
  #lastWanted = false
  /** Takes requests; has refused what came and owes the refusal; is having its last answer. */
  #state: "taking" | "refusing" | "ending" = "taking"
  #parting: string | undefined
  #silentSince = performance.now()
  /** When the first byte came of a request that is not handed over yet. */
  #begunAt: number | undefined
  #stalledSince = performance.now()
  #untaken = nothing

  constructor(socket: Socket, stopping: () => boolean) {
    this.socket = socket
    this.#stopping = stopping
    const destroySoon = socket.destroySoon.bind(socket)
    // How Node ends a connection after its last answer: at once, which is a reset if the client has sent more.
    socket.destroySoon = () => (this.takes || socket.readableEnded ? destroySoon() : this.#linger())
    socket.once("end", () => this.#probe())
    onMessageBegin(socket, () => {
      this.#begunAt = performance.now()
    })
  }

  /** Hands a request over, unless the last answer of the connection is on its way. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#begunAt = undefined
    if (!this.takes) return
    const exchange = { request, response }
    this.#open.push(exchange)
    this.#newest = request
    response.once("finish", () => discardRest(request))
    response.once("close", () => {
      this.#open.splice(this.#open.indexOf(exchange), 1)
      this.#silentSince = performance.now()
      this.#part()
    })
  }

  /** Whether the request was handed over: one that came after the last answer must not be run, nobody would hear of it. */
  has(request: IncomingMessage): boolean {
    return this.#open.some((exchange) => exchange.request === request)
  }

  /**
   * Whether the answer to the request is to say that it is the connection's last; asked when the answer is ready. With
   * several requests sent ahead only the newest one's can be: what comes after a last answer is not sent.
   */
  isLast(request: IncomingMessage, wanted: boolean): boolean {
    this.#lastWanted ||= wanted
    if (request !== this.#newest || this.#state === "ending") return false
    // Refused is what came after it, unless it never came whole: then this is its answer, and the refusal is not sent.
    const due = this.takes ? this.#lastWanted || this.#stopping() || this.socket.readableEnded : !request.complete
    if (due) this.#state = "ending"
    return due
  }

  /**
   * Milliseconds since the last answer (or the start) if no request has been handed over since, whatever bytes have come;
   * where the headers of one are coming, since they began. Undefined: a request is under way.
   */
  get silence(): number | undefined {
    if (this.#open.length > 0) return undefined
    return performance.now() - (this.#begunAt ?? this.#silentSince)
  }

  /** Whether bytes of a request came that is not handed over yet; not those of an answered one's body, nor empty lines. */
  get isComing(): boolean {
    return this.#begunAt !== undefined
  }

  /** Milliseconds for which the client has taken nothing of what is being written to it, between the looks that ask. */
  get stalled(): number {
    const now = performance.now()
    const untaken = untakenOf(this.socket)
    if (untaken.waiting === 0 || untaken.sent !== this.#untaken.sent || untaken.queued !== this.#untaken.queued) {
      this.#stalledSince = now
    }
    this.#untaken = untaken
    return now - this.#stalledSince
  }

  /** Ends a connection on which nothing is under way. */
  close(): void {
    if (!this.takes) return
    this.#state = "ending"
    this.#linger()
  }

  /** Whether the request that is coming, or the one that is to come next, can still be answered. */
  get owesAnswer(): boolean {
    const newest = this.#newest
    if (newest === undefined || newest.complete) return this.socket.bytesRead > 0
    return this.#open.some(({ request, response }) => request === newest && !response.headersSent)
  }

  /** Whether requests are still handed over. */
  get takes(): boolean {
    return this.#state === "taking"
  }

  /** Takes no more requests: what comes cannot be read. {@link part} is to follow. */
  refuseMore(): void {
    this.#state = "refusing"
  }

  /** Ends with these bytes (which may be none), once the whole requests before them are answered. */
  part(text: string): void {
    if (this.#state === "refusing") this.#parting = text
    this.#part()
  }

  #part(): void {
    if (this.#state !== "refusing" || this.#parting === undefined) return
    if (this.#open.some(({ request, response }) => request.complete || response.headersSent)) return
    const newest = this.#newest
    // A request that never came whole may have been answered all the same: not twice.
    const answered = newest !== undefined && !newest.complete && !this.has(newest)
    this.#state = "ending"
    if (this.socket.writable) this.#linger(answered ? "" : this.#parting)
  }

  /** Ends our side, and leaves the client a moment to read and to end its own. */
  #linger(lastWords = ""): void {
    this.socket.end(lastWords)
    const timer = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.once("close", () => clearTimeout(timer))
  }

  /**
   * A client that has ended its side may wait for its answer, or be gone: both look the same, until something is sent.
   * "102 Processing" is what a waiting client passes over (RFC 9110, 15.2), and at a client that is gone it fails.
   */
  #probe(): void {
    const timer = setInterval(() => {
      const [oldest] = this.#open
      if (oldest === undefined) return clearInterval(timer)
      const { request, response } = oldest
      if (request.httpVersion === "1.1" && !response.headersSent) response.writeProcessing()
    }, HALF_CLOSED_MS)
    this.socket.once("close", () => clearInterval(timer))
  }
}

/**
 * Hears when the first byte of a request is read. Node has no public event for it, and nothing else tells such a byte from
 * an empty line; its parser, which forgets this when the connection lets go of it, calls the function at index 0
 * (`HTTPParser.kOnMessageBegin`).
 */
const onMessageBegin = (socket: Socket, heard: () => void): void => {
  if (Predicate.hasProperty(socket, "parser") && Predicate.isObject(socket.parser)) {
    Object.assign(socket.parser, { 0: heard })
  }
}

/** What waits to be written, what went before it, and (a chunk may be large) what the kernel has not taken of its head. */
interface Untaken {
  readonly waiting: number
  readonly sent: number
  readonly queued: number
}

const nothing: Untaken = { waiting: 0, sent: 0, queued: 0 }

const untakenOf = (socket: Socket): Untaken => {
  // Node's own socket timeout looks here as well; but that one is also moved by what the client sends.
  const handle = Predicate.hasProperty(socket, "_handle") ? socket._handle : undefined
  const queued = Predicate.hasProperty(handle, "writeQueueSize") ? handle.writeQueueSize : 0
  return {
    waiting: socket.writableLength,
    sent: socket.bytesWritten - socket.writableLength,
    queued: Predicate.isNumber(queued) ? queued : 0
  }
}

/** Reads past what is left of an answered request's body, so that a client which sends before it reads gets that far. */
const discardRest = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= LINGER_BYTES) return
    request.off("data", count)
    request.pause()
  }
  request.on("data", count)
  request.resume()
}
