import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { FairPlaces, NOT_ALONE_MS, type WaitingCall } from "../../../src/admission/concurrency/FairPlaces.ts"
import { BRIEF_CALL_MS } from "../../../src/platform/limits.ts"

/** What may happen, in any order: a call of an operator comes, the n-th working one ends, the n-th waiting one goes away. */
const happenings = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("comes" as const), operator: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("ends" as const), nth: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("leaves" as const), nth: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("passes" as const), ms: fc.nat(NOT_ALONE_MS) }) }
  ),
  { maxLength: 120 }
)

const OPERATORS = [0, 1, 2, 3]

/** More than the calls of a scene keep together. */
const MOST_BYTES = 1_000_000

/** Calls that come, work and end on some places, as the books and as a plain list know them. */
class Scene {
  readonly places: number
  /** The clock, and when each operator called last. */
  now = 0
  readonly calledAt = new Map<number, number>()
  readonly books: FairPlaces
  /** The operator of each call that works, and the calls that wait, oldest first. */
  readonly working: Array<number> = []
  readonly waiting: Array<WaitingCall> = []
  /** The operators of calls in the order they got their places. */
  readonly seated: Array<number> = []
  /** Called before a place goes to an operator, with the places it holds already. */
  readonly beforeSeat: (operator: number, held: number) => void

  constructor(places: number, mostWaiting = 1_000, beforeSeat: Scene["beforeSeat"] = () => {}) {
    this.places = places
    this.books = new FairPlaces(places, mostWaiting, MOST_BYTES, () => this.now)
    this.beforeSeat = beforeSeat
  }

  comes(operator: number): "works" | "waits" | "refused" {
    const held = this.held(operator)
    this.calledAt.set(operator, this.now)
    if (this.books.take(operator)) {
      this.#seat(operator, held)
      return "works"
    }
    const call: WaitingCall = {
      operator,
      bytes: 1,
      seat: () => {
        const holds = this.held(operator)
        this.waiting.splice(this.waiting.indexOf(call), 1)
        this.#seat(operator, holds)
      }
    }
    if (this.books.noRoom(operator, call.bytes) !== undefined) return "refused"
    this.books.wait(call)
    this.waiting.push(call)
    return "waits"
  }

  ends(nth: number, afterMs?: number): void {
    const [operator] = this.working.splice(nth % Math.max(this.working.length, 1), 1)
    if (operator !== undefined) this.books.giveBack(operator, afterMs)
  }

  leaves(nth: number): void {
    const [call] = this.waiting.splice(nth % Math.max(this.waiting.length, 1), 1)
    if (call !== undefined) this.books.withdraw(call)
  }

  held(operator: number): number {
    return this.working.filter((each) => each === operator).length
  }

  isAlone(operator: number): boolean {
    return OPERATORS.every(
      (other) =>
        other === operator ||
        (this.waits(other) === 0 && this.now - (this.calledAt.get(other) ?? Number.NEGATIVE_INFINITY) >= NOT_ALONE_MS)
    )
  }

  waits(operator: number): number {
    return this.waiting.filter((call) => call.operator === operator).length
  }

  #seat(operator: number, held: number): void {
    this.beforeSeat(operator, held)
    this.working.push(operator)
    this.seated.push(operator)
  }
}

type Happening =
  (typeof happenings extends fc.Arbitrary<infer All> ? All : never) extends Array<infer One> ? One : never

const happen = (scene: Scene, happening: Happening) => {
  if (happening.kind === "comes") scene.comes(happening.operator)
  else if (happening.kind === "ends") scene.ends(happening.nth)
  else if (happening.kind === "leaves") scene.leaves(happening.nth)
  else scene.now += happening.ms
}

const places = fc.integer({ min: 1, max: 9 })

describe("places between operators", () => {
  it("no operator gets more than half of them while another waits or has called just now", () => {
    fc.assert(
      fc.property(places, happenings, (size, all) => {
        const half = Math.ceil(size / 2)
        const scene: Scene = new Scene(size, 1_000, (operator, held) => {
          if (!scene.isAlone(operator)) assert.isBelow(held, half)
        })
        for (const happening of all) happen(scene, happening)
      })
    )
  })

  it("none is free while an operator waits that holds none, and no more are taken than there are", () => {
    fc.assert(
      fc.property(places, happenings, (size, all) => {
        const scene = new Scene(size)
        for (const happening of all) {
          happen(scene, happening)
          assert.isAtMost(scene.working.length, size)
          if (scene.waiting.some(({ operator }) => scene.held(operator) === 0)) assert.strictEqual(scene.books.free, 0)
          assert.strictEqual(scene.books.free, size - scene.working.length)
        }
      })
    )
  })

  it("the books agree with what happened, whoever ends and whoever goes away", () => {
    fc.assert(
      fc.property(places, happenings, (size, all) => {
        const scene = new Scene(size)
        for (const happening of all) happen(scene, happening)
        for (const operator of OPERATORS) {
          assert.strictEqual(scene.books.held(operator), scene.held(operator))
          assert.strictEqual(scene.books.waiting(operator), scene.waits(operator))
        }
      })
    )
  })

  it("nobody waits for ever, however fast the others come again, as long as work ends", () => {
    fc.assert(
      fc.property(places, happenings, fc.nat(3), (size, all, patient) => {
        const scene = new Scene(size)
        for (const happening of all) happen(scene, happening)
        if (scene.comes(patient) !== "waits") return
        const call = scene.waiting.at(-1)
        // Its operator's earlier calls go first, and each of these waits for the other operators to have their turn.
        const most = size + scene.waits(patient) * OPERATORS.length
        for (let round = 0; round < most; round++) {
          for (const other of OPERATORS) if (other !== patient) scene.comes(other)
          scene.ends(0)
        }
        assert.notInclude(scene.waiting, call)
      })
    )
  })

  it("keeps so many bytes of an operator's waiting calls, and not one more; a single call may be larger", () => {
    const books = new FairPlaces(1, 1_000, 10)
    const call = (operator: number, bytes: number): WaitingCall => ({ operator, bytes, seat: () => {} })
    const waits = (each: WaitingCall): boolean => {
      if (books.noRoom(each.operator, each.bytes) !== undefined) return false
      books.wait(each)
      return true
    }
    const six = call(1, 6)
    assert.isTrue(books.take(1))
    assert.isTrue(waits(six))
    assert.isTrue(waits(call(1, 4)))
    assert.isFalse(waits(call(1, 1)))
    assert.isTrue(waits(call(1, 0)))
    // Another operator has as many of its own, and one call may always wait.
    assert.isTrue(waits(call(2, 11)))
    assert.isFalse(waits(call(2, 1)))
    books.withdraw(six)
    assert.isTrue(waits(call(1, 6)))
    // What leaves by getting its place frees what it kept.
    books.giveBack(1)
    assert.isTrue(waits(call(1, 4)))
    assert.isFalse(waits(call(1, 1)))
  })

  it("calls of one operator work in the order they came", () => {
    const scene = new Scene(1)
    const order: Array<string> = []
    scene.comes(1)
    for (const name of ["first", "second", "third"])
      scene.books.wait({ operator: 1, bytes: 0, seat: () => order.push(name) })
    for (let n = 0; n < 3; n++) scene.books.giveBack(1)
    assert.deepStrictEqual(order, ["first", "second", "third"])
  })

  it("alone, an operator has every place, and one call more waits", () => {
    const scene = new Scene(6)
    for (let n = 0; n < 6; n++) assert.strictEqual(scene.comes(1), "works")
    assert.strictEqual(scene.comes(1), "waits")
  })

  it("a greedy operator falls back to half as its calls end, the other's calls going first", () => {
    const scene = new Scene(5)
    for (let n = 0; n < 25; n++) scene.comes(1)
    for (let n = 0; n < 5; n++) scene.comes(2)
    for (let n = 0; n < 3; n++) scene.books.giveBack(1)
    assert.deepStrictEqual(scene.seated.slice(5), [2, 2, 1])
    // Each has its share: now they take turns.
    scene.books.giveBack(1)
    scene.books.giveBack(2)
    assert.deepStrictEqual(scene.seated.slice(8), [2, 1])
  })

  it("an operator that calls one at a time finds a place each time, though the greedy one's calls take long", () => {
    const scene = new Scene(12)
    for (let n = 0; n < 100; n++) scene.comes(1)
    assert.strictEqual(scene.comes(2), "waits")
    // From the first on that ends, the other one's calls never wait again, however seldom they come.
    for (let n = 0; n < 7; n++) scene.ends(0)
    for (let n = 0; n < 20; n++) {
      scene.working.splice(scene.working.indexOf(2), 1)
      scene.books.giveBack(2)
      scene.now += NOT_ALONE_MS - 1
      scene.ends(scene.working.indexOf(1))
      assert.strictEqual(scene.held(1), 6)
      assert.strictEqual(scene.comes(2), "works")
    }
  })

  it(`counts as alone again ${NOT_ALONE_MS} ms after another's last call, not a moment sooner`, () => {
    const scene = new Scene(4)
    scene.comes(2)
    scene.ends(0)
    for (let n = 0; n < 3; n++) scene.comes(1)
    assert.strictEqual(scene.held(1), 2)
    scene.now = NOT_ALONE_MS - 1
    scene.ends(0)
    assert.strictEqual(scene.held(1), 2)
    for (let n = 0; n < 3; n++) scene.comes(1)
    scene.now = NOT_ALONE_MS
    scene.ends(0)
    assert.strictEqual(scene.held(1), 4)
  })

  it("two greedy operators leave a sixth of the places to a third", () => {
    const scene = new Scene(12)
    for (let n = 0; n < 50; n++) for (const operator of [1, 2]) scene.comes(operator)
    assert.deepStrictEqual([scene.held(1), scene.held(2)], [5, 5])
    assert.strictEqual(scene.comes(3), "works")
    assert.strictEqual(scene.comes(3), "waits")
    assert.strictEqual(scene.comes(0), "works")
  })

  it.each([
    [12, 10],
    [6, 5],
    [4, 3],
    [2, 1],
    [1, 1]
  ])(
    "of %i places an operator beside another has %i while calls are brief, which the other finds one of all the same",
    (places, most) => {
      for (const [lasts, share] of [
        [BRIEF_CALL_MS - 1, most],
        [BRIEF_CALL_MS, Math.ceil(places / 2)]
      ] as const) {
        const scene = new Scene(places)
        scene.comes(2)
        for (let n = 0; n < 100; n++) scene.comes(1)
        for (let n = 0; n < 90; n++) scene.ends(scene.working.indexOf(n === 0 ? 2 : 1), lasts)
        assert.strictEqual(scene.held(1), share, `calls of ${lasts} ms`)
        if (places > 1) assert.strictEqual(scene.comes(2), "works")
        // Whoever waits is still served, and the other does not get more for it.
        for (let n = 0; n < 9; n++) scene.ends(scene.working.indexOf(1), lasts)
        assert.isAtMost(scene.held(1), share)
        assert.isBelow(scene.waits(1), 100)
      }
    }
  )

  it("once calls take long again, an operator that has more than half gets none until it is back there", () => {
    const scene = new Scene(12)
    scene.comes(2)
    for (let n = 0; n < 1_000; n++) scene.comes(1)
    for (let n = 0; n < 80; n++) scene.ends(scene.working.indexOf(n === 0 ? 2 : 1), 1)
    assert.strictEqual(scene.held(1), 10)
    for (let n = 0; n < 200; n++) scene.ends(scene.working.indexOf(1), 10 * BRIEF_CALL_MS)
    assert.strictEqual(scene.held(1), 6)
  })

  it("operators are served in turn, however many calls each has waiting", () => {
    const scene = new Scene(1)
    scene.comes(0)
    for (const operator of [1, 1, 1, 2, 3]) scene.comes(operator)
    for (const holder of [0, 1, 2, 3, 1]) scene.books.giveBack(holder)
    assert.deepStrictEqual(scene.seated, [0, 1, 2, 3, 1, 1])
  })

  it("so many calls of an operator may wait, and not one more; another operator's may", () => {
    const scene = new Scene(1, 3)
    scene.comes(1)
    for (let n = 0; n < 3; n++) assert.strictEqual(scene.comes(1), "waits")
    assert.strictEqual(scene.comes(1), "refused")
    assert.strictEqual(scene.comes(2), "waits")
    scene.leaves(0)
    assert.strictEqual(scene.comes(1), "waits")
  })
})
