import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { CURSOR_PATTERN, formatFeedCursor, parseFeedCursor } from "../../../../src/domain/webhooks/event-feed/cursor.ts"
import { toFeedPage } from "../../../../src/domain/webhooks/event-feed/rules.ts"

const safe = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

it("a cursor says its place again, and has the form that is published", () => {
  fc.assert(
    fc.property(safe, fc.nat(Number.MAX_SAFE_INTEGER), (operatorId, position) => {
      const cursor = formatFeedCursor({ operatorId, position })
      assert.deepStrictEqual(parseFeedCursor(cursor), { operatorId, position })
      assert.match(cursor, new RegExp(CURSOR_PATTERN))
    })
  )
})

it("a text is a cursor only as it was given out", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: "binary" })), (text) => {
      const place = parseFeedCursor(text)
      assert.isTrue(place === undefined || formatFeedCursor(place) === text)
    })
  )
})

it("a page ends at its last event when it is full, else where the reading got to", () => {
  const positions = fc.uniqueArray(fc.integer({ min: 11, max: 100 })).map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(positions, fc.integer({ min: 1, max: 20 }), fc.boolean(), (all, limit, narrowed) => {
      const events = all.slice(0, limit + 1).map((position) => ({ position }))
      const reached = narrowed ? 200 : null
      const page = toFeedPage({ deletedUpTo: 0, start: 10, reachedPosition: reached, hasMore: false, events }, limit)
      assert.strictEqual(page.hasMore, all.length > limit)
      assert.isAtMost(page.events.length, limit)
      // Nothing is skipped: whatever is behind was not shown, and all before it was.
      assert.deepStrictEqual(
        page.events.map(({ position }) => position),
        all.filter((position) => position <= page.nextPosition).slice(0, limit)
      )
      assert.strictEqual(page.nextPosition, page.hasMore ? page.events.at(-1)?.position : (reached ?? all.at(-1) ?? 10))
    })
  )
})
