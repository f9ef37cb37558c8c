import { NAME_TOLD } from "../platform/limits.ts"

/** A name somebody sent as an answer may repeat it: on one line, well-formed, and cut when it is long. */
export const toldName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * NAME_TOLD + 2).toWellFormed())
  const kept = characters.slice(0, NAME_TOLD).join("")
  return `${kept.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")}${characters.length > NAME_TOLD ? "…" : ""}`
}
