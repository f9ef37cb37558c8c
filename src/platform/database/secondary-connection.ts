import { Duplex } from "node:stream"
import { ENCRYPTION_REFUSED, type WriteCallback } from "./embedded-connection.ts"
import type { EmbeddedSession, SessionShare } from "./embedded-session.ts"
import { FrontendMessageParser, type FrontendMessages, hasNamedStatement } from "./frontend-messages.ts"

/** Milliseconds a guest may be silent before its startup, and while all others wait for the end of its transaction. */
const SECONDARY_IDLE_MS = 5_000
/**
 * Milliseconds of a guest's whole transaction, from the answer that leaves it open: all others wait for its end, however
 * much it says. `demo seed`, the longest there is, takes three seconds on a busy machine.
 */
export const SECONDARY_TRANSACTION_MS = 30_000
/** Milliseconds a guest may leave an answer lying; outside a transaction it keeps a place from other commands only. */
const SECONDARY_STALL_MS = 30_000
/** Milliseconds a client gets to take the last word said to it. */
export const FINAL_MESSAGE_MS = 500
/** Bytes of one message of a guest. */
export const SECONDARY_MESSAGE_BYTES = 16 * 1024 * 1024

/** How long a guest may take, in milliseconds, by which clock. */
export interface SecondaryTimeouts {
  readonly idleMs: number
  readonly transactionMs: number
  readonly stallMs: number
  readonly now: () => number
}

const DEFAULT_TIMEOUTS: SecondaryTimeouts = {
  idleMs: SECONDARY_IDLE_MS,
  transactionMs: SECONDARY_TRANSACTION_MS,
  stallMs: SECONDARY_STALL_MS,
  now: () => performance.now()
}

const FATAL_ERRORS = {
  silent: ["25P03", "the transaction was undone: nothing came of it for too long, and others waited"],
  tooLong: ["25P04", "the transaction was undone: it took too long, and others waited; stop the service for it"],
  stalled: ["57P05", "the answer was not taken for too long"],
  malformed: ["08P01", "this is no message of the protocol"],
  tooLarge: ["54000", `a message may have ${SECONDARY_MESSAGE_BYTES} bytes here`],
  named: ["0A000", "statements cannot be named here: the session is shared"],
  tooMany: ["53300", "too many commands run on this service at once; try again when one has ended"]
} as const

/** An error that ends the connection, as PostgreSQL writes it. */
export const encodeFatalError = (error: keyof typeof FATAL_ERRORS): Buffer => {
  const [code, message] = FATAL_ERRORS[error]
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/**
 * A guest's connection to the embedded session: it has the session statement by statement, or transaction by
 * transaction, and reads no further than its client takes the answers. Whatever ends it, nothing it began stays open.
 */
export class SecondaryConnection extends Duplex {
  readonly #session: EmbeddedSession
  readonly #share: SessionShare
  readonly #afterwards: () => void
  readonly #timeouts: SecondaryTimeouts
  readonly #messages = new FrontendMessageParser({ unit: "sync", maxMessageBytes: SECONDARY_MESSAGE_BYTES })
  #accepting: Promise<void> = Promise.resolve()
  #silence: NodeJS.Timeout | undefined
  /** When the transaction that is open was left open first. */
  #openSince: number | undefined
  #drained: (() => void) | undefined
  #ending: Promise<void> | undefined

  /** `afterwards` is called when a statement or a transaction is over. */
  constructor(session: EmbeddedSession, afterTransaction: () => void, timeouts: Partial<SecondaryTimeouts> = {}) {
    super({ allowHalfOpen: false })
    this.#session = session
    this.#share = session.makeSecondaryShare()
    this.#afterwards = afterTransaction
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts }
    this.#expect("silent", this.#timeouts.idleMs)
  }

  override _read(): void {
    this.#drained?.()
    this.#drained = undefined
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: WriteCallback): void {
    const received = this.#ending !== undefined ? [] : this.#messages.push(chunk)
    this.#accepting = this.#accept(received).then(() => done(), done)
  }

  override _final(done: WriteCallback): void {
    this.#end().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#end().then(
      () => done(error),
      (failure) => done(error ?? failure)
    )
  }

  async #accept(received: ReadonlyArray<FrontendMessages>): Promise<void> {
    for (const message of received) {
      if (this.#ending !== undefined) return
      switch (message.kind) {
        case "encryption-request":
          await this.#answer(ENCRYPTION_REFUSED)
          break
        case "startup":
          clearTimeout(this.#silence)
          await this.#answer(await this.#session.respondToStartup(message.bytes, this.#share))
          break
        case "statements":
          await this.#statements(message.bytes)
          break
        case "too-large":
          return this.#refuse("tooLarge")
        case "malformed":
          return this.#refuse("malformed")
        case "cancel":
        case "terminate":
          return this.#refuse(undefined)
      }
    }
  }

  async #statements(bytes: Uint8Array): Promise<void> {
    if (hasNamedStatement(bytes)) return this.#refuse("named")
    clearTimeout(this.#silence)
    const answer = await this.#share.execute(bytes)
    if (this.#share.isHeld) this.#expectMore()
    else {
      this.#openSince = undefined
      this.#afterwards()
    }
    await this.#answer(answer)
  }

  /** A transaction is open: what comes next has to come soon, and the end in all. */
  #expectMore(): void {
    const { idleMs, transactionMs, now } = this.#timeouts
    this.#openSince ??= now()
    const remainingMs = this.#openSince + transactionMs - now()
    // Not by a timer alone: statements that follow at once would put it off for ever.
    if (remainingMs < 0) this.#refuse("tooLong")
    else if (remainingMs < idleMs) this.#expect("tooLong", remainingMs)
    else this.#expect("silent", idleMs)
  }

  #expect(error: "silent" | "tooLong", timeoutMs: number): void {
    this.#silence = setTimeout(() => this.#refuse(error), timeoutMs).unref()
  }

  /** Waits until the client has taken what was sent to it before. */
  async #answer(answer: Buffer): Promise<void> {
    if (this.#ending !== undefined || this.push(answer)) return
    const stallTimer = setTimeout(() => this.#refuse("stalled"), this.#timeouts.stallMs).unref()
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    clearTimeout(stallTimer)
  }

  /** Says why, if there is anything to say, and ends the connection. */
  #refuse(error: keyof typeof FATAL_ERRORS | undefined): void {
    if (this.#ending !== undefined) return
    if (error !== undefined) this.push(encodeFatalError(error))
    this.#end().catch((failure) => this.destroy(failure))
  }

  /** Nothing more is taken from the client; what it left open is undone, once a statement under way is through. */
  #end(): Promise<void> {
    this.#ending ??= this.#leave()
    return this.#ending
  }

  async #leave(): Promise<void> {
    clearTimeout(this.#silence)
    this.#drained?.()
    await this.#accepting
    await this.#share.release()
    this.#afterwards()
    this.push(null)
    // A client that takes nothing any more would never come to the end.
    setTimeout(() => this.destroy(), FINAL_MESSAGE_MS).unref()
  }
}
