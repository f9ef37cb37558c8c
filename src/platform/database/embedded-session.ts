import { setImmediate as nextTurn } from "node:timers/promises"
import type { PGlite } from "@electric-sql/pglite"
import { Mutex } from "./mutex.ts"
import { findPanic } from "./panic.ts"

/** Longest run of statements before timers and sockets get a turn. */
const MAX_RUN_MS = 5

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
 * Undoes the changes that a secondary connection made to the session. Settings and named statements of the primary
 * connection stay, because they do not come from SQL.
 */
const RESET_SESSION = simpleQuery(`
  CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; DISCARD TEMP;
  SELECT pg_catalog.pg_advisory_unlock_all();
  DO $$
    DECLARE prepared text;
    BEGIN
      FOR prepared IN SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql LOOP
        EXECUTE pg_catalog.format('DEALLOCATE %I', prepared);
      END LOOP;
    END
  $$`)

const READ_ONLY = simpleQuery("SET default_transaction_read_only = on")
const READ_WRITE = simpleQuery("SET default_transaction_read_only = off")

/** ReadyForQuery outside a transaction. */
const READY_AND_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const isSessionIdle = (answer: Buffer): boolean => answer.subarray(-READY_AND_IDLE.length).equals(READY_AND_IDLE)

/**
 * The only session of an embedded database.
 *
 * One primary connection owns it at a time; the next one waits and gets a session like a new one. A secondary
 * connection gets the session for one statement or transaction, after which the session is restored.
 */
export class EmbeddedSession {
  readonly #database: Pick<PGlite, "close" | "execProtocolRawStream" | "isInTransaction">
  readonly #panicked = Promise.withResolvers<string>()
  readonly panicReason: Promise<string> = this.#panicked.promise
  readonly #sessionMutex = new Mutex()
  /** Secondary connections wait here for each other, so the primary connection waits for at most one of them. */
  readonly #secondaryMutex = new Mutex()
  #free: Promise<void> = Promise.resolve()
  #greeting: Buffer | undefined
  #closed = false
  #readOnly = false
  #lastPause = 0

  constructor(database: Pick<PGlite, "close" | "execProtocolRawStream" | "isInTransaction">) {
    this.#database = database
  }

  readonly acquire = (): Promise<() => void> => {
    const previous = this.#free
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = previous.then(() => promise)
    return previous.then(() => resolve)
  }

  readonly makePrimaryShare = (): SessionShare => new SessionShare(this, [this.#sessionMutex], async () => {})

  readonly makeSecondaryShare = (): SessionShare =>
    new SessionShare(this, [this.#secondaryMutex, this.#sessionMutex], this.#restore)

  readonly respondToStartup = async (startup: Uint8Array, share: SessionShare): Promise<Buffer> => {
    this.#greeting ??= await share.execute(startup)
    return this.#greeting
  }

  /**
   * Executes whole wire messages. The caller must hold the session.
   *
   * `execProtocolRaw` would leak memory, because PGlite keeps every message that passes through it.
   */
  readonly execute = async (messages: Uint8Array): Promise<Buffer> => {
    await this.#letOthersRun()
    if (this.#closed) throw new Error("the embedded database is closed")
    const pieces: Array<Buffer> = []
    await this.#database.execProtocolRawStream(messages, {
      // Copied, because the database reuses this memory for the next piece.
      onRawData: (piece) => pieces.push(Buffer.from(piece))
    })
    const answer = Buffer.concat(pieces)
    const panicReason = findPanic(answer)
    if (panicReason !== undefined) {
      this.#closed = true
      this.#panicked.resolve(panicReason)
    }
    return answer
  }

  /** The caller must hold the session. */
  readonly rollBack = async (): Promise<void> => {
    if (this.#closed) return
    // After a failed statement the session skips everything up to the next Sync.
    await this.execute(SYNC)
    if (this.#database.isInTransaction()) await this.execute(ROLLBACK)
  }

  readonly #restore = async (): Promise<void> => {
    if (!this.#closed) await this.execute(RESET_SESSION)
    await this.#keepReadOnly()
  }

  readonly discardAll = async (): Promise<void> => {
    await this.rollBack()
    if (!this.#closed) await this.execute(DISCARD_ALL)
    await this.#keepReadOnly()
  }

  /** When the promise resolves, the setting applies to all connections. */
  readonly setReadOnly = async (isReadOnly: boolean): Promise<void> => {
    await this.#sessionMutex.acquire()
    this.#readOnly = isReadOnly
    const switched = this.#closed ? Promise.resolve() : this.execute(isReadOnly ? READ_ONLY : READ_WRITE).then(() => {})
    await switched.finally(() => this.#sessionMutex.release())
  }

  readonly #keepReadOnly = async (): Promise<void> => {
    if (this.#readOnly && !this.#closed) await this.execute(READ_ONLY)
  }

  readonly close = async (): Promise<void> => {
    // After a PANIC, closing would never end.
    if (this.#closed) return
    await this.discardAll()
    if (this.#closed) return
    this.#closed = true
    await this.#database.close()
  }

  /** The database runs on this thread. Without pauses, statements would block all timers and sockets. */
  readonly #letOthersRun = async (): Promise<void> => {
    if (performance.now() - this.#lastPause < MAX_RUN_MS) return
    await nextTurn()
    this.#lastPause = performance.now()
  }
}

/** The access of one connection to the session, from its first message to the end of its statement or transaction. */
export class SessionShare {
  readonly #session: EmbeddedSession
  readonly #queues: ReadonlyArray<Mutex>
  readonly #restore: () => Promise<void>
  #held = false

  constructor(session: EmbeddedSession, queues: ReadonlyArray<Mutex>, restore: () => Promise<void>) {
    this.#session = session
    this.#queues = queues
    this.#restore = restore
  }

  get isHeld(): boolean {
    return this.#held
  }

  /** If this fails, the connection is destroyed, which releases the session. */
  async execute(messages: Uint8Array): Promise<Buffer> {
    if (!this.#held) await this.#take()
    const answer = await this.#session.execute(messages)
    if (!isSessionIdle(answer)) return answer
    await this.#restore()
    this.#giveBack()
    return answer
  }

  async release(): Promise<void> {
    if (!this.#held) return
    await this.#session
      .rollBack()
      .then(this.#restore)
      .finally(() => this.#giveBack())
  }

  async reset(): Promise<void> {
    if (!this.#held) await this.#take()
    await this.#session.discardAll().finally(() => this.#giveBack())
  }

  async #take(): Promise<void> {
    for (const queue of this.#queues) {
      const turn = queue.acquire()
      if (turn !== undefined) await turn
    }
    this.#held = true
  }

  #giveBack(): void {
    this.#held = false
    for (const queue of this.#queues.toReversed()) queue.release()
  }
}
