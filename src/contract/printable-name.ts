import { REPORTED_NAME_LENGTH } from "../platform/limits.ts"

/** Makes a received name safe to repeat in a message: one line, well-formed and short. */
export const toPrintableName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * REPORTED_NAME_LENGTH + 2).toWellFormed())
  const shortenedName = characters.slice(0, REPORTED_NAME_LENGTH).join("")
  return `${shortenedName.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")}${characters.length > REPORTED_NAME_LENGTH ? "…" : ""}`
}
