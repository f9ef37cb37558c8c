import { RoundRobin } from "./RoundRobin.ts"

/** Milliseconds after its last call for which an operator still counts as there: as long as a statement may take. */
export const NOT_ALONE_MS = 10_000

/** A call that waits for a place. */
export interface WaitingCall {
  readonly operator: number
  /** Bytes of input the call keeps while it waits. */
  readonly bytes: number
  /** Called once, when the place is this call's. */
  readonly seat: () => void
}

/** When an operator called last. */
interface LastCall {
  readonly operator: number
  readonly at: number
}

/**
 * Who works next: a fixed number of places, shared by operators. An operator is not alone while another waits, or has
 * called within NOT_ALONE_MS: one that calls again and again and waits for each answer would else find all places taken
 * anew each time. Operators that wait are served in turn (see {@link RoundRobin}). So
 *
 * - alone, an operator has every place;
 * - else no operator gets more than half of them (the larger half of an odd number);
 * - and the last sixth of the free ones is for operators that hold none: two slow ones do not shut out a third;
 * - nobody waits for ever, as long as those who hold places give them back: an operator that may not have one more holds
 *   one, and when it gives that back, it may.
 *
 * It only keeps the books, in steps that nothing comes between; waiting itself is its caller's.
 */
export class FairPlaces {
  readonly #half: number
  readonly #kept: number
  readonly #mostWaiting: number
  readonly #mostBytes: number
  readonly #now: () => number
  #free: number
  #allWaiting = 0
  /** Places held, by operator; one that holds none has no entry. */
  readonly #held = new Map<number, number>()
  readonly #waiting = new RoundRobin<WaitingCall>()
  /** Bytes that waiting calls keep, by operator; one without waiting calls has no entry. */
  readonly #bytes = new Map<number, number>()
  /** The last call of all, and the last of any other operator: enough to know who is alone. */
  #latest: LastCall | undefined
  #before: LastCall | undefined

  /**
   * `mostWaiting`: calls of one operator that may wait at once; `mostBytes`: what they may keep meanwhile; `now`:
   * milliseconds since any moment.
   */
  constructor(places: number, mostWaiting: number, mostBytes: number, now: () => number = () => performance.now()) {
    this.#free = places
    this.#half = Math.ceil(places / 2)
    this.#kept = Math.floor(places / 6)
    this.#mostWaiting = mostWaiting
    this.#mostBytes = mostBytes
    this.#now = now
  }

  /** A call comes, and takes a place if one is free for its operator. */
  take(operator: number): boolean {
    if (this.#latest?.operator !== operator) this.#before = this.#latest
    this.#latest = { operator, at: this.#now() }
    return this.#seat(operator)
  }

  /**
   * Waits for a place after {@link take} found none. False: too many of this operator's calls wait already, or they keep
   * too much; one call may always wait.
   */
  wait(call: WaitingCall): boolean {
    const bytes = this.#bytes.get(call.operator) ?? 0
    const waiting = this.waiting(call.operator)
    if (waiting > 0 && (waiting >= this.#mostWaiting || bytes + call.bytes > this.#mostBytes)) return false
    this.#waiting.add(call.operator, call)
    this.#allWaiting += 1
    this.#bytes.set(call.operator, bytes + call.bytes)
    return true
  }

  /** Waits no longer. */
  withdraw(call: WaitingCall): void {
    if (this.#waiting.withdraw(call.operator, call)) this.#keepsNoLonger(call)
  }

  /** Gives back a place of this operator; it and others that are free go to whoever is next. */
  giveBack(operator: number): void {
    const left = this.held(operator) - 1
    if (left === 0) this.#held.delete(operator)
    else this.#held.set(operator, left)
    this.#free++
    while (this.#free > 0 && this.#seatNext()) {}
  }

  /** Places this operator holds. */
  held(operator: number): number {
    return this.#held.get(operator) ?? 0
  }

  /** Calls of this operator that wait. */
  waiting(operator: number): number {
    return this.#waiting.waiting(operator)
  }

  get free(): number {
    return this.#free
  }

  /** Calls that wait, of all operators. */
  get allWaiting(): number {
    return this.#allWaiting
  }

  #seat(operator: number): boolean {
    if (this.#free === 0 || !this.#mayHaveOneMore(operator)) return false
    this.#free--
    this.#held.set(operator, this.held(operator) + 1)
    return true
  }

  #mayHaveOneMore(operator: number): boolean {
    const held = this.held(operator)
    if (held === 0) return true
    return (held < this.#half && this.#free > this.#kept) || this.#isAlone(operator)
  }

  #isAlone(operator: number): boolean {
    const othersWait = this.#waiting.operators > (this.waiting(operator) > 0 ? 1 : 0)
    const other = this.#latest?.operator === operator ? this.#before : this.#latest
    return !othersWait && (other === undefined || this.#now() - other.at >= NOT_ALONE_MS)
  }

  /** False: of those that wait nobody may have one. Passed by are only operators that hold places, so not many. */
  #seatNext(): boolean {
    const next = this.#waiting.next((operator) => this.#seat(operator))
    if (next === undefined) return false
    this.#keepsNoLonger(next.item)
    next.item.seat()
    return true
  }

  #keepsNoLonger({ operator, bytes }: WaitingCall): void {
    this.#allWaiting -= 1
    if (this.waiting(operator) === 0) this.#bytes.delete(operator)
    else this.#bytes.set(operator, (this.#bytes.get(operator) ?? 0) - bytes)
  }
}
