import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { decodeJpegField } from "../../../../src/domain/guests/images/base64.ts"
import { IMAGE_BYTES, IMAGE_TEXT_LENGTH } from "../../../../src/platform/limits.ts"
import { makeJpegOfLength } from "../../../support/jpegs.ts"
import { measureProcessorTime } from "../../../support/processor-time.ts"

const DATA_URL = "data:image/jpeg;base64,"

const read = (text: string) => Effect.runSyncExit(decodeJpegField(text, "jpeg_base64"))

describe("base64", () => {
  it("is read padded or not, also in a data URL", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const padded = Buffer.from(bytes).toString("base64")
        for (const text of [padded, padded.replace(/=+$/, ""), `${DATA_URL}${padded}`]) {
          const exit = read(text)
          assert.isTrue(Exit.isSuccess(exit))
          if (Exit.isSuccess(exit)) assert.deepStrictEqual(Array.from(exit.value), Array.from(bytes))
        }
      })
    )
  })

  it.effect.each([
    ["a line break", "aGVs\nbG8="],
    ["a blank", "aGVs bG8="],
    ["signs of an address", "_-__"],
    ["half a byte", "aGVsb"],
    ["too little padding", "aGU=aGU"],
    ["padding alone", "="],
    ["too much padding", "aGVsbG8=="],
    ["bits of no byte", "aGVsbG9="],
    ["bits of no byte, without padding", "aGVsbG9"],
    ["another kind of data URL", "data:image/png;base64,aGVs"],
    ["any text", "a picture of the door"]
  ] as const)("is none with %s", ([, text]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(decodeJpegField(text, "jpeg_base64"))
      assert.match(message, /^jpeg_base64: .*RFC 4648/)
    })
  )

  it("of the largest image is as long as a text may be", () => {
    const largest = `${DATA_URL}${Buffer.from(makeJpegOfLength(IMAGE_BYTES)).toString("base64")}`
    assert.strictEqual(largest.length, IMAGE_TEXT_LENGTH)
    const { result: answer, processorMs } = measureProcessorTime(() =>
      [read(largest), read(`${largest}=`)].map(Exit.isSuccess)
    )
    assert.deepStrictEqual(answer, [true, false])
    assert.isBelow(processorMs, 2_000)
  })
})
