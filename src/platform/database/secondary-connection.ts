import { Duplex } from "node:stream"
import { ENCRYPTION_REFUSED, type WriteCallback } from "./embedded-connection.ts"
import type { EmbeddedSession, SessionShare } from "./embedded-session.ts"
import { FrontendMessageParser, type FrontendMessages, hasNamedStatement } from "./frontend-messages.ts"

/**
 * Longest pause of a client before its startup message, and between the messages of a transaction. The second pause is
 * limited because all other callers wait for an open transaction.
 */
const SECONDARY_IDLE_MS = 5_000
/** The transaction that fills the demo takes some seconds, but more than 30 on a slow machine that runs tests. */
export const SECONDARY_TRANSACTION_MS = 60_000
const SECONDARY_STALL_MS = 30_000
export const FINAL_MESSAGE_MS = 500
export const SECONDARY_MESSAGE_BYTES = 16 * 1024 * 1024

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

export const encodeFatalError = (error: keyof typeof FATAL_ERRORS): Buffer => {
  const [code, message] = FATAL_ERRORS[error]
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/**
 * Holds the embedded session for one statement or transaction. It stops reading while its client does not read
 * responses. At its end, an open transaction is rolled back.
 */
export class SecondaryConnection extends Duplex {
  readonly #session: EmbeddedSession
  readonly #share: SessionShare
  readonly #afterwards: () => void
  readonly #timeouts: SecondaryTimeouts
  readonly #messages = new FrontendMessageParser({ unit: "sync", maxMessageBytes: SECONDARY_MESSAGE_BYTES })
  #accepting: Promise<void> = Promise.resolve()
  #silence: NodeJS.Timeout | undefined
  #openSince: number | undefined
  #drained: (() => void) | undefined
  #ending: Promise<void> | undefined

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

  #expectMore(): void {
    const { idleMs, transactionMs, now } = this.#timeouts
    this.#openSince ??= now()
    const remainingMs = this.#openSince + transactionMs - now()
    // Checked here too, because a timer never fires while statements follow each other at once.
    if (remainingMs < 0) this.#refuse("tooLong")
    else if (remainingMs < idleMs) this.#expect("tooLong", remainingMs)
    else this.#expect("silent", idleMs)
  }

  #expect(error: "silent" | "tooLong", timeoutMs: number): void {
    this.#silence = setTimeout(() => this.#refuse(error), timeoutMs).unref()
  }

  async #answer(answer: Buffer): Promise<void> {
    if (this.#ending !== undefined || this.push(answer)) return
    const stallTimer = setTimeout(() => this.#refuse("stalled"), this.#timeouts.stallMs).unref()
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    clearTimeout(stallTimer)
  }

  #refuse(error: keyof typeof FATAL_ERRORS | undefined): void {
    if (this.#ending !== undefined) return
    if (error !== undefined) this.push(encodeFatalError(error))
    this.#end().catch((failure) => this.destroy(failure))
  }

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
    // Ends the connection of a client that reads nothing.
    setTimeout(() => this.destroy(), FINAL_MESSAGE_MS).unref()
  }
}
