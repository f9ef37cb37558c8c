import type { Tool } from "@modelcontextprotocol/server"
import { publishedSchemaOf } from "../../contract/input-schema.ts"
import { type AnyOperation, type Family, isRead, routeOf, type ToolCard, toolCardOf } from "../../contract/operation.ts"
import type { DeploymentName } from "../../platform/installation.ts"
import { ignoredBy } from "./ignored.ts"
import { otherNames } from "./other-names.ts"

/** An operation as MCP offers it. */
export interface OfferedTool {
  /** Its entry in `tools/list`. */
  readonly listed: Tool
  /** Whether its arguments may carry an image, for which a larger body is let in. */
  readonly takesImage: boolean
  /** What to say of arguments it does not know, if there are any. */
  readonly ignored: (fields: unknown) => string | undefined
}

/** The tools among the operations, by name, in the order of the operations. */
export const toolsOf = (
  operations: ReadonlyArray<AnyOperation>,
  deployment: DeploymentName = "international"
): ReadonlyMap<string, OfferedTool> => {
  const tools = new Map<string, OfferedTool>()
  for (const operation of operations) {
    const card = toolCardOf(operation)
    if (card === undefined) continue
    tools.set(operation._tag, {
      listed: listingOf(operation, card, deployment),
      takesImage: routeOf(operation).body === "image",
      ignored: ignoredBy(operation.payloadSchema)
    })
  }
  return tools
}

/** Finds a tool by what a client calls it. */
export const toolFinder = (tools: ReadonlyMap<string, OfferedTool>) => {
  const others = otherNames(Array.from(tools.keys()))
  return (name: string): OfferedTool | undefined => tools.get(name) ?? tools.get(others.get(name) ?? "")
}

const listingOf = (operation: AnyOperation, card: Family & ToolCard, deployment: DeploymentName): Tool => {
  const { method } = routeOf(operation)
  return {
    name: operation._tag,
    title: titleOf(operation._tag),
    description: card.description,
    inputSchema: publishedSchemaOf(operation.payloadSchema, deployment),
    annotations: {
      readOnlyHint: isRead(operation),
      destructiveHint: card.destructive ?? method === "DELETE",
      // Sent again, all but a POST leave things as the first time did.
      idempotentHint: card.idempotent ?? method !== "POST",
      openWorldHint: card.openWorld
    },
    // Specification, Tool-protocol endpoint, "Tool metadata per tool".
    _meta: {
      category: card.category,
      read_only: isRead(operation),
      requires_confirmation: card.requiresConfirmation,
      since_version: card.since,
      intent_examples: [...card.intentExamples]
    }
  }
}

/** `search_transactions` → `Search transactions`. */
const titleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`
