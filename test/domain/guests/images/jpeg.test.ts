import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { findJpegFault } from "../../../../src/domain/guests/images/jpeg.ts"
import { IMAGE_BYTES, IMAGE_PIXELS_MAX } from "../../../../src/platform/limits.ts"
import {
  EOI,
  JPEG,
  makeFrameHeader,
  makeJpegOfLength,
  makeSegment,
  PROGRESSIVE_JPEG,
  SCAN_HEADER,
  SOI
} from "../../../support/jpegs.ts"
import { measureProcessorTime } from "../../../support/processor-time.ts"

const NO_JPEG = /^must be a JPEG\.$/
const CUT_SHORT = /truncated/

const faultOf = (...parts: ReadonlyArray<ReadonlyArray<number>>) => findJpegFault(new Uint8Array(parts.flat()))

const textBytes = (text: string) => Array.from(Buffer.from(text))

const FRAME = makeFrameHeader(0xc0, 640, 480)
const SCRIPT = textBytes("<script>alert(1)</script>")

const FRAME_CODES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]

/** A segment that says nothing of the picture's size: tables, comments, what applications write. */
const anySegment = fc
  .tuple(
    fc.constantFrom(0xc4, 0xcc, 0xdb, 0xdd, 0xe0, 0xe1, 0xed, 0xef, 0xfe),
    fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 80 }),
    fc.nat({ max: 3 })
  )
  .map(([code, content, fill]) => [...Array<number>(fill).fill(0xff), ...makeSegment(code, content)])

/** What may stand in a scan: stuffed bytes and restarts among any others. */
const scanData = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 254 }).map((byte) => [byte]),
      fc.constant([0xff, 0x00]),
      fc.integer({ min: 0xd0, max: 0xd7 }).map((code) => [0xff, code])
    ),
    { maxLength: 60 }
  )
  .map((parts) => parts.flat())

const anyScan = fc
  .tuple(fc.array(anySegment, { maxLength: 2 }), scanData)
  .map(([tables, data]) => [...tables.flat(), ...SCAN_HEADER, ...data])

const anyJpeg = fc
  .record({
    before: fc.array(anySegment, { maxLength: 4 }),
    code: fc.constantFrom(...FRAME_CODES),
    width: fc.integer({ min: 1, max: IMAGE_PIXELS_MAX }),
    height: fc.integer({ min: 1, max: IMAGE_PIXELS_MAX }),
    scans: fc.array(anyScan, { minLength: 1, maxLength: 4 })
  })
  .map(({ before, code, width, height, scans }) => [
    ...SOI,
    ...before.flat(),
    ...makeFrameHeader(code, width, height),
    ...scans.flat(),
    ...EOI
  ])

describe("a JPEG", () => {
  it("is one as programs write it, with restarts or progressive, and with whatever a camera writes after it", () => {
    for (const jpeg of [JPEG, PROGRESSIVE_JPEG]) {
      assert.isUndefined(findJpegFault(jpeg))
      assert.isUndefined(faultOf([...jpeg], textBytes("MotionPhoto"), [...JPEG]))
    }
  })

  it("may have any segments, frames and scans, in any number", () => {
    fc.assert(fc.property(anyJpeg, (jpeg) => assert.isUndefined(faultOf(jpeg))))
  })

  it("is none when it is cut anywhere", () => {
    fc.assert(
      fc.property(anyJpeg, fc.nat(), (jpeg, at) => {
        assert.isDefined(faultOf(jpeg.slice(0, at % jpeg.length)))
      })
    )
    for (let at = 0; at < PROGRESSIVE_JPEG.length; at++) {
      assert.match(findJpegFault(PROGRESSIVE_JPEG.subarray(0, at)) ?? "", at < 2 ? NO_JPEG : CUT_SHORT, `cut at ${at}`)
    }
  })

  it("is told from whatever bytes there are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, beginsLikeOne) => {
        assert.isDefined(faultOf(beginsLikeOne ? SOI : [], [...bytes]))
      })
    )
    // One byte of a real one is another.
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = PROGRESSIVE_JPEG.slice()
        changed[at % changed.length] = byte
        const fault = findJpegFault(changed)
        assert.isTrue(fault === undefined || fault.startsWith("must be "))
      })
    )
  })

  it("looks at the bytes it is given, wherever in memory they lie", () => {
    const room = Buffer.alloc(JPEG.length + 100, 0xff)
    room.set(JPEG, 37)
    assert.isUndefined(findJpegFault(room.subarray(37, 37 + JPEG.length)))
  })
})

describe("what is no JPEG", () => {
  it.each([
    ["nothing", []],
    ["a PNG", [0x89, ...textBytes("PNG\r\n"), 0x1a, 0x0a, ...textBytes("IHDR")]],
    ["a GIF with a JPEG behind it", [...textBytes("GIF89a"), ...JPEG]],
    ["a page", textBytes("<!doctype html><script>alert(1)</script>")],
    ["a page that begins like a JPEG", [...SOI, ...SCRIPT]],
    ["two beginnings", [...SOI, ...SOI, ...FRAME, ...SCAN_HEADER, ...EOI]],
    ["without a frame", [...SOI, ...makeSegment(0xe0, []), ...EOI]],
    ["without a scan", [...SOI, ...FRAME, ...EOI]],
    ["with a scan before its frame", [...SOI, ...SCAN_HEADER, ...FRAME, ...EOI]],
    ["with a segment shorter than its length", [...SOI, 0xff, 0xe0, 0, 1, ...FRAME, ...SCAN_HEADER, ...EOI]],
    ["with a frame without components", [...SOI, ...makeSegment(0xc0, [8, 1, 0, 1, 0, 0]), ...SCAN_HEADER, ...EOI]],
    [
      "with a frame of fewer components than it says",
      [...SOI, ...makeSegment(0xc0, [8, 1, 0, 1, 0, 3, 1, 17, 0]), ...SCAN_HEADER]
    ],
    ["with anything between its segments", [...SOI, 0, ...FRAME, ...SCAN_HEADER, ...EOI]],
    ["with a restart outside a scan", [...SOI, 0xff, 0xd0, ...FRAME, ...SCAN_HEADER, ...EOI]],
    ["with a marker that is reserved", [...SOI, 0xff, 0x02, 0, 2, ...FRAME, ...SCAN_HEADER, ...EOI]]
  ])("%s", (_, bytes) => {
    assert.match(faultOf(bytes) ?? "", NO_JPEG)
  })

  it.each([
    ["after its beginning", SOI],
    ["in fill bytes", [...SOI, 0xff, 0xff]],
    ["in a length", [...SOI, 0xff, 0xe0, 0]],
    ["in a segment", [...SOI, 0xff, 0xe0, 0, 9, 1]],
    ["in a scan", [...SOI, ...FRAME, ...SCAN_HEADER, 1, 2, 3]],
    ["in a marker of a scan", [...SOI, ...FRAME, ...SCAN_HEADER, 1, 0xff]]
  ])("one that is cut short %s", (_, bytes) => {
    assert.match(faultOf(bytes) ?? "", CUT_SHORT)
  })

  it("is none for a script in a comment, which nobody runs", () => {
    assert.isUndefined(faultOf(SOI, makeSegment(0xfe, SCRIPT), FRAME, SCAN_HEADER, SCRIPT, EOI, SCRIPT))
  })
})

describe("the size of a JPEG", () => {
  const sized = (code: number, width: number, height: number) =>
    faultOf(SOI, makeFrameHeader(code, width, height), SCAN_HEADER, EOI)

  it(`is up to ${IMAGE_PIXELS_MAX} pixels each way, and not ${IMAGE_PIXELS_MAX + 1}, whatever its frame`, () => {
    for (const code of FRAME_CODES) {
      assert.isUndefined(sized(code, IMAGE_PIXELS_MAX, IMAGE_PIXELS_MAX))
      assert.isUndefined(sized(code, 1, 1))
      for (const [width, height] of [
        [IMAGE_PIXELS_MAX + 1, 1],
        [1, IMAGE_PIXELS_MAX + 1],
        [65_535, 65_535],
        [0, 1],
        [1, 0]
      ] as const) {
        assert.match(sized(code, width, height) ?? "", new RegExp(`1 to ${IMAGE_PIXELS_MAX} .*${width} × ${height}`))
      }
    }
  })

  it("is that of each of its frames, also of one after a scan", () => {
    assert.include(
      faultOf(SOI, FRAME, SCAN_HEADER, makeFrameHeader(0xc5, 60_000, 60_000), SCAN_HEADER, EOI),
      "60000 × 60000"
    )
  })

  it("is none of what looks like a frame and is a table, or lies in a segment", () => {
    const thumbnail = [...SOI, ...makeFrameHeader(0xc0, 65_000, 65_000), ...SCAN_HEADER, ...EOI]
    for (const code of [0xc4, 0xc8, 0xcc]) {
      assert.isUndefined(
        faultOf(SOI, makeFrameHeader(code, 65_000, 65_000), makeSegment(0xe1, thumbnail), FRAME, SCAN_HEADER, EOI)
      )
    }
  })

  it(`is up to ${IMAGE_BYTES} bytes, and not ${IMAGE_BYTES + 1}`, () => {
    assert.isUndefined(findJpegFault(makeJpegOfLength(IMAGE_BYTES)))
    assert.match(
      findJpegFault(makeJpegOfLength(IMAGE_BYTES + 1)) ?? "",
      new RegExp(`${IMAGE_BYTES} bytes, .*${IMAGE_BYTES + 1}`)
    )
  })

  it("is found out in a moment, whatever the largest is filled with", () => {
    const filled = (begin: ReadonlyArray<number>, pattern: ReadonlyArray<number>) => {
      const bytes = new Uint8Array(IMAGE_BYTES)
      for (let at = 0; at < bytes.length; at++) bytes[at] = pattern[at % pattern.length] ?? 0
      bytes.set(begin)
      return bytes
    }
    const scanned = [...SOI, ...FRAME, ...SCAN_HEADER]
    for (const bytes of [
      filled(SOI, [0xff]),
      filled(SOI, [0xff, 0xe0, 0, 2]),
      filled(scanned, [0xff]),
      filled(scanned, [0xff, 0]),
      filled(scanned, [0xff, 0xd0]),
      filled(scanned, [0xff, 0xda, 0, 2])
    ]) {
      const { result: answer, processorMs } = measureProcessorTime(() => findJpegFault(bytes))
      assert.isDefined(answer)
      assert.isBelow(processorMs, 1_000)
    }
  })
})
