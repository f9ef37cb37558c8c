import { Duplex } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { PGlite } from "@electric-sql/pglite"
import { EMBEDDED_LONGEST_RUN_MS } from "../limits.ts"
import { FrontendMessageGatherer } from "./frontend-messages.ts"

const ENCRYPTION_REFUSED = Buffer.from("N")
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

const simpleQuery = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.from([0x51, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const ROLLBACK = simpleQuery("ROLLBACK")
const DISCARD_ALL = simpleQuery("DISCARD ALL")

/**
 * The one session an embedded database has, lent to one connection after the other. A connection that comes while
 * another is open waits in its startup until that one has gone, and finds a session as fresh as a new one: nothing of
 * its predecessor's transaction, prepared statements, settings or advisory locks is left.
 */
export class EmbeddedSession {
  readonly #database: PGlite
  #free: Promise<void> = Promise.resolve()
  #closed = false
  #lastPause = 0

  constructor(database: PGlite) {
    this.#database = database
  }

  /** What `PgClient` takes for a socket. */
  readonly connect = (): Duplex => new EmbeddedConnection(this)

  /** Resolves, once the session is free, with the function that gives it back (calling it again does nothing). */
  readonly lend = (): Promise<() => Promise<void>> => {
    const before = this.#free
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = before.then(() => promise)
    let returned = false
    return before.then(() => () => {
      if (returned) return Promise.resolve()
      returned = true
      return this.#clear().finally(resolve)
    })
  }

  /**
   * Executes whole wire messages and answers with what the database says to all of them.
   *
   * `execProtocolRaw` would do as well, but PGlite keeps every message it ever answered that way in memory.
   */
  readonly execute = async (messages: Uint8Array): Promise<Buffer> => {
    await this.#letOthersRun()
    if (this.#closed) throw new Error("the embedded database is closed")
    const pieces: Array<Buffer> = []
    await this.#database.execProtocolRawStream(messages, {
      // The piece is a window into the memory of the database, which writes the next one over it.
      onRawData: (piece) => pieces.push(Buffer.from(piece))
    })
    return Buffer.concat(pieces)
  }

  /** Writes everything out and ends the database. Connections still open fail at their next statement. */
  readonly close = async (): Promise<void> => {
    await this.#clear()
    this.#closed = true
    await this.#database.close()
  }

  /**
   * The database runs on this thread, and a statement that follows at once on the answer to the last one never lets go
   * of it: without a pause now and then every timer and socket of the process would wait for the last statement.
   */
  readonly #letOthersRun = async (): Promise<void> => {
    if (performance.now() - this.#lastPause < EMBEDDED_LONGEST_RUN_MS) return
    await nextTurn()
    this.#lastPause = performance.now()
  }

  readonly #clear = async (): Promise<void> => {
    if (this.#closed) return
    // A session whose last statement failed skips everything up to the next Sync.
    await this.execute(SYNC)
    if (this.#database.isInTransaction()) await this.execute(ROLLBACK)
    await this.execute(DISCARD_ALL)
  }
}

type Done = (error?: Error | null) => void

class EmbeddedConnection extends Duplex {
  readonly #session: EmbeddedSession
  readonly #messages = new FrontendMessageGatherer()
  #giveBack: Promise<() => Promise<void>> | undefined

  constructor(session: EmbeddedSession) {
    super({ allowHalfOpen: false })
    this.#session = session
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#accept(chunk).then(() => done(), done)
  }

  /** What was written while the database was busy is handed over in one go. */
  override _writev(chunks: Array<{ chunk: Buffer; encoding: BufferEncoding }>, done: Done): void {
    this.#accept(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _final(done: Done): void {
    this.#leave().then(() => {
      this.push(null)
      done()
    }, done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#leave().then(
      () => done(error),
      (failure) => done(error ?? failure)
    )
  }

  async #accept(chunk: Buffer): Promise<void> {
    for (const message of this.#messages.push(chunk)) {
      switch (message.kind) {
        case "encryption-request":
          this.push(ENCRYPTION_REFUSED)
          break
        case "startup":
          this.#giveBack = this.#session.lend()
          await this.#giveBack
          await this.#execute(message.bytes)
          break
        case "statements":
          await this.#execute(message.bytes)
          break
        // A statement runs to its end before anything else is read, so there is never one left to cancel.
        case "cancel":
        case "terminate":
          this.destroy()
          return
      }
    }
  }

  async #execute(messages: Uint8Array): Promise<void> {
    // Destroyed while it waited for its turn: the session has gone to the next one.
    if (this.destroyed) return
    const answer = await this.#session.execute(messages)
    if (!this.destroyed) this.push(answer)
  }

  async #leave(): Promise<void> {
    const giveBack = await this.#giveBack
    await giveBack?.()
  }
}
