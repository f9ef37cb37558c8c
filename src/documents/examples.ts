import examples from "./examples.json" with { type: "json" }

/** A call and what the demo operator was answered. */
export interface Example {
  /** The fields that were sent, all together. */
  readonly request: Readonly<Record<string, unknown>>
  /** The envelope. */
  readonly answer: unknown
}

const EXAMPLES: ReadonlyMap<string, Example> = new Map(Object.entries(examples))

/** An example of an operation, taken from the demo operator by `npm run examples`. */
export const exampleOf = (name: string): Example | undefined => EXAMPLES.get(name)
