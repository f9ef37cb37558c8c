import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import fc from "fast-check"
import { BUILDING_RUN_MS, FairThread } from "../../../src/admission/concurrency/FairThread.ts"
import { Places } from "../../../src/admission/concurrency/Places.ts"
import { BeforeDecoding } from "../../../src/platform/database/rows.ts"

/** A thread that goes on when it is told to, and answers that take as long as they say. */
class Scene {
  now = 0
  #next: Array<() => void> = []
  /** Operators in the order their answers were built, those of each iteration of the loop apart. */
  readonly built: Array<Array<number>> = [[]]
  readonly thread = new FairThread({
    now: () => this.now,
    later: (run) => void this.#next.push(run)
  })

  comes(operator: number, takes: number): () => void {
    const build = () => {
      this.now += takes
      this.built.at(-1)?.push(operator)
    }
    if (!this.thread.free()) return this.thread.wait(operator, build)
    build()
    return () => {}
  }

  iterates(): void {
    this.built.push([])
    const due = this.#next
    this.#next = []
    for (const run of due) run()
  }

  /** Whether nothing is left for a later iteration of the loop. */
  get idle(): boolean {
    return this.#next.length === 0
  }
}

describe("the thread between operators", () => {
  it(`answers follow one another for ${BUILDING_RUN_MS} ms, one more waits for the next iteration`, () => {
    const scene = new Scene()
    for (let n = 0; n < BUILDING_RUN_MS + 1; n++) scene.comes(1, 1)
    assert.strictEqual(scene.built[0]?.length, BUILDING_RUN_MS)
    scene.iterates()
    assert.deepStrictEqual(scene.built[1], [1])
  })

  it("of large answers one is built an iteration, and an operator that comes waits for one of each other", () => {
    const scene = new Scene()
    for (let n = 0; n < 10; n++) scene.comes(1, 50)
    scene.iterates()
    scene.comes(2, 1)
    scene.comes(3, 50)
    scene.iterates()
    scene.iterates()
    assert.deepStrictEqual(scene.built, [[1], [1], [2, 3], [1]])
  })

  it("sockets that have much to do get as long as the building took, and no longer", () => {
    const scene = new Scene()
    for (let n = 0; n < 3; n++) scene.comes(1, 20)
    const iterationAfter = (ms: number) => {
      scene.now += ms
      scene.iterates()
      return scene.built.at(-1)
    }
    // The first of all was built when it came; from the second on it is known what building took.
    assert.deepStrictEqual(iterationAfter(1), [1])
    assert.deepStrictEqual([iterationAfter(10), iterationAfter(9), iterationAfter(1)], [[], [], [1]])
  })

  it("sockets that have nothing to do leave the thread to answers", () => {
    const scene = new Scene()
    for (let n = 0; n < 3; n++) scene.comes(1, 20)
    scene.iterates()
    scene.now += 10
    scene.iterates()
    assert.deepStrictEqual(scene.built.at(-1), [])
    scene.iterates()
    assert.deepStrictEqual(scene.built.at(-1), [1])
  })

  it("what nobody waits for any more is not built", () => {
    const scene = new Scene()
    scene.comes(1, 50)
    const [leave] = [scene.comes(2, 50), scene.comes(3, 50)]
    leave()
    scene.iterates()
    assert.deepStrictEqual(scene.built[1], [3])
  })

  it("whatever comes and goes away: all that stayed is built, an operator's in order, and then nothing is left to run", () => {
    const happening = fc.oneof(
      fc.record({ operator: fc.nat(3), takes: fc.nat(8) }),
      fc.constant("iterates" as const),
      fc.constant("one leaves" as const)
    )
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 80 }), (all) => {
        const scene = new Scene()
        const leaves: Array<() => void> = []
        let came = 0
        for (const each of all) {
          if (each === "iterates") scene.iterates()
          else if (each === "one leaves") leaves.pop()?.()
          else {
            leaves.push(scene.comes(each.operator, each.takes))
            came++
          }
        }
        for (let n = 0; n <= came + 2; n++) scene.iterates()
        assert.isTrue(scene.idle)
        const left = all.filter((each) => each === "one leaves").length
        const built = scene.built.flat().length
        assert.isAtLeast(built, came - left)
        assert.isAtMost(built, came)
      })
    )
  })

  it.live("calls in places wait before they read: sockets are served between two large answers", () =>
    Effect.gen(function* () {
      const places = yield* Places
      const LARGE = 12
      let served = 0
      let over = false
      const serve = () => {
        served++
        if (!over) setImmediate(serve)
      }
      setImmediate(serve)
      const atBuild: Array<number> = []
      const build = Effect.sync(() => {
        atBuild.push(served)
        const until = performance.now() + 2 * BUILDING_RUN_MS
        while (performance.now() < until) {}
      })
      const answer = Effect.andThen(Effect.flatten(BeforeDecoding), build)
      const all = Array.from({ length: LARGE }, () => places.within(1, answer))
      yield* Fiber.join(yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" })))
      over = true
      assert.strictEqual(new Set(atBuild).size, LARGE)
    }).pipe(Effect.provide(Places.layer()))
  )
})
