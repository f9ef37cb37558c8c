import { RoundRobinQueue } from "./RoundRobinQueue.ts"

/** Milliseconds for which responses are built one after the other before sockets are served. A begun response is always completed. */
export const EVENT_LOOP_SLICE_MS = 5

/** Builds a response, at once and completely. */
export type Build = () => void

/** The event loop, as far as slices need it. Tests replace it. */
export interface EventLoop {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Runs a function in the next iteration of the event loop, after timers and sockets. */
  readonly runInNextIteration: (run: () => void) => void
}

/** Milliseconds up to which an iteration of the event loop counts as idle, without work for sockets. */
const QUIET_ITERATION_MS = 0.3
/** Longest time that sockets are served before the next response is built, in milliseconds. */
const SOCKETS_MS = 50

const processEventLoop: EventLoop = {
  now: () => performance.now(),
  runInNextIteration: (run) => void setImmediate(run)
}

/**
 * Decides whose response the process builds next on its one thread. Responses may follow one another for EVENT_LOOP_SLICE_MS. Then
 * sockets are served, so that many large responses delay no other request longer than one of them. Busy sockets get as long as the
 * slice took: the event loop accepts one new connection per iteration, and each of two hundred new connections would otherwise wait
 * for a response to be built. Queued operators are served round robin ({@link RoundRobinQueue}), so an operator waits for one response
 * of each other operator.
 */
export class EventLoopSlices {
  readonly #eventLoop: EventLoop
  /** When the first response of this iteration was begun. Undefined: none was. */
  #sliceBegan: number | undefined
  readonly #queue = new RoundRobinQueue<Build>()
  /** Operators that were served in this iteration and have more queued. All others come before them. */
  readonly #servedOperators = new Set<number>()
  #sliceEnded = 0
  #sliceMs = 0
  #lastIteration = 0

  constructor(eventLoop: EventLoop = processEventLoop) {
    this.#eventLoop = eventLoop
  }

  /** Returns whether a response may be built at once. */
  tryBegin(): boolean {
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = this.#eventLoop.now()
      this.#eventLoop.runInNextIteration(this.#iterate)
      return true
    }
    return this.#queue.operatorCount === 0 && !this.#isSliceOver(this.#sliceBegan)
  }

  /** Queues a response for which {@link tryBegin} returned false. Returns a function that removes it from the queue. */
  enqueue(operator: number, build: Build): () => void {
    this.#queue.add(operator, build)
    return () => void this.#queue.remove(operator, build)
  }

  #isSliceOver(sliceBegan: number): boolean {
    return this.#eventLoop.now() - sliceBegan >= EVENT_LOOP_SLICE_MS
  }

  readonly #iterate = (): void => {
    for (const operator of this.#servedOperators) this.#queue.moveToEnd(operator)
    this.#servedOperators.clear()
    if (this.#queue.operatorCount === 0) {
      this.#sliceBegan = undefined
      return
    }
    this.#eventLoop.runInNextIteration(this.#iterate)
    const now = this.#eventLoop.now()
    const areSocketsBusy = now - this.#lastIteration > QUIET_ITERATION_MS && now - this.#sliceEnded < this.#sliceMs
    this.#lastIteration = now
    if (!areSocketsBusy) this.#runSlice(now)
  }

  #runSlice(sliceBegan: number): void {
    this.#sliceBegan = sliceBegan
    while (this.#buildNext() && !this.#isSliceOver(sliceBegan)) {}
    this.#sliceEnded = this.#eventLoop.now()
    this.#sliceMs = Math.min(this.#sliceEnded - sliceBegan, SOCKETS_MS)
    this.#lastIteration = this.#sliceEnded
  }

  /** Builds the next response. Returns false if every queued operator was served in this iteration. */
  #buildNext(): boolean {
    const next = this.#queue.takeNext((operator) => !this.#servedOperators.has(operator))
    if (next === undefined) return false
    if (this.#queue.countQueued(next.operator) > 0) this.#servedOperators.add(next.operator)
    next.item()
    return true
  }
}
