/** Complete messages of a client (PostgreSQL documentation, "Message Formats"). */
export type FrontendMessages =
  | { readonly kind: "encryption-request" }
  | { readonly kind: "cancel" }
  | { readonly kind: "startup"; readonly bytes: Uint8Array }
  | { readonly kind: "terminate" }
  | { readonly kind: "statements"; readonly bytes: Uint8Array }
  | { readonly kind: "too-large" }
  /** The parser reads nothing after this message, because the database would search for its end forever. */
  | { readonly kind: "malformed" }

const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104

const LENGTH_BYTES = 4
const TERMINATE = "X".charCodeAt(0)
const PASSWORD = "p".charCodeAt(0)
const PARSE = "P".charCodeAt(0)
const MESSAGE_TYPES: ReadonlySet<number | undefined> = new Set(
  ["B", "C", "D", "E", "F", "H", "P", "Q", "S", "X", "c", "d", "f", "p"].map((type) => type.charCodeAt(0))
)
const READY_FOR_QUERY_TYPES: ReadonlySet<number | undefined> = new Set(
  ["S", "Q", "F"].map((type) => type.charCodeAt(0))
)

interface ParserOptions {
  /** With `chunk`, messages are passed on as they arrived. With `sync`, they are split after `READY_FOR_QUERY_TYPES`. */
  readonly unit: "chunk" | "sync"
  readonly maxMessageBytes: number
}

export const hasNamedStatement = (messages: Uint8Array): boolean => {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength)
  let offset = 0
  while (offset < messages.length) {
    if (messages[offset] === PARSE && messages[offset + 1 + LENGTH_BYTES] !== 0) return true
    offset += 1 + view.getInt32(offset + 1)
  }
  return false
}

/** Waits for whole messages, because the database would execute an incomplete message. */
export class FrontendMessageParser {
  readonly #gathering: ParserOptions
  #pending: Buffer = Buffer.alloc(0)
  /** Joined only when enough bytes have arrived, because joining each chunk would copy a long message repeatedly. */
  #chunks: Array<Uint8Array> = []
  #bytes = 0
  #needed = 0
  #started = false

  constructor(options: ParserOptions = { unit: "chunk", maxMessageBytes: Number.POSITIVE_INFINITY }) {
    this.#gathering = options
  }

  push(chunk: Uint8Array): ReadonlyArray<FrontendMessages> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#needed) return []
    this.#join(chunk)
    const messages = this.#takeAll()
    this.#bytes = this.#pending.length
    return messages
  }

  #join(last: Uint8Array): void {
    this.#pending =
      this.#bytes === last.length
        ? Buffer.from(last.buffer, last.byteOffset, last.byteLength)
        : Buffer.concat([this.#pending, ...this.#chunks])
    this.#chunks = []
  }

  #takeAll(): ReadonlyArray<FrontendMessages> {
    const messages: Array<FrontendMessages> = []
    while (!this.#started) {
      const opening = this.#takeOpening()
      if (opening === undefined) return messages
      messages.push(opening)
      if (opening.kind === "too-large" || opening.kind === "malformed") return messages
    }
    this.#takeStatements(messages)
    return messages
  }

  /** Messages before the startup have no type byte. */
  #takeOpening(): FrontendMessages | undefined {
    this.#needed = 2 * LENGTH_BYTES
    if (this.#pending.length < this.#needed) return undefined
    const length = this.#pending.readInt32BE(0)
    if (length > this.#gathering.maxMessageBytes) return { kind: "too-large" }
    if (length < this.#needed) return { kind: "malformed" }
    this.#needed = length
    if (this.#pending.length < this.#needed) return undefined
    const code = this.#pending.readInt32BE(LENGTH_BYTES)
    const bytes = this.#take(this.#needed)
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: "encryption-request" }
    if (code === CANCEL_REQUEST) return { kind: "cancel" }
    this.#started = true
    return { kind: "startup", bytes }
  }

  #takeStatements(messages: Array<FrontendMessages>): void {
    let end = 0
    const flush = () => {
      if (end > 0) messages.push({ kind: "statements", bytes: this.#take(end) })
      end = 0
    }
    this.#needed = 1 + LENGTH_BYTES
    while (this.#pending.length >= end + 1 + LENGTH_BYTES) {
      const type = this.#pending[end]
      const length = this.#pending.readInt32BE(end + 1)
      const size = 1 + length
      if (!MESSAGE_TYPES.has(type) || length < LENGTH_BYTES || size > this.#gathering.maxMessageBytes) {
        flush()
        messages.push({ kind: MESSAGE_TYPES.has(type) && length >= LENGTH_BYTES ? "too-large" : "malformed" })
        return
      }
      if (this.#pending.length < end + size) {
        this.#needed = size
        break
      }
      if (type === TERMINATE || type === PASSWORD) {
        flush()
        this.#take(size)
        // Password messages are dropped, because the database requests no password.
        if (type === TERMINATE) messages.push({ kind: "terminate" })
      } else {
        end += size
        if (this.#gathering.unit === "sync" && READY_FOR_QUERY_TYPES.has(type)) flush()
      }
    }
    flush()
  }

  #take(length: number): Buffer {
    const bytes = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return bytes
  }
}
