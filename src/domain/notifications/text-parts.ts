import { NOTIFICATION_TEXT_LENGTH } from "../../platform/limits.ts"

/** Returns one line of at most NOTIFICATION_TEXT_LENGTH characters, or null for an empty text. */
export const toShortText = (text: string | null): string | null => {
  const line = (text ?? "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
  const characters = Array.from(line)
  if (characters.length <= NOTIFICATION_TEXT_LENGTH) return line === "" ? null : line
  return `${characters
    .slice(0, NOTIFICATION_TEXT_LENGTH - 1)
    .join("")
    .trimEnd()}…`
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** Formats `YYYY-MM-DD` as `14 Jan 2027`. */
const formatDate = (date: string): string => {
  const [year = "", month = "", day = ""] = date.split("-")
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ""} ${year}`
}

export const formatDateRange = (from: string | null, to: string | null): string | null =>
  from === null || to === null ? null : `${formatDate(from)} – ${formatDate(to)}`
