import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  formatCursor,
  type PageCursor,
  parseCursor,
  toCursorPage
} from "../../../../src/transports/console/queries/cursor-page.ts"

const ids = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1 }))

/** What the store finds: behind the edge, on its way, one more than a page. */
const page = (count: number, size: number, edge: PageCursor | undefined) => {
  const newestFirst = ids(count).toReversed()
  const found =
    edge === undefined
      ? newestFirst
      : edge.direction === "older"
        ? newestFirst.filter(({ id }) => id < edge.id)
        : ids(count).filter(({ id }) => id > edge.id)
  return toCursorPage(found.slice(0, size + 1), edge, size)
}

describe("a page of a list", () => {
  it("leads on to every row once, and back to the newest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), (count, size) => {
        const seen: Array<number> = []
        let shown = page(count, size, undefined)
        while (shown !== undefined) {
          seen.push(...shown.rows.map(({ id }) => id))
          if (shown.older === undefined) break
          shown = page(count, size, shown.older)
        }
        assert.deepStrictEqual(
          seen,
          ids(count)
            .map(({ id }) => id)
            .toReversed()
        )
        let steps = 0
        while (shown?.newer !== undefined) {
          shown = page(count, size, shown.newer) ?? page(count, size, undefined)
          steps += 1
          assert.isAtMost(steps, count)
        }
        assert.deepStrictEqual(shown, page(count, size, undefined))
      })
    )
  })

  it("is full at n, and has older ones at n + 1", () => {
    assert.strictEqual(page(5, 5, undefined)?.older, undefined)
    assert.deepStrictEqual(page(6, 5, undefined)?.older, { direction: "older", id: 2 })
  })

  it("gives way to the newest where nothing is behind its edge, or all that is newer", () => {
    assert.isUndefined(page(5, 5, { direction: "older", id: 1 }))
    assert.isUndefined(page(9, 5, { direction: "newer", id: 4 }))
    assert.isDefined(page(10, 5, { direction: "newer", id: 4 }))
  })
})

describe("an edge in an address", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(fc.constantFrom("older", "newer"), fc.integer({ min: 1, max: 10 ** 15 - 1 }), (way, id) => {
        assert.deepStrictEqual(parseCursor(formatCursor({ direction: way, id })), { direction: way, id })
      })
    )
  })

  it("is none for any other text", () => {
    for (const text of [
      null,
      "",
      "older-",
      "older-0",
      "older-01",
      "older--1",
      "older-1 ",
      "both-1",
      "older-1e3",
      `older-${"9".repeat(16)}`
    ]) {
      assert.isUndefined(parseCursor(text), String(text))
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const edge = parseCursor(text)
        assert.strictEqual(edge === undefined || formatCursor(edge) === text, true)
      })
    )
  })
})
