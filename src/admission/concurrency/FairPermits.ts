import { BRIEF_CALL_MS, BURST_WAIT_MS, OVERLOADED_AFTER_MS, OVERLOADED_WAIT_MS } from "../../platform/limits.ts"
import { RoundRobinQueue } from "./RoundRobinQueue.ts"

/** An operator counts as active for this time after its last call, because one statement can take that long. */
export const ACTIVE_OPERATOR_MS = 10_000

export interface QueuedCall {
  readonly operator: number
  readonly bytes: number
  readonly onPermit: () => void
}

export type RejectionReason = "too many" | "overloaded"

/** Weight of the last call in the mean. It is small, so that one slow call hardly changes the mean. */
const NEW_DURATION_WEIGHT = 1 / 64

interface LastCall {
  readonly operator: number
  readonly at: number
}

/**
 * Shares a fixed number of permits between operators. An operator is alone unless another one has queued calls or has
 * called within ACTIVE_OPERATOR_MS.
 *
 * An operator that is alone may hold every permit. Others may hold half of the permits, or all but the last sixth while
 * calls are brief (BRIEF_CALL_MS). The last sixth is for operators that hold none. Queued operators take turns ({@link
 * RoundRobinQueue}). A call is rejected if its estimated wait is too long, so the operator that calls most is rejected
 * first.
 */
export class FairPermits {
  readonly #permits: number
  readonly #half: number
  readonly #reserved: number
  readonly #maxQueuedCalls: number
  readonly #maxQueuedBytes: number
  readonly #now: () => number
  #free: number
  #queuedCount = 0
  readonly #heldByOperator = new Map<number, number>()
  readonly #queue = new RoundRobinQueue<QueuedCall>()
  readonly #bytesByOperator = new Map<number, number>()
  #meanMs: number | undefined
  #lastMoveAt = Number.NEGATIVE_INFINITY
  /**
   * Time since which the queue has held more than is served in OVERLOADED_WAIT_MS. Reset once the queue has shrunk to
   * half of that.
   */
  #crowdedSince: number | undefined
  #lastCall: LastCall | undefined
  #lastCallOfOther: LastCall | undefined

  /** The maxima apply per operator. `now` is in milliseconds. */
  constructor(
    permits: number,
    maxQueuedCalls: number,
    maxQueuedBytes: number,
    now: () => number = () => performance.now()
  ) {
    this.#permits = permits
    this.#free = permits
    this.#half = Math.ceil(permits / 2)
    this.#reserved = Math.floor(permits / 6)
    this.#maxQueuedCalls = maxQueuedCalls
    this.#maxQueuedBytes = maxQueuedBytes
    this.#now = now
  }

  tryAcquire(operator: number): boolean {
    if (this.#lastCall?.operator !== operator) this.#lastCallOfOther = this.#lastCall
    this.#lastCall = { operator, at: this.#now() }
    return this.#grant(operator)
  }

  /** The first queued call of an operator is rejected only for overload. */
  findRejection(operator: number, bytes: number): RejectionReason | undefined {
    const queuedCalls = this.countQueued(operator)
    const queuedBytes = this.#bytesByOperator.get(operator) ?? 0
    if (queuedCalls > 0 && (queuedCalls >= this.#maxQueuedCalls || queuedBytes + bytes > this.#maxQueuedBytes))
      return "too many"
    const maxWaitMs = this.#computeMaxWaitMs(this.#isOverloaded() ? OVERLOADED_WAIT_MS : BURST_WAIT_MS)
    return this.#estimateWaitMs(operator) > maxWaitMs ? "overloaded" : undefined
  }

  enqueue(call: QueuedCall): void {
    this.#queue.add(call.operator, call)
    this.#bytesByOperator.set(call.operator, (this.#bytesByOperator.get(call.operator) ?? 0) + call.bytes)
    this.#queuedCount += 1
    if (this.#computeQueueMs() > this.#computeMaxWaitMs(OVERLOADED_WAIT_MS)) this.#crowdedSince ??= this.#now()
  }

  removeQueued(call: QueuedCall): void {
    if (this.#queue.remove(call.operator, call)) this.#recordLeft(call)
  }

  /** `durationMs` is how long the call held the permit. Undefined if its work did not begin. */
  release(operator: number, durationMs?: number): void {
    this.#lastMoveAt = this.#now()
    if (durationMs !== undefined)
      this.#meanMs =
        this.#meanMs === undefined ? durationMs : this.#meanMs + (durationMs - this.#meanMs) * NEW_DURATION_WEIGHT
    const remaining = this.countHeld(operator) - 1
    if (remaining === 0) this.#heldByOperator.delete(operator)
    else this.#heldByOperator.set(operator, remaining)
    this.#free++
    while (this.#free > 0 && this.#grantNext()) {}
  }

  countHeld(operator: number): number {
    return this.#heldByOperator.get(operator) ?? 0
  }

  countQueued(operator: number): number {
    return this.#queue.countQueued(operator)
  }

  get freeCount(): number {
    return this.#free
  }

  get queuedCount(): number {
    return this.#queuedCount
  }

  #grant(operator: number): boolean {
    if (this.#free === 0 || !this.#mayHoldOneMore(operator)) return false
    this.#free--
    this.#lastMoveAt = this.#now()
    this.#heldByOperator.set(operator, this.countHeld(operator) + 1)
    return true
  }

  #mayHoldOneMore(operator: number): boolean {
    const held = this.countHeld(operator)
    if (held === 0) return true
    return (held < this.#computeShare() && this.#free > this.#reserved) || this.#isAlone(operator)
  }

  #computeShare(): number {
    const isBrief = this.#meanMs !== undefined && this.#estimateCallMs() < BRIEF_CALL_MS
    return isBrief ? Math.max(this.#half, this.#permits - Math.max(this.#reserved, 1)) : this.#half
  }

  #isAlone(operator: number): boolean {
    const hasQueuedOthers = this.#queue.operatorCount > (this.countQueued(operator) > 0 ? 1 : 0)
    const otherCall = this.#lastCall?.operator === operator ? this.#lastCallOfOther : this.#lastCall
    return !hasQueuedOthers && (otherCall === undefined || this.#now() - otherCall.at >= ACTIVE_OPERATOR_MS)
  }

  #isOverloaded(): boolean {
    return this.#crowdedSince !== undefined && this.#now() - this.#crowdedSince >= OVERLOADED_AFTER_MS
  }

  /**
   * Returns the mean duration of a call. If calls are queued and no permit was acquired or released for
   * OVERLOADED_AFTER_MS, returns at least the time since then.
   */
  #estimateCallMs(): number {
    const stalledMs = this.#queuedCount > 0 ? this.#now() - this.#lastMoveAt : 0
    return Math.max(this.#meanMs ?? 0, stalledMs < OVERLOADED_AFTER_MS ? 0 : stalledMs)
  }

  #computeQueueMs(): number {
    return (this.#queuedCount * this.#estimateCallMs()) / this.#permits
  }

  #computeMaxWaitMs(ms: number): number {
    return Math.max(ms, 2 * this.#estimateCallMs())
  }

  /** Each queued call of the operator waits for one call of every other queued operator. */
  #estimateWaitMs(operator: number): number {
    const own = this.countQueued(operator) + 1
    const operators = this.#queue.operatorCount + (own === 1 ? 1 : 0)
    const callsBefore = Math.min(own * operators, this.#queuedCount + 1)
    return (callsBefore * this.#estimateCallMs()) / (this.#isAlone(operator) ? this.#permits : this.#computeShare())
  }

  #grantNext(): boolean {
    const next = this.#queue.takeNext((operator) => this.#grant(operator))
    if (next === undefined) return false
    this.#recordLeft(next.item)
    next.item.onPermit()
    return true
  }

  #recordLeft({ operator, bytes }: QueuedCall): void {
    this.#queuedCount -= 1
    if (this.#computeQueueMs() <= this.#computeMaxWaitMs(OVERLOADED_WAIT_MS) / 2) this.#crowdedSince = undefined
    if (this.countQueued(operator) === 0) this.#bytesByOperator.delete(operator)
    else this.#bytesByOperator.set(operator, (this.#bytesByOperator.get(operator) ?? 0) - bytes)
  }
}
