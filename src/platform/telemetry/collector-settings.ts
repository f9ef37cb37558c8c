import { Redacted, Result } from "effect"

// What OpenTelemetry's variables say of the collector and of who sends to it, beside its address and the sampler.

/** Entries that one variable holds, and characters of a name and of a value. */
export const MAX_OTEL_ENTRIES = 64
const MAX_OTEL_ENTRY_CHARACTERS = 4_096

/** `key=value,key=value`, values percent-encoded (W3C Baggage); undefined: it is none. */
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

/** Headers that go with everything sent to the collector (`OTEL_EXPORTER_OTLP_HEADERS`): mostly its key, so never shown. */
export const parseCollectorHeaders = (text: string): CollectorHeaders | undefined => {
  const entries = parseEntries(text)
  return entries?.every(([name, value]) => TOKEN.test(name) && VALUE.test(value))
    ? Redacted.make(Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value])))
    : undefined
}

/** What a collector shows of who sends (`OTEL_RESOURCE_ATTRIBUTES`). */
export type ResourceAttributes = Readonly<Record<string, string>>

export const parseResourceAttributes = (text: string): ResourceAttributes | undefined => {
  const entries = parseEntries(text)
  return entries === undefined ? undefined : Object.fromEntries(entries)
}
