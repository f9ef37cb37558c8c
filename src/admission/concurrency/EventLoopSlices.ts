import { RoundRobinQueue } from "./RoundRobinQueue.ts"

/** Milliseconds of consecutive responses before sockets are served. A begun response is always completed. */
export const EVENT_LOOP_SLICE_MS = 5

export type Build = () => void

export interface EventLoop {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Runs a function in the next iteration, after timers and sockets. */
  readonly runInNextIteration: (run: () => void) => void
}

/** A shorter iteration did no work for sockets. */
const QUIET_ITERATION_MS = 0.3
const SOCKETS_MS = 50

const processEventLoop: EventLoop = {
  now: () => performance.now(),
  runInNextIteration: (run) => void setImmediate(run)
}

/**
 * Decides whose response the thread builds next. After each slice of EVENT_LOOP_SLICE_MS, busy sockets get as much
 * time. A single iteration would not suffice, because it accepts only one connection. Queued operators take turns
 * ({@link RoundRobinQueue}).
 */
export class EventLoopSlices {
  readonly #eventLoop: EventLoop
  /** Start of the latest slice. Undefined if nothing was built in the previous iteration and no operator is queued. */
  #sliceBegan: number | undefined
  readonly #queue = new RoundRobinQueue<Build>()
  /** Operators that were served in this iteration and have more queued. Other operators come first. */
  readonly #servedOperators = new Set<number>()
  #sliceEnded = 0
  #sliceMs = 0
  #lastIteration = 0

  constructor(eventLoop: EventLoop = processEventLoop) {
    this.#eventLoop = eventLoop
  }

  tryBegin(): boolean {
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = this.#eventLoop.now()
      this.#eventLoop.runInNextIteration(this.#iterate)
      return true
    }
    return this.#queue.operatorCount === 0 && !this.#isSliceOver(this.#sliceBegan)
  }

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

  /** Returns false if every queued operator was served in this iteration. */
  #buildNext(): boolean {
    const next = this.#queue.takeNext((operator) => !this.#servedOperators.has(operator))
    if (next === undefined) return false
    if (this.#queue.countQueued(next.operator) > 0) this.#servedOperators.add(next.operator)
    next.item()
    return true
  }
}
