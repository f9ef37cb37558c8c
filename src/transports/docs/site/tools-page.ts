import { type Described, operationsOf } from "../described.ts"
import { table } from "./operation-page.ts"
import type { Page } from "./page.ts"

// The catalogue of tools (specification, Machine-readable resources): what each does, and whether to ask first.

const rowOf = ({ name, summary, readOnly, tool }: Described): ReadonlyArray<string> => [
  `[\`${name}\`](${name}.md)`,
  summary,
  readOnly ? "reads" : tool?.requiresConfirmation === true ? "writes, ask first" : "writes",
  tool?.since ?? ""
]

const section = (category: string, tools: ReadonlyArray<Described>): string => {
  const rows = tools.filter(({ tool }) => tool?.category === category).map(rowOf)
  return `## ${category}\n\n${table(["tool", "what it does", "", "since"], rows)}`
}

export const toolsPage = (): Page => {
  const tools = operationsOf().filter(({ tool }) => tool !== undefined)
  const categories = Array.from(new Set(tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.category]))))
  const read = tools.filter(({ readOnly }) => readOnly).length
  const asked = tools.filter(({ tool }) => tool?.requiresConfirmation === true).length
  return {
    slug: "mcp-tools-reference",
    title: "Tools",
    description: `The ${tools.length} tools, by category`,
    section: "Tools and operations",
    markdown: `# Tools

The ${tools.length} tools of the MCP endpoint: ${read} read, ${tools.length - read} write, and before ${asked} of those the user should be asked. A
read-only token sees those that read. How they are called: [Using the tools](mcp.md).

${categories.map((category) => section(category, tools)).join("\n\n")}
`
  }
}
