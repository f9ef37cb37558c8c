export const SEEDS = ["demo", "empty"] as const
/** `demo` is the demo operator, `empty` an operator without properties. */
export type Seed = (typeof SEEDS)[number]

/** Where the clock may start, and the time that it does not pass. */
export const CLOCK_START = { min: Date.parse("1970-01-01T00:00:00Z"), max: Date.parse("9998-12-31T00:00:00Z") }
export const CLOCK_END = Date.parse("9999-12-31T00:00:00Z")

export interface TestServerOptions {
  readonly seed: Seed
  /** Where the clock starts, in milliseconds. Undefined for the present. */
  readonly now: number | undefined
}
