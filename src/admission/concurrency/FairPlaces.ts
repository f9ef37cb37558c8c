import { BRIEF_CALL_MS, BURST_WAIT_MS, OVERLOADED_AFTER_MS, OVERLOADED_WAIT_MS } from "../../platform/limits.ts"
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

/** Why a call is not even let wait: too much of its operator waits already, or all have more to do than is served in time. */
export type NoRoom = "too many" | "overloaded"

/** The share of a new time in the mean of how long a call has its place: a slow call among sixty is no slow service. */
const NEW_TIME_SHARE = 1 / 64

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
 * - else no operator gets more than half of them (the larger half of an odd number), or, while calls are brief (BRIEF_CALL_MS), all
 *   but the last sixth, and one at least: who comes next has one in a moment, and half of the places would serve nobody;
 * - and the last sixth of the free ones is for operators that hold none: two slow ones do not shut out a third;
 * - nobody waits for ever, as long as those who hold places give them back: an operator that may not have one more holds
 *   one, and when it gives that back, it may;
 * - and while more comes than can be served, nobody waits who would wait too long. That is judged by what waits before a
 *   call in its operator's turns and by how long calls have their places, so it meets who calls most, and first.
 *
 * It only keeps the books, in steps that nothing comes between; waiting itself is its caller's.
 */
export class FairPlaces {
  readonly #places: number
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
  /** Milliseconds that a call has its place, in the mean of the last ones; undefined: none has given one back. */
  #mean: number | undefined
  /** When a place was taken or given back last. */
  #movedAt = Number.NEGATIVE_INFINITY
  /** Since when more waits than is served in OVERLOADED_WAIT_MS; undefined: it does not, or half of it has been served since. */
  #crowdedSince: number | undefined
  /** The last call of all, and the last of any other operator: enough to know who is alone. */
  #latest: LastCall | undefined
  #before: LastCall | undefined

  /**
   * `mostWaiting`: calls of one operator that may wait at once; `mostBytes`: what they may keep meanwhile; `now`:
   * milliseconds since any moment.
   */
  constructor(places: number, mostWaiting: number, mostBytes: number, now: () => number = () => performance.now()) {
    this.#places = places
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
   * Why a call of this operator that comes now would not be let wait, if it had to; undefined: it would be. One call of an
   * operator may wait however many of others do, unless all are overloaded.
   */
  noRoom(operator: number, bytes: number): NoRoom | undefined {
    const waiting = this.waiting(operator)
    const kept = this.#bytes.get(operator) ?? 0
    if (waiting > 0 && (waiting >= this.#mostWaiting || kept + bytes > this.#mostBytes)) return "too many"
    const bearable = this.#bearable(this.#isOverloaded() ? OVERLOADED_WAIT_MS : BURST_WAIT_MS)
    return this.#wouldWait(operator) > bearable ? "overloaded" : undefined
  }

  /** Waits for a place after {@link take} found none, and there is room. */
  wait(call: WaitingCall): void {
    this.#waiting.add(call.operator, call)
    this.#bytes.set(call.operator, (this.#bytes.get(call.operator) ?? 0) + call.bytes)
    this.#allWaiting += 1
    if (this.#standing() > this.#bearable(OVERLOADED_WAIT_MS)) this.#crowdedSince ??= this.#now()
  }

  /** Waits no longer. */
  withdraw(call: WaitingCall): void {
    if (this.#waiting.withdraw(call.operator, call)) this.#keepsNoLonger(call)
  }

  /** Gives back a place of this operator after so many milliseconds of work, if there was any; it and others that are free go to whoever is next. */
  giveBack(operator: number, afterMs?: number): void {
    this.#movedAt = this.#now()
    if (afterMs !== undefined)
      this.#mean = this.#mean === undefined ? afterMs : this.#mean + (afterMs - this.#mean) * NEW_TIME_SHARE
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
    this.#movedAt = this.#now()
    this.#held.set(operator, this.held(operator) + 1)
    return true
  }

  #mayHaveOneMore(operator: number): boolean {
    const held = this.held(operator)
    if (held === 0) return true
    return (held < this.#share() && this.#free > this.#kept) || this.#isAlone(operator)
  }

  /** Places that an operator which is not alone may hold. */
  #share(): number {
    const isBrief = this.#mean !== undefined && this.#lasts() < BRIEF_CALL_MS
    return isBrief ? Math.max(this.#half, this.#places - Math.max(this.#kept, 1)) : this.#half
  }

  #isAlone(operator: number): boolean {
    const othersWait = this.#waiting.operators > (this.waiting(operator) > 0 ? 1 : 0)
    const other = this.#latest?.operator === operator ? this.#before : this.#latest
    return !othersWait && (other === undefined || this.#now() - other.at >= NOT_ALONE_MS)
  }

  #isOverloaded(): boolean {
    return this.#crowdedSince !== undefined && this.#now() - this.#crowdedSince >= OVERLOADED_AFTER_MS
  }

  /** Milliseconds that a call has its place; where none was given back for longer than a burst is let be, at least as long. */
  #lasts(): number {
    const since = this.#allWaiting > 0 ? this.#now() - this.#movedAt : 0
    return Math.max(this.#mean ?? 0, since < OVERLOADED_AFTER_MS ? 0 : since)
  }

  /** Milliseconds until the last of those that wait is seated. */
  #standing(): number {
    return (this.#allWaiting * this.#lasts()) / this.#places
  }

  /** Milliseconds that a call may wait. Where calls take long, twice as many may as are worked on at once: they are few. */
  #bearable(ms: number): number {
    return Math.max(ms, 2 * this.#lasts())
  }

  /** Milliseconds that a call of this operator would wait: behind its own, with one of each other operator before each of them. */
  #wouldWait(operator: number): number {
    const own = this.waiting(operator) + 1
    const operators = this.#waiting.operators + (own === 1 ? 1 : 0)
    const before = Math.min(own * operators, this.#allWaiting + 1)
    return (before * this.#lasts()) / (this.#isAlone(operator) ? this.#places : this.#share())
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
    if (this.#standing() <= this.#bearable(OVERLOADED_WAIT_MS) / 2) this.#crowdedSince = undefined
    if (this.waiting(operator) === 0) this.#bytes.delete(operator)
    else this.#bytes.set(operator, (this.#bytes.get(operator) ?? 0) - bytes)
  }
}
