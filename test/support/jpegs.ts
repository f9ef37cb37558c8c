// Pictures for tests: two as cameras and programs write them, and others made of what a JPEG must have.

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"))

/** 24 × 16 pixels, with restart markers in its one scan. */
export const JPEG = decodeBase64(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAQABgDASIAAhEBAxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAIBA//EACQQAAECBAUFAAAAAAAAAAAAAAEAAgMRIfASMTJBkWFxgcHh/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAL/xAAXEQEBAQEAAAAAAAAAAAAAAAAAAQIS/90ABAAB/9oADAMBAAIRAxEAPwCGMaRMgS62FWBktA98Iw0pW7+raZ4qdr4y3Tokf//Q5xIbQARKSK36SPKKpV5f/9k="
)

/** The same as callers send it. */
export const JPEG_BASE64 = Buffer.from(JPEG).toString("base64")

/** The same, progressive: ten scans, with tables between them. */
export const PROGRESSIVE_JPEG = decodeBase64(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wgARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAEC/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAH/2gAMAwEAAhADEAAAAc1TKrf/xAAWEAEBAQAAAAAAAAAAAAAAAAABECD/2gAIAQEAAQUCiY//xAAVEQEBAAAAAAAAAAAAAAAAAAAAAf/aAAgBAwEBPwFH/8QAFREBAQAAAAAAAAAAAAAAAAAAEBH/2gAIAQIBAT8Bp//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEABj8CX//EABkQAQEAAwEAAAAAAAAAAAAAAAEAETFRgf/aAAgBAQABPyECwcgi9nV//9oADAMBAAIAAwAAABDg3//EABURAQEAAAAAAAAAAAAAAAAAAAEQ/9oACAEDAQE/EAj/xAAVEQEBAAAAAAAAAAAAAAAAAAAAAf/aAAgBAgEBPxAlf//EACAQAAEEAQQDAAAAAAAAAAAAAAEAESEx8EFhcZGBweH/2gAIAQEAAT8QODkBt8Cjr76QABDMjiJzPqi6cZ1WquHlf//Z"
)

const toUint16Bytes = (value: number): ReadonlyArray<number> => [value >> 8, value & 0xff]

/** A segment with what stands in it. */
export const makeSegment = (code: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [
  0xff,
  code,
  ...toUint16Bytes(content.length + 2),
  ...content
]

/** The header of a frame of that kind with one component. */
export const makeFrameHeader = (code: number, width: number, height: number): ReadonlyArray<number> =>
  makeSegment(code, [8, ...toUint16Bytes(height), ...toUint16Bytes(width), 1, 1, 0x11, 0])

export const SOI: ReadonlyArray<number> = [0xff, 0xd8]
export const EOI: ReadonlyArray<number> = [0xff, 0xd9]
export const SCAN_HEADER: ReadonlyArray<number> = makeSegment(0xda, [1, 1, 0, 0, 63, 0])

/** What a JPEG has around the data of its one scan. */
const JPEG_PREFIX = [...SOI, ...makeFrameHeader(0xc0, 1, 1), ...SCAN_HEADER]

/** A JPEG of exactly so many bytes, 40 at least; `fill` makes it another. */
export const makeJpegOfLength = (length: number, fill = 0): Uint8Array<ArrayBuffer> => {
  const jpeg = new Uint8Array(length).fill(fill)
  jpeg.set(JPEG_PREFIX)
  jpeg.set(EOI, length - EOI.length)
  return jpeg
}
