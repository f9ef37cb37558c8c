import { Redacted, Result } from "effect"

export const MAX_OTEL_ENTRIES = 64
const MAX_OTEL_ENTRY_CHARACTERS = 4_096

/** Parses `key=value,key=value` with percent-encoded values (W3C Baggage). */
const parseEntries = (text: string): ReadonlyArray<readonly [string, string]> | undefined => {
  const parts = text.split(",").filter((part) => part.trim() !== "")
  if (parts.length > MAX_OTEL_ENTRIES) return undefined
  const entries = parts.map((part) => {
    const separator = part.indexOf("=")
    const name = part.slice(0, separator).trim()
    const value = Result.getOrUndefined(Result.try(() => decodeURIComponent(part.slice(separator + 1).trim())))
    const isValid = separator > 0 && name !== "" && value !== undefined && part.length <= MAX_OTEL_ENTRY_CHARACTERS
    return isValid ? ([name, value] as const) : undefined
  })
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

export type CollectorHeaders = Redacted.Redacted<Readonly<Record<string, string>>>

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e]*$/

/** The headers are redacted, because they often contain a key. */
export const parseCollectorHeaders = (text: string): CollectorHeaders | undefined => {
  const entries = parseEntries(text)
  return entries?.every(([name, value]) => TOKEN.test(name) && VALUE.test(value))
    ? Redacted.make(Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])))
    : undefined
}

export type ResourceAttributes = Readonly<Record<string, string>>

export const parseResourceAttributes = (text: string): ResourceAttributes | undefined => {
  const entries = parseEntries(text)
  return entries === undefined ? undefined : Object.fromEntries(entries)
}
