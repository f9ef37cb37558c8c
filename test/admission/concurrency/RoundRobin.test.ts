import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { RoundRobin } from "../../../src/admission/concurrency/RoundRobin.ts"

const OPERATORS = [0, 1, 2, 3]
const everybody = () => true

/** An item comes, the n-th waiting one goes away, somebody is served of the operators that are admitted. */
const happenings = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("comes" as const), operator: fc.constantFrom(...OPERATORS) })
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("leaves" as const), nth: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("serves" as const), admitted: fc.subarray(OPERATORS) }) }
  ),
  { maxLength: 100 }
)

describe("round robin", () => {
  it("serves the oldest item of the first admitted operator, which then goes to the end", () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const row = new RoundRobin<number>()
        // The same as plain lists: the operators in order, and every item that waits, oldest first.
        let order: ReadonlyArray<number> = []
        let items: ReadonlyArray<{ readonly operator: number; readonly item: number }> = []
        const without = (operator: number, item: number) => {
          items = items.filter((each) => each.item !== item)
          order = order.filter((each) => each !== operator)
        }
        all.forEach((happening, item) => {
          if (happening.kind === "comes") {
            const { operator } = happening
            row.add(operator, item)
            items = [...items, { operator, item }]
            if (!order.includes(operator)) order = [...order, operator]
          } else if (happening.kind === "leaves") {
            const gone = items[happening.nth % Math.max(items.length, 1)]
            if (gone === undefined) return
            assert.isTrue(row.withdraw(gone.operator, gone.item))
            assert.isFalse(row.withdraw(gone.operator, gone.item))
            items = items.filter((each) => each !== gone)
            if (!items.some(({ operator }) => operator === gone.operator)) {
              order = order.filter((each) => each !== gone.operator)
            }
          } else {
            const first = order.find((operator) => happening.admitted.includes(operator))
            const expected = items.find(({ operator }) => operator === first)
            assert.deepStrictEqual(
              row.next((operator) => happening.admitted.includes(operator)),
              expected
            )
            if (expected === undefined) return
            without(expected.operator, expected.item)
            if (items.some(({ operator }) => operator === expected.operator)) order = [...order, expected.operator]
          }
          assert.strictEqual(row.operators, order.length)
          for (const operator of OPERATORS) {
            assert.strictEqual(row.waiting(operator), items.filter((each) => each.operator === operator).length)
          }
        })
      })
    )
  })

  it("puts an operator behind all others when it is told to", () => {
    const row = new RoundRobin<string>()
    row.add(1, "a")
    row.add(2, "b")
    row.toEnd(1)
    row.toEnd(3)
    assert.deepStrictEqual(
      [row.next(everybody)?.item, row.next(everybody)?.item, row.next(everybody)],
      ["b", "a", undefined]
    )
  })
})
