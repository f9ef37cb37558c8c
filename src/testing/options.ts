import { inspect, types } from "node:util"
import type { LatchkeyOptions, TestLatchkey } from "./types.ts"

const PORT_MAX = 65_535
/** A date, or a date and time with its offset, because a time without one would depend on this machine's time zone. */
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

// As the command `serve` (tools/test-server/options.ts), which this entry does not import.
const NOW_MIN = Date.parse("1970-01-01T00:00:00Z")
const NOW_MAX = Date.parse("9998-12-31T00:00:00Z")

export interface StartSettings {
  /** 0 for a free port. */
  readonly port: number
  /** The arguments of the command `serve`. */
  readonly serveArguments: ReadonlyArray<string>
  /** Adds the data of the start. */
  readonly addData: ((latchkey: TestLatchkey) => Promise<void>) | undefined
}

const reject = (option: string, expected: string, value: unknown): never => {
  throw new TypeError(`${option}: must be ${expected}, not ${inspect(value)}.`)
}

const toIsoText = (now: Date | string): string => {
  const isWellFormed = types.isDate(now) || (typeof now === "string" && ISO_INSTANT.test(now))
  const date = new Date(isWellFormed ? now : Number.NaN)
  const isUsable = date.getTime() >= NOW_MIN && date.getTime() <= NOW_MAX
  return isUsable
    ? date.toISOString()
    : reject("now", "a Date, or an ISO 8601 text such as 2027-01-04T09:00:00Z, from 1970 to 9998", now)
}

/** Returns the settings for `options`. Throws a TypeError that names the first wrong option. */
export const readOptions = (options: LatchkeyOptions): StartSettings => {
  if (typeof options !== "object" || options === null) return reject("options", "an object", options)
  const { seed = "demo", now, port = 0, ...unknownOptions } = options
  const [unknownName] = Object.keys(unknownOptions)
  if (unknownName !== undefined) throw new TypeError(`${unknownName}: is not an option. Use seed, now or port.`)
  if (seed !== "demo" && seed !== "empty" && typeof seed !== "function")
    return reject("seed", `"demo", "empty" or a function`, seed)
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    return reject("port", `a whole number from 0 to ${PORT_MAX}`, port)
  const addData = typeof seed === "function" ? seed : undefined
  return {
    port,
    serveArguments: [
      ...["--seed", typeof seed === "function" ? "empty" : seed],
      ...(now === undefined ? [] : ["--now", toIsoText(now)])
    ],
    addData
  }
}
