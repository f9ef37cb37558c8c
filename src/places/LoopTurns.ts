import { BUILDING_RUN_MS } from "../limits.ts"

/** Goes on with building an answer, at once and to its end. */
export type GoOn = () => void

/** What turns need to know of the thread; swapped in tests. */
export interface Thread {
  /** Milliseconds since any moment. */
  readonly now: () => number
  /** Runs it once timers and sockets had their turn. */
  readonly later: (run: () => void) => void
}

/** A turn of the event loop that takes no longer had nothing to do for sockets. */
const QUIET_TURN_MS = 0.3
/** Longest that sockets go before building, in milliseconds. */
const SOCKETS_MS = 50

const thisThread: Thread = { now: () => performance.now(), later: (run) => void setImmediate(run) }

/**
 * When answers are built on the one thread of the process. They may follow one another for BUILDING_RUN_MS; then sockets
 * get their turn before the next, so that many large answers hold nobody's request back longer than one of them. Sockets
 * that have much to do get as long as the building took: the event loop takes one new connection a turn, and two hundred
 * that come together would else each wait for an answer to be built. Those that wait go on in turn between operators: an
 * operator waits for one answer of each other operator, not for all that one of them asked for.
 */
export class LoopTurns {
  readonly #thread: Thread
  /** When the first answer of this turn of the event loop was begun; undefined before it. */
  #since: number | undefined
  /** Operators that wait, the one whose turn it is first; each with its answers, oldest first. */
  readonly #waiting = new Map<number, Array<GoOn>>()
  /** Operators served in this turn of the loop that wait again: behind whoever comes until the next. */
  #again: Array<[number, Array<GoOn>]> = []
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
      this.#thread.later(this.#turn)
      return true
    }
    return this.#waiting.size === 0 && this.#again.length === 0 && !this.#over(this.#since)
  }

  /** Waits after {@link free} said no. Answers what stops waiting. */
  wait(operator: number, goOn: GoOn): () => void {
    const answers = this.#waiting.get(operator) ?? this.#again.find(([one]) => one === operator)?.[1]
    if (answers === undefined) this.#waiting.set(operator, [goOn])
    else answers.push(goOn)
    return () => this.#withdraw(operator, goOn)
  }

  #over(since: number): boolean {
    return this.#thread.now() - since >= BUILDING_RUN_MS
  }

  readonly #turn = (): void => {
    for (const [operator, answers] of this.#again) this.#waiting.set(operator, answers)
    this.#again = []
    if (this.#waiting.size === 0) {
      this.#since = undefined
      return
    }
    this.#thread.later(this.#turn)
    const now = this.#thread.now()
    const busy = now - this.#cameBy > QUIET_TURN_MS && now - this.#ended < this.#took
    this.#cameBy = now
    if (!busy) this.#build(now)
  }

  #build(since: number): void {
    this.#since = since
    do this.#serveNext()
    while (this.#waiting.size > 0 && !this.#over(since))
    this.#ended = this.#thread.now()
    this.#took = Math.min(this.#ended - since, SOCKETS_MS)
    this.#cameBy = this.#ended
  }

  #serveNext(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    const [operator, answers] = next
    this.#waiting.delete(operator)
    const goOn = answers.shift()
    if (answers.length > 0) this.#again.push([operator, answers])
    goOn?.()
  }

  #withdraw(operator: number, goOn: GoOn): void {
    const answers = this.#waiting.get(operator) ?? this.#again.find(([one]) => one === operator)?.[1]
    const at = answers?.indexOf(goOn) ?? -1
    if (at >= 0) answers?.splice(at, 1)
    if (answers?.length === 0) this.#waiting.delete(operator)
  }
}
