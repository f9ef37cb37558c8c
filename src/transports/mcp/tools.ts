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

export interface McpTool {
  readonly definition: Tool
  readonly takesImage: boolean
  readonly describeUnknownArguments: (fields: unknown) => string | undefined
}

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

const toTitle = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`
