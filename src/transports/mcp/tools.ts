import type { Tool } from "@modelcontextprotocol/server"
import {
  type AnyOperation,
  isAllowedForReadOnlyToken,
  type OperationFamily,
  routeOf,
  type ToolMetadata,
  toolMetadataOf
} from "../../contract/operation.ts"
import { publishedInputSchemaOf } from "../../contract/tool-schema.ts"
import type { DeploymentName } from "../../platform/installation.ts"
import { makeToolAliases } from "./aliases.ts"
import { makeUnknownArgumentNotice } from "./unknown-arguments.ts"

// Derives the MCP tools from the operations.

/** An operation as an MCP tool. */
export interface McpTool {
  /** Its entry in `tools/list`. */
  readonly definition: Tool
  /** Whether its arguments may contain an image, for which a larger body is accepted. */
  readonly takesImage: boolean
  /** Returns the notice of unknown arguments. Undefined: there are none. */
  readonly describeUnknownArguments: (fields: unknown) => string | undefined
}

/** Returns the tools among the operations, by name, in the order of the operations. */
export const makeTools = (
  operations: ReadonlyArray<AnyOperation>,
  deployment: DeploymentName = "international"
): ReadonlyMap<string, McpTool> => {
  const tools = new Map<string, McpTool>()
  for (const operation of operations) {
    const metadata = toolMetadataOf(operation)
    if (metadata === undefined) continue
    tools.set(operation._tag, {
      definition: toToolDefinition(operation, metadata, deployment),
      takesImage: routeOf(operation).body === "image",
      describeUnknownArguments: makeUnknownArgumentNotice(operation.payloadSchema)
    })
  }
  return tools
}

/** Returns a function that finds a tool by its name or an alias. */
export const makeToolLookup = (tools: ReadonlyMap<string, McpTool>) => {
  const aliases = makeToolAliases(Array.from(tools.keys()))
  return (name: string): McpTool | undefined => tools.get(name) ?? tools.get(aliases.get(name) ?? "")
}

const toToolDefinition = (
  operation: AnyOperation,
  metadata: OperationFamily & ToolMetadata,
  deployment: DeploymentName
): Tool => {
  const { method } = routeOf(operation)
  return {
    name: operation._tag,
    title: toTitle(operation._tag),
    description: metadata.description,
    inputSchema: publishedInputSchemaOf(operation.payloadSchema, deployment),
    annotations: {
      readOnlyHint: isAllowedForReadOnlyToken(operation),
      destructiveHint: metadata.destructive ?? method === "DELETE",
      // A repeated call changes nothing, except with POST.
      idempotentHint: metadata.idempotent ?? method !== "POST",
      openWorldHint: metadata.openWorld
    },
    // Specification, Tool-protocol endpoint, "Tool metadata per tool".
    _meta: {
      category: metadata.category,
      read_only: isAllowedForReadOnlyToken(operation),
      requires_confirmation: metadata.requiresConfirmation,
      since_version: metadata.since,
      intent_examples: [...metadata.intentExamples]
    }
  }
}

/** `search_transactions` → `Search transactions`. */
const toTitle = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`
