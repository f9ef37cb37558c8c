import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { EmbeddedSession } from "../../../src/platform/database/embedded-session.ts"
import { findPanic } from "../../../src/platform/database/panic.ts"

const message = (kind: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const error = (severity: string, why: string): Buffer =>
  message("E", Buffer.from(`S${severity}\0V${severity}\0C53100\0M${why}\0\0`))

const READY = message("Z", Buffer.from("I"))

describe("what an embedded database says as it gives itself up", () => {
  it("is found among the messages of an answer, and nowhere else", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(), (bodies, place) => {
        // Rows may hold any bytes, those of an error too.
        const rows = [...bodies, Buffer.from("SPANIC\0VPANIC\0Mno\0\0")].map((body) => message("D", Buffer.from(body)))
        assert.isUndefined(findPanic(Buffer.concat([...rows, error("ERROR", "no"), READY])))
        rows.splice(place % (rows.length + 1), 0, error("PANIC", "no room"))
        assert.strictEqual(findPanic(Buffer.concat([...rows, READY])), "no room")
      })
    )
    assert.isUndefined(findPanic(Buffer.alloc(0)))
  })

  it.live("is told once, and nothing is asked of it any more: it would never end", () =>
    Effect.promise(async () => {
      let asked = 0
      const session = new EmbeddedSession({
        execProtocolRawStream: async (_messages, options) => {
          asked++
          options?.onRawData?.(Buffer.concat([error("PANIC", "no room"), READY]))
        },
        isInTransaction: () => false,
        close: () => Promise.reject(new Error("it was asked to end"))
      })
      await session.execute(READY)
      assert.strictEqual(await session.panicReason, "no room")
      const next = await session.execute(READY).then(
        () => "answered",
        (reason: Error) => reason.message
      )
      assert.strictEqual(next, "the embedded database is closed")
      await session.close()
      assert.strictEqual(asked, 1)
    })
  )
})
