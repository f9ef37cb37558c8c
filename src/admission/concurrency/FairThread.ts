import { RoundRobin } from "./RoundRobin.ts"

/** Milliseconds answers may be built one after the other before sockets get their share: a longer one is built to its end. */
export const BUILDING_RUN_MS = 5

/** Goes on with building an answer, at once and to its end. */
export type GoOn = () => void

/** What is to be known of the thread; swapped in tests. */
export interface Thread {
  /** Milliseconds since any moment. */
  readonly now: () => number
  /** Runs it in the next iteration of the event loop, after timers and sockets. */
  readonly later: (run: () => void) => void
}

/** An iteration of the event loop that takes no longer had nothing to do for sockets. */
const QUIET_ITERATION_MS = 0.3
/** Longest that sockets go before building, in milliseconds. */
const SOCKETS_MS = 50

const thisThread: Thread = { now: () => performance.now(), later: (run) => void setImmediate(run) }

/**
 * Whose answer is built next on the one thread of the process. Answers may follow one another for BUILDING_RUN_MS; then
 * sockets go before the next, so that many large answers hold nobody's request back longer than one of them. Sockets that
 * have much to do get as long as the building took: the event loop takes one new connection an iteration, and two hundred
 * that come together would else each wait for an answer to be built. Operators that wait are served in turn (see
 * {@link RoundRobin}): an operator waits for one answer of each other operator, not for all that one of them asked for.
 */
export class FairThread {
  readonly #thread: Thread
  /** When the first answer of this iteration was begun; undefined before it. */
  #since: number | undefined
  readonly #waiting = new RoundRobin<GoOn>()
  /** Operators served in this iteration that wait again: until the next, whoever comes goes before them. */
  readonly #served = new Set<number>()
  /** When the last building ended and how long it took, and when the loop came by last. */
  #ended = 0
  #took = 0
  #cameBy = 0

  constructor(thread: Thread = thisThread) {
    this.#thread = thread
  }

  /** Whether an answer may be built at once. */
  free(): boolean {
    if (this.#since === undefined) {
      this.#since = this.#thread.now()
      this.#thread.later(this.#iterate)
      return true
    }
    return this.#waiting.operators === 0 && !this.#over(this.#since)
  }

  /** Waits after {@link free} said no. Answers what stops waiting. */
  wait(operator: number, goOn: GoOn): () => void {
    this.#waiting.add(operator, goOn)
    return () => void this.#waiting.withdraw(operator, goOn)
  }

  #over(since: number): boolean {
    return this.#thread.now() - since >= BUILDING_RUN_MS
  }

  readonly #iterate = (): void => {
    for (const operator of this.#served) this.#waiting.toEnd(operator)
    this.#served.clear()
    if (this.#waiting.operators === 0) {
      this.#since = undefined
      return
    }
    this.#thread.later(this.#iterate)
    const now = this.#thread.now()
    const busy = now - this.#cameBy > QUIET_ITERATION_MS && now - this.#ended < this.#took
    this.#cameBy = now
    if (!busy) this.#build(now)
  }

  #build(since: number): void {
    this.#since = since
    while (this.#serveNext() && !this.#over(since)) {}
    this.#ended = this.#thread.now()
    this.#took = Math.min(this.#ended - since, SOCKETS_MS)
    this.#cameBy = this.#ended
  }

  /** False: everybody who waits was served in this iteration. */
  #serveNext(): boolean {
    const next = this.#waiting.next((operator) => !this.#served.has(operator))
    if (next === undefined) return false
    if (this.#waiting.waiting(next.operator) > 0) this.#served.add(next.operator)
    next.item()
    return true
  }
}
