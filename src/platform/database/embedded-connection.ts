import { Duplex } from "node:stream"
import type { EmbeddedSession, SessionShare } from "./embedded-session.ts"
import { FrontendMessageParser, type FrontendMessages } from "./frontend-messages.ts"

export const ENCRYPTION_REFUSED = Buffer.from("N")

export type WriteCallback = (error?: Error | null) => void

export class EmbeddedConnection extends Duplex {
  readonly #session: EmbeddedSession
  readonly #share: SessionShare
  readonly #messages = new FrontendMessageParser()
  #releaseSession: Promise<() => void> | undefined
  #accepting: Promise<void> = Promise.resolve()

  constructor(session: EmbeddedSession) {
    super({ allowHalfOpen: false })
    this.#session = session
    this.#share = session.makePrimaryShare()
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#accepting = this.#accept(this.#messages.push(chunk)).then(() => done(), done)
  }

  override _writev(chunks: Array<{ chunk: Buffer; encoding: BufferEncoding }>, done: WriteCallback): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "utf8", done)
  }

  override _final(done: WriteCallback): void {
    this.#leave().then(() => {
      this.push(null)
      done()
    }, done)
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#leave().then(
      () => done(error),
      (failure) => done(error ?? failure)
    )
  }

  async #accept(received: ReadonlyArray<FrontendMessages>): Promise<void> {
    for (const message of received) {
      switch (message.kind) {
        case "encryption-request":
          this.push(ENCRYPTION_REFUSED)
          break
        case "startup":
          this.#releaseSession = this.#session.acquire()
          await this.#releaseSession
          // The connection may have been destroyed while it waited for the session.
          if (!this.destroyed) this.#answer(await this.#session.respondToStartup(message.bytes, this.#share))
          break
        case "statements":
          if (!this.destroyed) this.#answer(await this.#share.execute(message.bytes))
          break
        // Statements run to their end before the next message is read, so there is never one to cancel.
        case "cancel":
        case "terminate":
        case "too-large":
        case "malformed":
          this.destroy()
          return
      }
    }
  }

  #answer(answer: Buffer): void {
    if (!this.destroyed) this.push(answer)
  }

  async #leave(): Promise<void> {
    const handOn = await this.#releaseSession
    if (handOn === undefined) return
    this.#releaseSession = undefined
    await this.#accepting
    await this.#share.reset().finally(handOn)
  }
}
