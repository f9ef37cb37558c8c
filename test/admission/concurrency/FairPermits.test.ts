import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ACTIVE_OPERATOR_MS, FairPermits, type QueuedCall } from "../../../src/admission/concurrency/FairPermits.ts"
import { BRIEF_CALL_MS } from "../../../src/platform/limits.ts"

/** A call arrives, the n-th running call ends, the n-th queued call is cancelled, or time passes. */
const stepLists = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("call" as const), operator: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const), nth: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const), nth: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(ACTIVE_OPERATOR_MS) }) }
  ),
  { maxLength: 120 }
)

const OPERATORS = [0, 1, 2, 3]

/** More than the calls of a simulation keep together. */
const MAX_BYTES = 1_000_000

/** Runs calls on some permits, and keeps a model of them as plain lists. */
class Simulation {
  readonly permits: number
  /** The clock, and the time of each operator's last call. */
  now = 0
  readonly calledAt = new Map<number, number>()
  readonly fairPermits: FairPermits
  /** The operator of each running call, and the queued calls, oldest first. */
  readonly running: Array<number> = []
  readonly queued: Array<QueuedCall> = []
  /** The operators of calls in the order in which they got their permits. */
  readonly granted: Array<number> = []
  /** Called before an operator gets a permit, with the permits that it holds already. */
  readonly beforeGrant: (operator: number, held: number) => void

  constructor(permits: number, maxQueuedCalls = 1_000, beforeGrant: Simulation["beforeGrant"] = () => {}) {
    this.permits = permits
    this.fairPermits = new FairPermits(permits, maxQueuedCalls, MAX_BYTES, () => this.now)
    this.beforeGrant = beforeGrant
  }

  call(operator: number): "runs" | "queued" | "rejected" {
    const held = this.countHeld(operator)
    this.calledAt.set(operator, this.now)
    if (this.fairPermits.tryAcquire(operator)) {
      this.#grant(operator, held)
      return "runs"
    }
    const call: QueuedCall = {
      operator,
      bytes: 1,
      onPermit: () => {
        const heldBefore = this.countHeld(operator)
        this.queued.splice(this.queued.indexOf(call), 1)
        this.#grant(operator, heldBefore)
      }
    }
    if (this.fairPermits.findRejection(operator, call.bytes) !== undefined) return "rejected"
    this.fairPermits.enqueue(call)
    this.queued.push(call)
    return "queued"
  }

  end(nth: number, durationMs?: number): void {
    const [operator] = this.running.splice(nth % Math.max(this.running.length, 1), 1)
    if (operator !== undefined) this.fairPermits.release(operator, durationMs)
  }

  cancel(nth: number): void {
    const [call] = this.queued.splice(nth % Math.max(this.queued.length, 1), 1)
    if (call !== undefined) this.fairPermits.removeQueued(call)
  }

  countHeld(operator: number): number {
    return this.running.filter((each) => each === operator).length
  }

  isAlone(operator: number): boolean {
    return OPERATORS.every(
      (other) =>
        other === operator ||
        (this.countQueued(other) === 0 &&
          this.now - (this.calledAt.get(other) ?? Number.NEGATIVE_INFINITY) >= ACTIVE_OPERATOR_MS)
    )
  }

  countQueued(operator: number): number {
    return this.queued.filter((call) => call.operator === operator).length
  }

  #grant(operator: number, held: number): void {
    this.beforeGrant(operator, held)
    this.running.push(operator)
    this.granted.push(operator)
  }
}

type Step = (typeof stepLists extends fc.Arbitrary<infer All> ? All : never) extends Array<infer One> ? One : never

const runStep = (simulation: Simulation, step: Step) => {
  if (step.kind === "call") simulation.call(step.operator)
  else if (step.kind === "end") simulation.end(step.nth)
  else if (step.kind === "cancel") simulation.cancel(step.nth)
  else simulation.now += step.ms
}

const permitCounts = fc.integer({ min: 1, max: 9 })

describe("FairPermits", () => {
  it("limits an operator to half of the permits while another one is queued or active", () => {
    fc.assert(
      fc.property(permitCounts, stepLists, (size, steps) => {
        const half = Math.ceil(size / 2)
        const simulation: Simulation = new Simulation(size, 1_000, (operator, held) => {
          if (!simulation.isAlone(operator)) assert.isBelow(held, half)
        })
        for (const step of steps) runStep(simulation, step)
      })
    )
  })

  it("leaves no permit free while an operator without permits is queued, and grants no more permits than there are", () => {
    fc.assert(
      fc.property(permitCounts, stepLists, (size, steps) => {
        const simulation = new Simulation(size)
        for (const step of steps) {
          runStep(simulation, step)
          assert.isAtMost(simulation.running.length, size)
          if (simulation.queued.some(({ operator }) => simulation.countHeld(operator) === 0))
            assert.strictEqual(simulation.fairPermits.freeCount, 0)
          assert.strictEqual(simulation.fairPermits.freeCount, size - simulation.running.length)
        }
      })
    )
  })

  it("counts held permits and queued calls as the model does (any order of steps)", () => {
    fc.assert(
      fc.property(permitCounts, stepLists, (size, steps) => {
        const simulation = new Simulation(size)
        for (const step of steps) runStep(simulation, step)
        for (const operator of OPERATORS) {
          assert.strictEqual(simulation.fairPermits.countHeld(operator), simulation.countHeld(operator))
          assert.strictEqual(simulation.fairPermits.countQueued(operator), simulation.countQueued(operator))
        }
      })
    )
  })

  it("grants every queued call a permit as long as calls end, however often others call", () => {
    fc.assert(
      fc.property(permitCounts, stepLists, fc.nat(3), (size, steps, patient) => {
        const simulation = new Simulation(size)
        for (const step of steps) runStep(simulation, step)
        if (simulation.call(patient) !== "queued") return
        const call = simulation.queued.at(-1)
        // The earlier calls of its operator come first, each behind one call of every other operator.
        const maxRounds = size + simulation.countQueued(patient) * OPERATORS.length
        for (let round = 0; round < maxRounds; round++) {
          for (const other of OPERATORS) if (other !== patient) simulation.call(other)
          simulation.end(0)
        }
        assert.notInclude(simulation.queued, call)
      })
    )
  })

  it("queues a bounded number of bytes per operator, but one call of any size", () => {
    const fairPermits = new FairPermits(1, 1_000, 10)
    const call = (operator: number, bytes: number): QueuedCall => ({ operator, bytes, onPermit: () => {} })
    const tryEnqueue = (each: QueuedCall): boolean => {
      if (fairPermits.findRejection(each.operator, each.bytes) !== undefined) return false
      fairPermits.enqueue(each)
      return true
    }
    const six = call(1, 6)
    assert.isTrue(fairPermits.tryAcquire(1))
    assert.isTrue(tryEnqueue(six))
    assert.isTrue(tryEnqueue(call(1, 4)))
    assert.isFalse(tryEnqueue(call(1, 1)))
    assert.isTrue(tryEnqueue(call(1, 0)))
    // The limit is per operator, and one call is always queued.
    assert.isTrue(tryEnqueue(call(2, 11)))
    assert.isFalse(tryEnqueue(call(2, 1)))
    fairPermits.removeQueued(six)
    assert.isTrue(tryEnqueue(call(1, 6)))
    // A call that gets its permit frees its bytes.
    fairPermits.release(1)
    assert.isTrue(tryEnqueue(call(1, 4)))
    assert.isFalse(tryEnqueue(call(1, 1)))
  })

  it("grants the calls of one operator in the order in which they came", () => {
    const simulation = new Simulation(1)
    const order: Array<string> = []
    simulation.call(1)
    for (const name of ["first", "second", "third"])
      simulation.fairPermits.enqueue({ operator: 1, bytes: 0, onPermit: () => order.push(name) })
    for (let n = 0; n < 3; n++) simulation.fairPermits.release(1)
    assert.deepStrictEqual(order, ["first", "second", "third"])
  })

  it("grants every permit to an operator that is alone, and queues the next call", () => {
    const simulation = new Simulation(6)
    for (let n = 0; n < 6; n++) assert.strictEqual(simulation.call(1), "runs")
    assert.strictEqual(simulation.call(1), "queued")
  })

  it("brings a busy operator back to half of the permits as its calls end, and serves the other first", () => {
    const simulation = new Simulation(5)
    for (let n = 0; n < 25; n++) simulation.call(1)
    for (let n = 0; n < 5; n++) simulation.call(2)
    for (let n = 0; n < 3; n++) simulation.fairPermits.release(1)
    assert.deepStrictEqual(simulation.granted.slice(5), [2, 2, 1])
    // Each holds its share: now they are served round robin.
    simulation.fairPermits.release(1)
    simulation.fairPermits.release(2)
    assert.deepStrictEqual(simulation.granted.slice(8), [2, 1])
  })

  it("always has a permit for an operator that calls one at a time beside a busy one with long calls", () => {
    const simulation = new Simulation(12)
    for (let n = 0; n < 100; n++) simulation.call(1)
    assert.strictEqual(simulation.call(2), "queued")
    // Once calls of the busy operator have ended, the calls of the other are never queued again, however rare they are.
    for (let n = 0; n < 7; n++) simulation.end(0)
    for (let n = 0; n < 20; n++) {
      simulation.running.splice(simulation.running.indexOf(2), 1)
      simulation.fairPermits.release(2)
      simulation.now += ACTIVE_OPERATOR_MS - 1
      simulation.end(simulation.running.indexOf(1))
      assert.strictEqual(simulation.countHeld(1), 6)
      assert.strictEqual(simulation.call(2), "runs")
    }
  })

  it(`counts an operator as alone ${ACTIVE_OPERATOR_MS} ms after the last call of another, and not sooner`, () => {
    const simulation = new Simulation(4)
    simulation.call(2)
    simulation.end(0)
    for (let n = 0; n < 3; n++) simulation.call(1)
    assert.strictEqual(simulation.countHeld(1), 2)
    simulation.now = ACTIVE_OPERATOR_MS - 1
    simulation.end(0)
    assert.strictEqual(simulation.countHeld(1), 2)
    for (let n = 0; n < 3; n++) simulation.call(1)
    simulation.now = ACTIVE_OPERATOR_MS
    simulation.end(0)
    assert.strictEqual(simulation.countHeld(1), 4)
  })

  it("keeps a sixth of the permits from two busy operators for a third", () => {
    const simulation = new Simulation(12)
    for (let n = 0; n < 50; n++) for (const operator of [1, 2]) simulation.call(operator)
    assert.deepStrictEqual([simulation.countHeld(1), simulation.countHeld(2)], [5, 5])
    assert.strictEqual(simulation.call(3), "runs")
    assert.strictEqual(simulation.call(3), "queued")
    assert.strictEqual(simulation.call(0), "runs")
  })

  it.each([
    [12, 10],
    [6, 5],
    [4, 3],
    [2, 1],
    [1, 1]
  ])(
    "with %i permits grants an operator beside another %i while calls are brief, and still has one for the other",
    (permits, briefShare) => {
      for (const [durationMs, share] of [
        [BRIEF_CALL_MS - 1, briefShare],
        [BRIEF_CALL_MS, Math.ceil(permits / 2)]
      ] as const) {
        const simulation = new Simulation(permits)
        simulation.call(2)
        for (let n = 0; n < 100; n++) simulation.call(1)
        for (let n = 0; n < 90; n++) simulation.end(simulation.running.indexOf(n === 0 ? 2 : 1), durationMs)
        assert.strictEqual(simulation.countHeld(1), share, `calls of ${durationMs} ms`)
        if (permits > 1) assert.strictEqual(simulation.call(2), "runs")
        // Queued calls are still served, within the share.
        for (let n = 0; n < 9; n++) simulation.end(simulation.running.indexOf(1), durationMs)
        assert.isAtMost(simulation.countHeld(1), share)
        assert.isBelow(simulation.countQueued(1), 100)
      }
    }
  )

  it("grants an operator above half no permit once calls take long again", () => {
    const simulation = new Simulation(12)
    simulation.call(2)
    for (let n = 0; n < 1_000; n++) simulation.call(1)
    for (let n = 0; n < 80; n++) simulation.end(simulation.running.indexOf(n === 0 ? 2 : 1), 1)
    assert.strictEqual(simulation.countHeld(1), 10)
    for (let n = 0; n < 200; n++) simulation.end(simulation.running.indexOf(1), 10 * BRIEF_CALL_MS)
    assert.strictEqual(simulation.countHeld(1), 6)
  })

  it("serves operators round robin, however many calls each has queued", () => {
    const simulation = new Simulation(1)
    simulation.call(0)
    for (const operator of [1, 1, 1, 2, 3]) simulation.call(operator)
    for (const holder of [0, 1, 2, 3, 1]) simulation.fairPermits.release(holder)
    assert.deepStrictEqual(simulation.granted, [0, 1, 2, 3, 1, 1])
  })

  it("queues a bounded number of calls per operator", () => {
    const simulation = new Simulation(1, 3)
    simulation.call(1)
    for (let n = 0; n < 3; n++) assert.strictEqual(simulation.call(1), "queued")
    assert.strictEqual(simulation.call(1), "rejected")
    assert.strictEqual(simulation.call(2), "queued")
    simulation.cancel(0)
    assert.strictEqual(simulation.call(1), "queued")
  })
})
