import { Cause, Formatter, type Logger, Predicate, References } from "effect"
import { redactSecrets } from "./secret-redaction.ts"

interface LogEntry {
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

const isRecord = (part: unknown): part is Readonly<Record<string, unknown>> =>
  Predicate.isObject(part) && Object.getPrototypeOf(part) === Object.prototype

const toLogEntry = ({ message, fiber }: Logger.Options<unknown>): LogEntry => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const texts: Array<string> = []
  const fields: Record<string, unknown> = { ...fiber.getRef(References.CurrentLogAnnotations) }
  for (const part of parts) {
    if (isRecord(part)) Object.assign(fields, part)
    else texts.push(typeof part === "string" ? part : Formatter.format(part))
  }
  return { text: texts.join(" "), fields }
}

const toCauseText = ({ cause }: Logger.Options<unknown>): string | undefined =>
  cause.reasons.length === 0 ? undefined : Cause.pretty(cause)

const isPrimitive = (value: unknown): boolean =>
  value === undefined || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

export const formatJsonLine = (options: Logger.Options<unknown>): string => {
  const { text, fields } = toLogEntry(options)
  const span = options.fiber.cache.span
  const line: Record<string, unknown> = {
    time: options.date.toISOString(),
    level: options.logLevel.toLowerCase(),
    message: text
  }
  let isAllPrimitive = true
  for (const name of Object.keys(fields)) {
    if (name === "time" || name === "level" || name === "message") continue
    line[name] = fields[name]
    isAllPrimitive &&= isPrimitive(fields[name])
  }
  line.cause = toCauseText(options)
  line.trace_id = span?.traceId
  line.span_id = span?.spanId
  // JSON.stringify fails for values such as a bigint or a cycle.
  return redactSecrets(isAllPrimitive ? JSON.stringify(line) : Formatter.formatJson(line))
}

const formatField = (value: unknown): string =>
  typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : Formatter.formatJson(value)

/** Returns `15:04:05.678 INFO  text name=value …`, in UTC, with the cause on further lines. */
export const formatPrettyLine = (options: Logger.Options<unknown>): string => {
  const { text, fields } = toLogEntry(options)
  const values = Object.entries(fields).map(([name, value]) => `${name}=${formatField(value)}`)
  const time = options.date.toISOString().slice(11, 23)
  const line = [`${time} ${options.logLevel.toUpperCase().padEnd(5)}`, text, ...values]
    .filter((part) => part !== "")
    .join(" ")
  const cause = toCauseText(options)
  return redactSecrets(cause === undefined ? line : `${line}\n${cause.replace(/^/gm, "  ")}`)
}
