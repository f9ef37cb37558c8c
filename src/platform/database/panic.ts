/** A message of PostgreSQL's protocol begins with its kind and its length, itself included. */
const HEAD_BYTES = 5
const ERROR = 0x45

/** Fields of an error: a letter and a text that ends with a zero byte. */
const findField = (error: Buffer, letter: string): string | undefined =>
  error
    .toString("utf8")
    .split("\0")
    .find((field) => field.startsWith(letter))
    ?.slice(1)

/**
 * What the database said as it gave itself up (severity PANIC), among the messages of an answer. A server's other processes would
 * start it anew; of an embedded one nothing is left to work with, and its next statement never ends.
 */
export const findPanic = (answer: Buffer): string | undefined => {
  for (let offset = 0; offset + HEAD_BYTES <= answer.length; offset += 1 + answer.readInt32BE(offset + 1)) {
    if (answer[offset] !== ERROR) continue
    const error = answer.subarray(offset + HEAD_BYTES, offset + 1 + answer.readInt32BE(offset + 1))
    if (findField(error, "V") === "PANIC") return findField(error, "M") ?? "no reason given"
  }
  return undefined
}
