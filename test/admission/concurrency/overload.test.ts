import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FairPlaces, type WaitingCall } from "../../../src/admission/concurrency/FairPlaces.ts"
import { foundNoPlace, Places } from "../../../src/admission/concurrency/Places.ts"
import { BURST_WAIT_MS, OVERLOADED_AFTER_MS, OVERLOADED_WAIT_MS } from "../../../src/platform/limits.ts"

const PLACES = 4
const LASTS = 100
/** Calls that one operator, alone, may have waiting in so many milliseconds: each place is given back after LASTS. */
const servedIn = (ms: number): number => (ms / LASTS) * PLACES

/** Books of which all places are taken, and each call has had one for LASTS. */
const taken = (operator = 1) => {
  const clock = { now: 0 }
  const books = new FairPlaces(PLACES, 1_000, 1_000_000, () => clock.now)
  for (let nth = 0; nth < PLACES; nth++) books.take(operator)
  for (let nth = 0; nth < 1_000; nth++) {
    books.giveBack(operator, LASTS)
    books.take(operator)
  }
  const waits = (of: number, calls: number) => {
    for (let nth = 0; nth < calls; nth++) books.wait(callOf(of))
  }
  /** As so many calls end that work, one after the other, and places go to those that wait. */
  const ends = (calls: number) => {
    for (let nth = 0; nth < calls; nth++) {
      clock.now += LASTS / PLACES
      books.giveBack(operator, LASTS)
    }
  }
  return { clock, books, waits, ends }
}

const callOf = (operator: number): WaitingCall => ({ operator, bytes: 0, seat: () => {} })

describe("how long calls may have to wait", () => {
  it(`a burst of what is served in ${BURST_WAIT_MS} ms waits; one call more is refused`, () => {
    const { books, waits } = taken()
    waits(1, servedIn(BURST_WAIT_MS) - 1)
    assert.isUndefined(books.noRoom(1, 0))
    waits(1, 1)
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
  })

  it(`once more than is served in ${OVERLOADED_WAIT_MS} ms has waited for ${OVERLOADED_AFTER_MS} ms, no more than that may`, () => {
    const { clock, books, waits } = taken()
    waits(1, servedIn(OVERLOADED_WAIT_MS) + 1)
    for (let nth = 0; nth < OVERLOADED_AFTER_MS / LASTS - 1; nth++) {
      clock.now += LASTS
      books.giveBack(1, LASTS)
      waits(1, 1)
      assert.isUndefined(books.noRoom(1, 0), `after ${clock.now} ms`)
    }
    clock.now += LASTS
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
    books.giveBack(1, LASTS)
    books.giveBack(1, LASTS)
    assert.isUndefined(books.noRoom(1, 0))
  })

  it("it is over when half of that is served, not before", () => {
    const { clock, books, waits, ends } = taken()
    waits(1, servedIn(OVERLOADED_WAIT_MS) + 1)
    clock.now += OVERLOADED_AFTER_MS
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
    ends(servedIn(OVERLOADED_WAIT_MS) / 2)
    waits(1, servedIn(OVERLOADED_WAIT_MS) / 2)
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
    ends(servedIn(OVERLOADED_WAIT_MS) / 2 + 1)
    waits(1, servedIn(OVERLOADED_WAIT_MS) / 2 + 1)
    assert.isUndefined(books.noRoom(1, 0))
  })

  it("who calls much is refused, who calls little beside it waits for one call of the other", () => {
    const { clock, books, waits } = taken()
    waits(1, servedIn(OVERLOADED_WAIT_MS) + 1)
    clock.now += OVERLOADED_AFTER_MS
    books.giveBack(1, LASTS)
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
    assert.isUndefined(books.noRoom(2, 0))
  })

  it("of many operators with a call each nobody waits longer either", () => {
    const { clock, books, waits } = taken()
    // Not alone, an operator is reckoned to have half of the places.
    for (let operator = 2; operator < 2 + servedIn(OVERLOADED_WAIT_MS) / 2; operator++) waits(operator, 1)
    waits(1, servedIn(OVERLOADED_WAIT_MS))
    clock.now += OVERLOADED_AFTER_MS
    books.giveBack(1, LASTS)
    assert.strictEqual(books.noRoom(10_000, 0), "overloaded")
  })

  it("where calls take long, twice as many may wait as are worked on", () => {
    const clock = { now: 0 }
    const books = new FairPlaces(PLACES, 1_000, 1_000_000, () => clock.now)
    for (let nth = 0; nth < PLACES; nth++) books.take(1)
    for (let nth = 0; nth < 1_000; nth++) {
      books.giveBack(1, BURST_WAIT_MS)
      books.take(1)
    }
    for (let nth = 0; nth < 2 * PLACES; nth++) {
      assert.isUndefined(books.noRoom(1, 0))
      books.wait(callOf(1))
    }
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
  })

  it("while no place is given back at all, a call is reckoned to take as long as that", () => {
    const { clock, books, waits } = taken()
    waits(1, 6 * PLACES)
    clock.now += OVERLOADED_AFTER_MS - 1
    assert.isUndefined(books.noRoom(1, 0))
    clock.now += 1
    assert.strictEqual(books.noRoom(1, 0), "overloaded")
  })
})

describe("a call that would wait too long", () => {
  it.effect("is refused at once, with when to come again, before it is read and when it is to be worked on", () =>
    Effect.gen(function* () {
      const places = yield* Places
      const work = (ms: number) => places.within(1, Effect.sleep(ms))
      const first = yield* Effect.forkChild(work(LASTS), { startImmediately: true })
      yield* TestClock.adjust(LASTS)
      yield* Fiber.join(first)
      const end = yield* Deferred.make<void>()
      yield* Effect.forkChild(places.within(1, Deferred.await(end)), { startImmediately: true })
      assert.isUndefined(places.refusal(1))
      const burst = BURST_WAIT_MS / LASTS
      for (let nth = 0; nth < burst; nth++) yield* Effect.forkChild(work(LASTS), { startImmediately: true })
      assert.isTrue(foundNoPlace(places.refusal(1)))
      const refused = yield* Effect.flip(work(LASTS))
      assert.isTrue(foundNoPlace(refused))
      assert.isAbove(refused.retryAfter ?? 0, 0)
      // Another operator waits for one call of this one.
      assert.isUndefined(places.refusal(2))
    }).pipe(Effect.provide(Places.layer(1)))
  )
})
