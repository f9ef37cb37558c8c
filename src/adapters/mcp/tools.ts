import type { Tool } from "@modelcontextprotocol/server"
import { type AnyOperation, type Family, isRead, routeOf, type ToolCard, toolCardOf } from "../../contract/operation.ts"
import { inputSchemaOf } from "./input-schema.ts"

/** An operation as MCP offers it. */
export interface OfferedTool {
  /** Its entry in `tools/list`. */
  readonly listed: Tool
  /** Whether its arguments may carry an image, for which a larger body is let in. */
  readonly takesImage: boolean
}

/** The tools among the operations, by name, in the order of the operations. */
export const toolsOf = (operations: ReadonlyArray<AnyOperation>): ReadonlyMap<string, OfferedTool> => {
  const tools = new Map<string, OfferedTool>()
  for (const operation of operations) {
    const card = toolCardOf(operation)
    if (card === undefined) continue
    tools.set(operation._tag, {
      listed: listingOf(operation, card),
      takesImage: routeOf(operation).body === "image"
    })
  }
  return tools
}

const listingOf = (operation: AnyOperation, card: Family & ToolCard): Tool => {
  const { method } = routeOf(operation)
  return {
    name: operation._tag,
    title: titleOf(operation._tag),
    description: descriptionOf(card),
    inputSchema: inputSchemaOf(operation.payloadSchema),
    annotations: {
      readOnlyHint: isRead(operation),
      destructiveHint: method === "DELETE",
      // Sent again, all but a POST leave things as the first time did.
      idempotentHint: method !== "POST",
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

/** Examples stand in the text too: few clients show a model anything else. */
const descriptionOf = (card: ToolCard): string =>
  card.intentExamples.length === 0
    ? card.description
    : `${card.description}\n\nFor example:\n${card.intentExamples.map((example) => `- ${example}`).join("\n")}`
