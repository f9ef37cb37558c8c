// A backup ends with a frame that contains the SHA-256 of all bytes before it. `zstd -d` skips the frame (RFC 8878,
// 3.1.2).

const SKIPPABLE_FRAME_MAGIC = 0x18_4d_2a_50
const FRAME_HEADER_BYTES = 8
const LABEL = "latchkey sha256 "
const DIGEST_DIGITS = 64

export const CHECKSUM_FRAME_BYTES = FRAME_HEADER_BYTES + LABEL.length + DIGEST_DIGITS

export const makeChecksumFrame = (sha256: string): Buffer => {
  const text = Buffer.from(`${LABEL}${sha256}`)
  const head = Buffer.alloc(FRAME_HEADER_BYTES)
  head.writeUInt32LE(SKIPPABLE_FRAME_MAGIC, 0)
  head.writeUInt32LE(text.length, 4)
  return Buffer.concat([head, text])
}

const ZSTANDARD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

export const isZstandard = (first: Uint8Array): boolean =>
  ZSTANDARD_MAGIC.equals(first.subarray(0, ZSTANDARD_MAGIC.length))
