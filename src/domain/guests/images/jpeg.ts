import { IMAGE_BYTES, IMAGE_PIXELS } from "../../../platform/limits.ts"

// Whether bytes are a JPEG is told by its segments alone (ITU-T T.81, annex B): what they say is walked over, and the picture
// is never decoded here.

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const TEM = 0x01

/** Bytes that the length of a segment counts itself, and those of a frame header without its components and with each. */
const LENGTH_BYTES = 2
const FRAME_HEADER_BYTES = 8
const COMPONENT_BYTES = 3

/** Of the codes that begin frames, those that mean something else: DHT, JPG and DAC. */
const NON_FRAME_CODES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

const isFrame = (code: number): boolean => code >= 0xc0 && code <= 0xcf && !NON_FRAME_CODES.has(code)
const isRestart = (code: number): boolean => code >= 0xd0 && code <= 0xd7

const NOT_A_JPEG = "must be a JPEG."
const TRUNCATED_JPEG = "must be a complete JPEG; this one is truncated."

/** What is wrong with a picture of this size. */
const sizeFault = (width: number, height: number): string | undefined =>
  Math.min(width, height) < 1 || Math.max(width, height) > IMAGE_PIXELS
    ? `must be a JPEG of 1 to ${IMAGE_PIXELS} pixels each way, not ${width} × ${height}.`
    : undefined

/** What is wrong with the frame header whose length stands at `at`: it says how large the picture is. */
const frameFault = (view: DataView, at: number): string | undefined => {
  const length = view.getUint16(at)
  if (length < FRAME_HEADER_BYTES + COMPONENT_BYTES) return NOT_A_JPEG
  const [height, width, components] = [view.getUint16(at + 3), view.getUint16(at + 5), view.getUint8(at + 7)]
  return length === FRAME_HEADER_BYTES + COMPONENT_BYTES * components ? sizeFault(width, height) : NOT_A_JPEG
}

/** A marker, and where the segment it begins says its length and ends. */
interface Segment {
  readonly code: number
  readonly lengthAt: number
  readonly end: number
}

/** The segment at `at`, behind whatever bytes fill it up, or what is wrong there. */
const segmentAt = (bytes: Uint8Array, view: DataView, at: number): Segment | string => {
  let codeAt = at
  while (bytes[codeAt] === 0xff) codeAt++
  const code = bytes[codeAt]
  if (codeAt === at) return NOT_A_JPEG
  if (code === undefined) return TRUNCATED_JPEG
  const lengthAt = codeAt + 1
  if (code === EOI || code === TEM) return { code, lengthAt, end: lengthAt }
  if (code < 0xc0 || isRestart(code) || code === SOI) return NOT_A_JPEG
  if (lengthAt + LENGTH_BYTES > bytes.length) return TRUNCATED_JPEG
  const length = view.getUint16(lengthAt)
  if (length < LENGTH_BYTES) return NOT_A_JPEG
  const end = lengthAt + length
  return end > bytes.length ? TRUNCATED_JPEG : { code, lengthAt, end }
}

/** Where the data of a scan end: at the next marker that is none of theirs. */
const endOfScan = (bytes: Uint8Array, from: number): number => {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const code = bytes[at + 1]
    if (code !== undefined && code !== 0 && code !== 0xff && !isRestart(code)) return at
  }
  return bytes.length
}

/** What is wrong with the segments from `at` on, up to the end of the picture: it has a frame, and a scan after it. */
const segmentsFault = (bytes: Uint8Array, from: number): string | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [at, hasFrame, hasScan] = [from, false, false]
  while (at < bytes.length) {
    const segment = segmentAt(bytes, view, at)
    if (typeof segment === "string") return segment
    const { code, lengthAt, end } = segment
    if (code === EOI) return hasScan ? undefined : NOT_A_JPEG
    const fault = isFrame(code) ? frameFault(view, lengthAt) : undefined
    if (fault !== undefined) return fault
    hasFrame ||= isFrame(code)
    hasScan ||= code === SOS
    if (hasScan && !hasFrame) return NOT_A_JPEG
    at = code === SOS ? endOfScan(bytes, end) : end
  }
  return TRUNCATED_JPEG
}

/**
 * Why bytes are no image that is kept, to follow the name of their field; undefined: they are one. What comes after the
 * end of the picture is not looked at: cameras write there.
 */
export const jpegFault = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > IMAGE_BYTES) return `must have at most ${IMAGE_BYTES} bytes, not ${bytes.length}.`
  return bytes[0] === 0xff && bytes[1] === SOI ? segmentsFault(bytes, 2) : NOT_A_JPEG
}
