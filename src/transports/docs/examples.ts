import type { DeploymentName } from "../../platform/installation.ts"
import examples from "./examples.json" with { type: "json" }

/** A call and what the demo operator was answered. */
export interface Example {
  /** The fields that were sent, all together. */
  readonly request: Readonly<Record<string, unknown>>
  /** The envelope. */
  readonly answer: unknown
}

const INTERNATIONAL: ReadonlyMap<string, Example> = new Map(Object.entries(examples.international))

/** Of what the regional deployment takes or answers otherwise. */
const REGIONAL: ReadonlyMap<string, Example> = new Map(Object.entries(examples.regional))

/** An example of an operation, taken from the demo operator by `npm run examples`. */
export const exampleOf = (name: string, deployment: DeploymentName = "international"): Example | undefined =>
  (deployment === "regional" ? REGIONAL.get(name) : undefined) ?? INTERNATIONAL.get(name)
