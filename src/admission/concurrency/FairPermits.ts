import { BRIEF_CALL_MS, BURST_WAIT_MS, OVERLOADED_AFTER_MS, OVERLOADED_WAIT_MS } from "../../platform/limits.ts"
import { RoundRobinQueue } from "./RoundRobinQueue.ts"

/** Milliseconds after its last call for which an operator still counts as active: as long as a statement may take. */
export const ACTIVE_OPERATOR_MS = 10_000

/** A call in the queue for a permit. */
export interface QueuedCall {
  readonly operator: number
  /** Bytes of input that the call keeps in memory while it is queued. */
  readonly bytes: number
  /** Called once, when the call gets its permit. */
  readonly onPermit: () => void
}

/** Why a call is not even queued: its operator has too many queued calls, or the call would wait too long. */
export type RejectionReason = "too many" | "overloaded"

/** The weight of a new duration in the mean duration of calls, so that one slow call among sixty does not make the service slow. */
const NEW_DURATION_WEIGHT = 1 / 64

interface LastCall {
  readonly operator: number
  readonly at: number
}

/**
 * Shares a fixed number of permits between operators. An operator is alone unless another operator has queued calls or has called
 * within ACTIVE_OPERATOR_MS. Without that time, an operator that calls again after each response would find all permits taken each time.
 *
 * - An operator that is alone may hold every permit.
 * - Other operators may hold half of the permits, rounded up. While calls are brief (BRIEF_CALL_MS) they may hold all but the last
 *   sixth, and all but one at least: a permit is free again within a moment, and unused permits would serve nobody.
 * - The last sixth of the free permits is for operators that hold none, so two slow operators do not shut out a third.
 * - Queued operators are served round robin ({@link RoundRobinQueue}).
 * - No call waits for ever as long as permits are released: an operator at its limit holds a permit, and its release lets the next
 *   call of the operator run.
 * - A call that would wait too long is rejected. The wait is estimated from the calls that are served before it and from the mean
 *   duration of calls, so the operator that calls most is rejected first.
 *
 * This class only does the accounting, in synchronous steps. Its caller does the waiting.
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
  /** Held permits by operator. An operator without permits has no entry. */
  readonly #heldByOperator = new Map<number, number>()
  readonly #queue = new RoundRobinQueue<QueuedCall>()
  /** Bytes of queued calls by operator. An operator without queued calls has no entry. */
  readonly #bytesByOperator = new Map<number, number>()
  /** Mean milliseconds that recent calls held their permits. Undefined: no permit was released yet. */
  #meanMs: number | undefined
  /** When a permit was last acquired or released. */
  #lastMoveAt = Number.NEGATIVE_INFINITY
  /**
   * Since when the queue holds more than is served in OVERLOADED_WAIT_MS. Undefined: it does not, or has shrunk to half of that since.
   */
  #crowdedSince: number | undefined
  /** The last call, and the last call of any other operator. They suffice to tell whether an operator is alone. */
  #lastCall: LastCall | undefined
  #lastCallOfOther: LastCall | undefined

  /**
   * `maxQueuedCalls` and `maxQueuedBytes`: queued calls of one operator, and bytes that these keep in memory. `now`: milliseconds
   * since any moment.
   */
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

  /** Registers a call and acquires a permit for it. Returns false if none is free for its operator. */
  tryAcquire(operator: number): boolean {
    if (this.#lastCall?.operator !== operator) this.#lastCallOfOther = this.#lastCall
    this.#lastCall = { operator, at: this.#now() }
    return this.#grant(operator)
  }

  /**
   * Returns why a call of this operator would not be queued now. Undefined: it would be. The first queued call of an operator is
   * rejected only for overload.
   */
  findRejection(operator: number, bytes: number): RejectionReason | undefined {
    const queuedCalls = this.countQueued(operator)
    const queuedBytes = this.#bytesByOperator.get(operator) ?? 0
    if (queuedCalls > 0 && (queuedCalls >= this.#maxQueuedCalls || queuedBytes + bytes > this.#maxQueuedBytes))
      return "too many"
    const maxWaitMs = this.#computeMaxWaitMs(this.#isOverloaded() ? OVERLOADED_WAIT_MS : BURST_WAIT_MS)
    return this.#estimateWaitMs(operator) > maxWaitMs ? "overloaded" : undefined
  }

  /** Queues a call for which {@link tryAcquire} returned false and {@link findRejection} found no reason. */
  enqueue(call: QueuedCall): void {
    this.#queue.add(call.operator, call)
    this.#bytesByOperator.set(call.operator, (this.#bytesByOperator.get(call.operator) ?? 0) + call.bytes)
    this.#queuedCount += 1
    if (this.#computeQueueMs() > this.#computeMaxWaitMs(OVERLOADED_WAIT_MS)) this.#crowdedSince ??= this.#now()
  }

  /** Removes a call from the queue. */
  removeQueued(call: QueuedCall): void {
    if (this.#queue.remove(call.operator, call)) this.#recordLeft(call)
  }

  /**
   * Releases a permit of an operator and grants the free permits to queued calls. `durationMs`: how long the call worked, if it did.
   */
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

  /** Counts the permits that an operator holds. */
  countHeld(operator: number): number {
    return this.#heldByOperator.get(operator) ?? 0
  }

  /** Counts the queued calls of an operator. */
  countQueued(operator: number): number {
    return this.#queue.countQueued(operator)
  }

  get freeCount(): number {
    return this.#free
  }

  /** Queued calls of all operators. */
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

  /** Returns how many permits an operator may hold that is not alone. */
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
   * Estimates the milliseconds of a call from the mean. While calls are queued and no permit has moved for OVERLOADED_AFTER_MS, a call
   * takes at least the time since.
   */
  #estimateCallMs(): number {
    const stalledMs = this.#queuedCount > 0 ? this.#now() - this.#lastMoveAt : 0
    return Math.max(this.#meanMs ?? 0, stalledMs < OVERLOADED_AFTER_MS ? 0 : stalledMs)
  }

  /** Estimates the milliseconds until the last queued call gets its permit. */
  #computeQueueMs(): number {
    return (this.#queuedCount * this.#estimateCallMs()) / this.#permits
  }

  /** Returns how many milliseconds a call may wait: `ms`, or two mean durations where calls are slower than that. */
  #computeMaxWaitMs(ms: number): number {
    return Math.max(ms, 2 * this.#estimateCallMs())
  }

  /**
   * Estimates the milliseconds that a new call of this operator would wait: behind the queued calls of its operator, each of them behind
   * one call of every other operator.
   */
  #estimateWaitMs(operator: number): number {
    const own = this.countQueued(operator) + 1
    const operators = this.#queue.operatorCount + (own === 1 ? 1 : 0)
    const callsBefore = Math.min(own * operators, this.#queuedCount + 1)
    return (callsBefore * this.#estimateCallMs()) / (this.#isAlone(operator) ? this.#permits : this.#computeShare())
  }

  /** Grants a permit to the next queued call. Returns false if no queued operator may hold one more. */
  #grantNext(): boolean {
    const next = this.#queue.takeNext((operator) => this.#grant(operator))
    if (next === undefined) return false
    this.#recordLeft(next.item)
    next.item.onPermit()
    return true
  }

  /** Updates the counts after a call has left the queue. */
  #recordLeft({ operator, bytes }: QueuedCall): void {
    this.#queuedCount -= 1
    if (this.#computeQueueMs() <= this.#computeMaxWaitMs(OVERLOADED_WAIT_MS) / 2) this.#crowdedSince = undefined
    if (this.countQueued(operator) === 0) this.#bytesByOperator.delete(operator)
    else this.#bytesByOperator.set(operator, (this.#bytesByOperator.get(operator) ?? 0) - bytes)
  }
}
