/** Type and length of a message in PostgreSQL's protocol. */
const HEAD_BYTES = 5
const ERROR = 0x45

const findField = (error: Buffer, letter: string): string | undefined =>
  error
    .toString("utf8")
    .split("\0")
    .find((field) => field.startsWith(letter))
    ?.slice(1)

/** After a PANIC, the next statement of the embedded database would never end. */
export const findPanic = (answer: Buffer): string | undefined => {
  for (let offset = 0; offset + HEAD_BYTES <= answer.length; offset += 1 + answer.readInt32BE(offset + 1)) {
    if (answer[offset] !== ERROR) continue
    const error = answer.subarray(offset + HEAD_BYTES, offset + 1 + answer.readInt32BE(offset + 1))
    if (findField(error, "V") === "PANIC") return findField(error, "M") ?? "no reason given"
  }
  return undefined
}
