import { type Described, describedOperations } from "../described.ts"
import { table } from "./operation-page.ts"
import type { Page } from "./page.ts"

/** The catalogue of tools (specification, Machine-readable resources): what each does, and whether to ask first. */

const tools = describedOperations.filter(({ tool }) => tool !== undefined)

const ofCategory = (category: string): ReadonlyArray<Described> =>
  tools.filter(({ tool }) => tool?.category === category)

const categories = Array.from(new Set(tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.category]))))

const section = (category: string): string => {
  const rows = ofCategory(category).map(({ name, summary, readOnly, tool }) => [
    `[\`${name}\`](${name}.md)`,
    summary,
    readOnly ? "reads" : tool?.requiresConfirmation === true ? "writes, ask first" : "writes",
    tool?.since ?? ""
  ])
  return `## ${category}\n\n${table(["tool", "what it does", "", "since"], rows)}`
}

const read = tools.filter(({ readOnly }) => readOnly).length
const asked = tools.filter(({ tool }) => tool?.requiresConfirmation === true).length

export const toolsPage: Page = {
  slug: "mcp-tools-reference",
  title: "Tools",
  description: `The ${tools.length} tools, by category`,
  section: "Tools and operations",
  markdown: `# Tools

The ${tools.length} tools of the MCP endpoint: ${read} read, ${tools.length - read} write, and before ${asked} of those the user should be asked. A
read-only token sees those that read. How they are called: [Using the tools](mcp.md).

${categories.map(section).join("\n\n")}
`
}
