import { IMAGE_BYTES, IMAGE_PIXELS_MAX } from "../../../platform/limits.ts"

// Checks only the segments (ITU-T T.81, annex B), without decoding the picture.

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const TEM = 0x01

/** The length of a segment includes the bytes of the length itself. */
const SEGMENT_LENGTH_BYTES = 2
const FRAME_HEADER_BYTES = 8
const COMPONENT_BYTES = 3

/** DHT, JPG and DAC are no frames, although their codes are in the range of the frame codes. */
const NON_FRAME_CODES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

const isFrameMarker = (code: number): boolean => code >= 0xc0 && code <= 0xcf && !NON_FRAME_CODES.has(code)
const isRestartMarker = (code: number): boolean => code >= 0xd0 && code <= 0xd7

const NOT_A_JPEG = "must be a JPEG."
const TRUNCATED_JPEG = "must be a complete JPEG; this one is truncated."

const findSizeFault = (width: number, height: number): string | undefined =>
  Math.min(width, height) < 1 || Math.max(width, height) > IMAGE_PIXELS_MAX
    ? `must be a JPEG of 1 to ${IMAGE_PIXELS_MAX} pixels each way, not ${width} × ${height}.`
    : undefined

const findFrameFault = (view: DataView, offset: number): string | undefined => {
  const length = view.getUint16(offset)
  if (length < FRAME_HEADER_BYTES + COMPONENT_BYTES) return NOT_A_JPEG
  const [height, width, components] = [
    view.getUint16(offset + 3),
    view.getUint16(offset + 5),
    view.getUint8(offset + 7)
  ]
  return length === FRAME_HEADER_BYTES + COMPONENT_BYTES * components ? findSizeFault(width, height) : NOT_A_JPEG
}

interface Segment {
  readonly code: number
  readonly lengthOffset: number
  readonly end: number
}

const parseSegment = (bytes: Uint8Array, view: DataView, offset: number): Segment | string => {
  let codeOffset = offset
  while (bytes[codeOffset] === 0xff) codeOffset++
  const code = bytes[codeOffset]
  if (codeOffset === offset) return NOT_A_JPEG
  if (code === undefined) return TRUNCATED_JPEG
  const lengthOffset = codeOffset + 1
  if (code === EOI || code === TEM) return { code, lengthOffset, end: lengthOffset }
  if (code < 0xc0 || isRestartMarker(code) || code === SOI) return NOT_A_JPEG
  if (lengthOffset + SEGMENT_LENGTH_BYTES > bytes.length) return TRUNCATED_JPEG
  const length = view.getUint16(lengthOffset)
  if (length < SEGMENT_LENGTH_BYTES) return NOT_A_JPEG
  const end = lengthOffset + length
  return end > bytes.length ? TRUNCATED_JPEG : { code, lengthOffset, end }
}

const findScanEnd = (bytes: Uint8Array, from: number): number => {
  for (let offset = from; offset < bytes.length; offset++) {
    if (bytes[offset] !== 0xff) continue
    const code = bytes[offset + 1]
    if (code !== undefined && code !== 0 && code !== 0xff && !isRestartMarker(code)) return offset
  }
  return bytes.length
}

/** A JPEG needs a frame, and a scan after it. */
const findSegmentsFault = (bytes: Uint8Array, from: number): string | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [offset, hasFrame, hasScan] = [from, false, false]
  while (offset < bytes.length) {
    const segment = parseSegment(bytes, view, offset)
    if (typeof segment === "string") return segment
    const { code, lengthOffset, end } = segment
    if (code === EOI) return hasScan ? undefined : NOT_A_JPEG
    const fault = isFrameMarker(code) ? findFrameFault(view, lengthOffset) : undefined
    if (fault !== undefined) return fault
    hasFrame ||= isFrameMarker(code)
    hasScan ||= code === SOS
    if (hasScan && !hasFrame) return NOT_A_JPEG
    offset = code === SOS ? findScanEnd(bytes, end) : end
  }
  return TRUNCATED_JPEG
}

/** Returns an error message without the field name. Ignores bytes after the end marker, because cameras write there. */
export const findJpegFault = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > IMAGE_BYTES) return `must have at most ${IMAGE_BYTES} bytes, not ${bytes.length}.`
  return bytes[0] === 0xff && bytes[1] === SOI ? findSegmentsFault(bytes, 2) : NOT_A_JPEG
}
