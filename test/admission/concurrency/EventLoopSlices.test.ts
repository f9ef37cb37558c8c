import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import fc from "fast-check"
import { ConcurrencyLimiter } from "../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { EVENT_LOOP_SLICE_MS, EventLoopSlices } from "../../../src/admission/concurrency/EventLoopSlices.ts"
import { BeforeDecoding } from "../../../src/platform/database/rows.ts"

/** Simulates an event loop, and responses that take a given time to build. */
class Simulation {
  now = 0
  #next: Array<() => void> = []
  /** Operators in the order in which their responses were built, in a list per iteration of the event loop. */
  readonly built: Array<Array<number>> = [[]]
  readonly slices = new EventLoopSlices({
    now: () => this.now,
    runInNextIteration: (run) => void this.#next.push(run)
  })

  request(operator: number, buildMs: number): () => void {
    const build = () => {
      this.now += buildMs
      this.built.at(-1)?.push(operator)
    }
    if (!this.slices.tryBegin()) return this.slices.enqueue(operator, build)
    build()
    return () => {}
  }

  iterate(): void {
    this.built.push([])
    const scheduled = this.#next
    this.#next = []
    for (const run of scheduled) run()
  }

  /** Whether nothing is scheduled for the next iteration. */
  get isIdle(): boolean {
    return this.#next.length === 0
  }
}

describe("event-loop slices of operators", () => {
  it(`builds responses for ${EVENT_LOOP_SLICE_MS} ms, and the next one in the next iteration`, () => {
    const simulation = new Simulation()
    for (let n = 0; n < EVENT_LOOP_SLICE_MS + 1; n++) simulation.request(1, 1)
    assert.strictEqual(simulation.built[0]?.length, EVENT_LOOP_SLICE_MS)
    simulation.iterate()
    assert.deepStrictEqual(simulation.built[1], [1])
  })

  it("builds one large response per iteration, so a new operator waits for one response of each other operator", () => {
    const simulation = new Simulation()
    for (let n = 0; n < 10; n++) simulation.request(1, 50)
    simulation.iterate()
    simulation.request(2, 1)
    simulation.request(3, 50)
    simulation.iterate()
    simulation.iterate()
    assert.deepStrictEqual(simulation.built, [[1], [1], [2, 3], [1]])
  })

  it("gives busy sockets as long as the last slice took, and no longer", () => {
    const simulation = new Simulation()
    for (let n = 0; n < 3; n++) simulation.request(1, 20)
    const iterationAfter = (ms: number) => {
      simulation.now += ms
      simulation.iterate()
      return simulation.built.at(-1)
    }
    // The first response was built in its request. The duration of a slice is known from the second one on.
    assert.deepStrictEqual(iterationAfter(1), [1])
    assert.deepStrictEqual([iterationAfter(10), iterationAfter(9), iterationAfter(1)], [[], [], [1]])
  })

  it("starts the next slice at once when sockets have no work", () => {
    const simulation = new Simulation()
    for (let n = 0; n < 3; n++) simulation.request(1, 20)
    simulation.iterate()
    simulation.now += 10
    simulation.iterate()
    assert.deepStrictEqual(simulation.built.at(-1), [])
    simulation.iterate()
    assert.deepStrictEqual(simulation.built.at(-1), [1])
  })

  it("does not build a response that was removed from the queue", () => {
    const simulation = new Simulation()
    simulation.request(1, 50)
    const [remove] = [simulation.request(2, 50), simulation.request(3, 50)]
    remove()
    simulation.iterate()
    assert.deepStrictEqual(simulation.built[1], [3])
  })

  it("builds every response that was not removed, and then schedules nothing (any order of events)", () => {
    const step = fc.oneof(
      fc.record({ operator: fc.nat(3), buildMs: fc.nat(8) }),
      fc.constant("iterate" as const),
      fc.constant("remove" as const)
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (all) => {
        const simulation = new Simulation()
        const removals: Array<() => void> = []
        let requested = 0
        for (const each of all) {
          if (each === "iterate") simulation.iterate()
          else if (each === "remove") removals.pop()?.()
          else {
            removals.push(simulation.request(each.operator, each.buildMs))
            requested++
          }
        }
        for (let n = 0; n <= requested + 2; n++) simulation.iterate()
        assert.isTrue(simulation.isIdle)
        const removed = all.filter((each) => each === "remove").length
        const built = simulation.built.flat().length
        assert.isAtLeast(built, requested - removed)
        assert.isAtMost(built, requested)
      })
    )
  })

  it.live(
    "calls with a permit wait for a slice before they decode rows: sockets are served between two large responses",
    () =>
      Effect.gen(function* () {
        const limiter = yield* ConcurrencyLimiter
        const LARGE = 12
        let served = 0
        let isOver = false
        const serve = () => {
          served++
          if (!isOver) setImmediate(serve)
        }
        setImmediate(serve)
        const servedAtBuild: Array<number> = []
        const build = Effect.sync(() => {
          servedAtBuild.push(served)
          const until = performance.now() + 2 * EVENT_LOOP_SLICE_MS
          while (performance.now() < until) {}
        })
        const call = Effect.andThen(Effect.flatten(BeforeDecoding), build)
        const all = Array.from({ length: LARGE }, () => limiter.withPermit(1, call))
        yield* Fiber.join(yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" })))
        isOver = true
        assert.strictEqual(new Set(servedAtBuild).size, LARGE)
      }).pipe(Effect.provide(ConcurrencyLimiter.layer()))
  )
})
