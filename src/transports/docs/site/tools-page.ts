import { describeOperations, type OperationDescription } from "../operation-descriptions.ts"
import type { DocsPage } from "./docs-page.ts"
import { markdownTable } from "./operation-page.ts"

const toolRow = ({ name, summary, isReadOnly, tool }: OperationDescription): ReadonlyArray<string> => [
  `[\`${name}\`](${name}.md)`,
  summary,
  isReadOnly ? "reads" : tool?.requiresConfirmation === true ? "writes, ask first" : "writes",
  tool?.since ?? ""
]

const categorySection = (category: string, tools: ReadonlyArray<OperationDescription>): string => {
  const rows = tools.filter(({ tool }) => tool?.category === category).map(toolRow)
  return `## ${category}\n\n${markdownTable(["tool", "what it does", "", "since"], rows)}`
}

/** Returns the tool catalogue (specification, Machine-readable resources). */
export const renderToolsPage = (): DocsPage => {
  const tools = describeOperations().filter(({ tool }) => tool !== undefined)
  const categories = Array.from(new Set(tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.category]))))
  const readToolCount = tools.filter(({ isReadOnly }) => isReadOnly).length
  const confirmationCount = tools.filter(({ tool }) => tool?.requiresConfirmation === true).length
  return {
    slug: "mcp-tools-reference",
    title: "Tools",
    description: `The ${tools.length} tools of the MCP endpoint, by category.`,
    section: "Tools and operations",
    markdown: `# Tools

The MCP endpoint has ${tools.length} tools: ${readToolCount} read and ${tools.length - readToolCount} write. Before ${confirmationCount} of the latter an agent should ask its user. A read-only
token sees the tools that read. [How to call a tool](mcp-tools.md) has the protocol.

${categories.map((category) => categorySection(category, tools)).join("\n\n")}
`
  }
}
