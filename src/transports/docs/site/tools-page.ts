import { describeOperations, type OperationDescription } from "../operation-descriptions.ts"
import type { DocsPage } from "./docs-page.ts"
import { markdownTable } from "./operation-page.ts"

// The catalogue of tools (specification, Machine-readable resources): what each does, and whether to ask first.

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

export const renderToolsPage = (): DocsPage => {
  const tools = describeOperations().filter(({ tool }) => tool !== undefined)
  const categories = Array.from(new Set(tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.category]))))
  const readToolCount = tools.filter(({ isReadOnly }) => isReadOnly).length
  const confirmationCount = tools.filter(({ tool }) => tool?.requiresConfirmation === true).length
  return {
    slug: "mcp-tools-reference",
    title: "Tools",
    description: `The ${tools.length} tools, by category`,
    section: "Tools and operations",
    markdown: `# Tools

The ${tools.length} tools of the MCP endpoint: ${readToolCount} read, ${tools.length - readToolCount} write, and before ${confirmationCount} of those the user should be asked. A
read-only token sees those that read. How they are called: [Using the tools](mcp.md).

${categories.map((category) => categorySection(category, tools)).join("\n\n")}
`
  }
}
