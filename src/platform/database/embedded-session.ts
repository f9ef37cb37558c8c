import { setImmediate as nextTurn } from "node:timers/promises"
import type { PGlite } from "@electric-sql/pglite"
import { Mutex } from "./mutex.ts"
import { findPanic } from "./panic.ts"

/** Milliseconds statements may follow one another before timers and sockets get their turn. */
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
 * Undoes what a guest may have set in the session, 0.3 ms. What the owner has stays: its settings are those of its
 * startup, its statements are named over the wire and not in SQL, and of the rest it has nothing.
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

/** ReadyForQuery outside a transaction: the last an answer says when nothing of its client is left open. */
const READY_AND_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const isSessionIdle = (answer: Buffer): boolean => answer.subarray(-READY_AND_IDLE.length).equals(READY_AND_IDLE)

/**
 * The one session an embedded database has.
 *
 * It is lent to one owner after the other: a connection that comes while another is open waits in its startup until that
 * one has gone, and finds a session as fresh as a new one. Beside the owner there may be guests: each has the session
 * from the first message of a statement or transaction to its end, in turn with the owner. What it set is undone with
 * that turn already: a guest may stay for hours.
 */
export class EmbeddedSession {
  readonly #database: Pick<PGlite, "close" | "execProtocolRawStream" | "isInTransaction">
  /** Says why, once the database has given itself up. */
  readonly #panicked = Promise.withResolvers<string>()
  /** Resolves with what it said once the database has given itself up; from then on nothing is asked of it. */
  readonly panicReason: Promise<string> = this.#panicked.promise
  readonly #sessionMutex = new Mutex()
  /** Guests come one after the other, so that the owner waits for one of them however many there are. */
  readonly #secondaryMutex = new Mutex()
  #free: Promise<void> = Promise.resolve()
  #greeting: Buffer | undefined
  #closed = false
  #readOnly = false
  #lastPause = 0

  constructor(database: Pick<PGlite, "close" | "execProtocolRawStream" | "isInTransaction">) {
    this.#database = database
  }

  /** Resolves, once the session is free, with the function that hands it on to the next owner. */
  readonly acquire = (): Promise<() => void> => {
    const previous = this.#free
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = previous.then(() => promise)
    return previous.then(() => resolve)
  }

  /** The share of the owner, to be taken when the session is lent to it. */
  readonly makePrimaryShare = (): SessionShare => new SessionShare(this, [this.#sessionMutex], async () => {})

  /** The share of a guest. */
  readonly makeSecondaryShare = (): SessionShare =>
    new SessionShare(this, [this.#secondaryMutex, this.#sessionMutex], this.#restore)

  /** What the database said to the first startup; the same to every later one. */
  readonly respondToStartup = async (startup: Uint8Array, share: SessionShare): Promise<Buffer> => {
    this.#greeting ??= await share.execute(startup)
    return this.#greeting
  }

  /**
   * Executes whole wire messages and answers with what the database says to all of them. To be called by whoever has
   * the turn.
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
    const answer = Buffer.concat(pieces)
    const panicReason = findPanic(answer)
    if (panicReason !== undefined) {
      this.#closed = true
      this.#panicked.resolve(panicReason)
    }
    return answer
  }

  /** Ends what somebody left open. To be called by whoever has the turn. */
  readonly rollBack = async (): Promise<void> => {
    if (this.#closed) return
    // A session whose last statement failed skips everything up to the next Sync.
    await this.execute(SYNC)
    if (this.#database.isInTransaction()) await this.execute(ROLLBACK)
  }

  /** Gives the owner back the session it had. To be called outside a transaction, by whoever has the turn. */
  readonly #restore = async (): Promise<void> => {
    if (!this.#closed) await this.execute(RESET_SESSION)
    await this.#keepReadOnly()
  }

  /** Nothing is left of transactions, prepared statements, settings and advisory locks. */
  readonly discardAll = async (): Promise<void> => {
    await this.rollBack()
    if (!this.#closed) await this.execute(DISCARD_ALL)
    await this.#keepReadOnly()
  }

  /** From when it resolves on nothing is written, or anything may be again, whoever asks. */
  readonly setReadOnly = async (isReadOnly: boolean): Promise<void> => {
    await this.#sessionMutex.acquire()
    this.#readOnly = isReadOnly
    const switched = this.#closed ? Promise.resolve() : this.execute(isReadOnly ? READ_ONLY : READ_WRITE).then(() => {})
    await switched.finally(() => this.#sessionMutex.release())
  }

  readonly #keepReadOnly = async (): Promise<void> => {
    if (this.#readOnly && !this.#closed) await this.execute(READ_ONLY)
  }

  /** Writes everything out and ends the database. Connections still open fail at their next statement. */
  readonly close = async (): Promise<void> => {
    // One that has given itself up would not come to an end of that.
    if (this.#closed) return
    await this.discardAll()
    if (this.#closed) return
    this.#closed = true
    await this.#database.close()
  }

  /**
   * The database runs on this thread, and a statement that follows at once on the answer to the last one never lets go
   * of it: without a pause now and then every timer and socket of the process would wait for the last statement.
   */
  readonly #letOthersRun = async (): Promise<void> => {
    if (performance.now() - this.#lastPause < MAX_RUN_MS) return
    await nextTurn()
    this.#lastPause = performance.now()
  }
}

/** One connection's share of the session: the session is its own from a first message to the end of what that begins. */
export class SessionShare {
  readonly #session: EmbeddedSession
  readonly #queues: ReadonlyArray<Mutex>
  readonly #restore: () => Promise<void>
  #held = false

  /** `restore` is called when a turn is over, before the next one has it. */
  constructor(session: EmbeddedSession, queues: ReadonlyArray<Mutex>, restore: () => Promise<void>) {
    this.#session = session
    this.#queues = queues
    this.#restore = restore
  }

  /** Whether something is open, for which all others wait. */
  get isHeld(): boolean {
    return this.#held
  }

  /** Executes messages once it is this connection's turn. One that fails ends its connection, which then leaves. */
  async execute(messages: Uint8Array): Promise<Buffer> {
    if (!this.#held) await this.#take()
    const answer = await this.#session.execute(messages)
    if (!isSessionIdle(answer)) return answer
    await this.#restore()
    this.#giveBack()
    return answer
  }

  /** A guest goes: what it left open is undone. */
  async release(): Promise<void> {
    if (!this.#held) return
    await this.#session
      .rollBack()
      .then(this.#restore)
      .finally(() => this.#giveBack())
  }

  /** The owner goes: the next one finds a session as fresh as a new one. */
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
