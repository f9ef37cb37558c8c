import type { DeploymentName } from "../../platform/installation.ts"
import examples from "./examples.json" with { type: "json" }

/** A call and what the demo operator was answered. */
export interface OperationExample {
  /** The fields that were sent, all together. */
  readonly request: Readonly<Record<string, unknown>>
  /** The envelope. */
  readonly answer: unknown
}

const INTERNATIONAL_EXAMPLES: ReadonlyMap<string, OperationExample> = new Map(Object.entries(examples.international))

/** Of what the regional deployment takes or answers otherwise. */
const REGIONAL_EXAMPLES: ReadonlyMap<string, OperationExample> = new Map(Object.entries(examples.regional))

/** An example of an operation, taken from the demo operator by `npm run examples`. */
export const findExample = (name: string, deployment: DeploymentName = "international"): OperationExample | undefined =>
  (deployment === "regional" ? REGIONAL_EXAMPLES.get(name) : undefined) ?? INTERNATIONAL_EXAMPLES.get(name)
