import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { RoundRobinQueue } from "../../../src/admission/concurrency/RoundRobinQueue.ts"

const OPERATORS = [0, 1, 2, 3]
const serveAny = () => true

/** An item is added, the n-th queued item is removed, or an item of the accepted operators is served. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("add" as const), operator: fc.constantFrom(...OPERATORS) })
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), nth: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("serve" as const), accepted: fc.subarray(OPERATORS) }) }
  ),
  { maxLength: 100 }
)

describe("round robin", () => {
  it("serves the oldest item of the first accepted operator, which then goes to the end", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new RoundRobinQueue<number>()
        // The model: the operators in order, and every queued item, oldest first.
        let order: ReadonlyArray<number> = []
        let items: ReadonlyArray<{ readonly operator: number; readonly item: number }> = []
        const without = (operator: number, item: number) => {
          items = items.filter((each) => each.item !== item)
          order = order.filter((each) => each !== operator)
        }
        all.forEach((step, item) => {
          if (step.kind === "add") {
            const { operator } = step
            queue.add(operator, item)
            items = [...items, { operator, item }]
            if (!order.includes(operator)) order = [...order, operator]
          } else if (step.kind === "remove") {
            const removed = items[step.nth % Math.max(items.length, 1)]
            if (removed === undefined) return
            assert.isTrue(queue.remove(removed.operator, removed.item))
            assert.isFalse(queue.remove(removed.operator, removed.item))
            items = items.filter((each) => each !== removed)
            if (!items.some(({ operator }) => operator === removed.operator)) {
              order = order.filter((each) => each !== removed.operator)
            }
          } else {
            const first = order.find((operator) => step.accepted.includes(operator))
            const expected = items.find(({ operator }) => operator === first)
            assert.deepStrictEqual(
              queue.takeNext((operator) => step.accepted.includes(operator)),
              expected
            )
            if (expected === undefined) return
            without(expected.operator, expected.item)
            if (items.some(({ operator }) => operator === expected.operator)) order = [...order, expected.operator]
          }
          assert.strictEqual(queue.operatorCount, order.length)
          for (const operator of OPERATORS) {
            assert.strictEqual(queue.countQueued(operator), items.filter((each) => each.operator === operator).length)
          }
        })
      })
    )
  })

  it("moveToEnd puts an operator behind all others", () => {
    const queue = new RoundRobinQueue<string>()
    queue.add(1, "a")
    queue.add(2, "b")
    queue.moveToEnd(1)
    queue.moveToEnd(3)
    assert.deepStrictEqual(
      [queue.takeNext(serveAny)?.item, queue.takeNext(serveAny)?.item, queue.takeNext(serveAny)],
      ["b", "a", undefined]
    )
  })
})
