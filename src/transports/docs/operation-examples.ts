import type { DeploymentName } from "../../platform/installation.ts"
import examples from "./examples.json" with { type: "json" }

export interface OperationExample {
  readonly request: Readonly<Record<string, unknown>>
  /** The whole envelope of the response. */
  readonly answer: unknown
}

const INTERNATIONAL_EXAMPLES: ReadonlyMap<string, OperationExample> = new Map(Object.entries(examples.international))

/** The operations that differ on the regional deployment. */
const REGIONAL_EXAMPLES: ReadonlyMap<string, OperationExample> = new Map(Object.entries(examples.regional))

/** Returns the example that `npm run examples` recorded for an operation. */
export const findExample = (name: string, deployment: DeploymentName = "international"): OperationExample | undefined =>
  (deployment === "regional" ? REGIONAL_EXAMPLES.get(name) : undefined) ?? INTERNATIONAL_EXAMPLES.get(name)
