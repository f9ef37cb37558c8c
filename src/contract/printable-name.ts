import { REPORTED_NAME_LENGTH } from "../platform/limits.ts"

/** A name somebody sent as an answer may repeat it: on one line, well-formed, and cut when it is long. */
export const toPrintableName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * REPORTED_NAME_LENGTH + 2).toWellFormed())
  const shortenedName = characters.slice(0, REPORTED_NAME_LENGTH).join("")
  return `${shortenedName.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")}${characters.length > REPORTED_NAME_LENGTH ? "…" : ""}`
}
