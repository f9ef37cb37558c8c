import { IDEMPOTENCY_KEY_HEADER } from "../../../contract/idempotency-key.ts"
import { findErrorRow } from "../error-table.ts"
import { type OperationDescription, takesQueryOrBody } from "../operation-descriptions.ts"
import type { OperationExample } from "../operation-examples.ts"
import { OPERATION_TAGS, operationTagName } from "../operation-tags.ts"
import {
  type ExampleRequest,
  takesIdempotencyKey,
  toCurlCommand,
  toJavaScript,
  toPrettyJson,
  toPython
} from "./code-examples.ts"
import type { DocsPage } from "./docs-page.ts"
import { toFieldRows, toSchemaText } from "./schema-text.ts"

/** Also escapes `<word>`, which Markdown reads as HTML outside of code. */
const escapeCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/<(?=[a-z])/g, "\\<")))
    .join("")

export const markdownTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.map(escapeCell).join(" | ")} |`).join("\n")

const codeBlock = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const factsTable = (operation: OperationDescription): string => {
  const { method, path, tool, isReadOnly, needsToken, name } = operation
  const facts: ReadonlyArray<ReadonlyArray<string>> = [
    ["REST", `\`${method} /v3${path}\``],
    ["Tool", tool === undefined ? "none" : `\`${name}\``],
    ["Token", needsToken ? (isReadOnly ? "read-only or writable" : "writable") : "none"],
    ...(takesIdempotencyKey(operation)
      ? [["Safe retry", `with \`${IDEMPOTENCY_KEY_HEADER}\` ([how](retry-safely.md))`]]
      : []),
    ...(tool === undefined
      ? []
      : [
          ["Ask the user first", tool.requiresConfirmation ? "yes" : "no"],
          ["Since", tool.since]
        ])
  ]
  return markdownTable(["", ""], facts)
}

const fieldsTable = (operation: OperationDescription): string => {
  const { fields } = operation
  if (fields.length === 0) return "None."
  const visibleFields = fields.filter(({ isImmutable }) => !isImmutable)
  const immutableNames = fields.filter(({ isImmutable }) => isImmutable).map(({ name }) => `\`${name}\``)
  const rows = visibleFields.flatMap(({ name, location, required, schema }) => {
    const { description, deprecated } = schema
    const meaningParts = [deprecated === true ? "Deprecated." : "", typeof description === "string" ? description : ""]
    const locationText = location === "query" && takesQueryOrBody(operation) ? "query or body" : location
    const row = [
      `\`${name}\``,
      locationText,
      required ? "yes" : "",
      toSchemaText(schema),
      meaningParts.filter((each) => each !== "").join(" ")
    ]
    const nestedRows = toFieldRows(schema, name, 1).map((nested) => [
      `\`${nested.path}\``,
      locationText,
      nested.isRequired ? "yes" : "",
      nested.type,
      nested.description
    ])
    return [row, ...nestedRows]
  })
  const unchangeableNote =
    immutableNames.length === 0
      ? ""
      : `\n\nThese fields cannot change. You may send them with their current values: ${immutableNames.join(", ")}.`
  return `${markdownTable(["field", "in", "required", "type", "meaning"], rows)}${unchangeableNote}`
}

const resultTable = ({ resultSchema }: OperationDescription): string => {
  const rows = toFieldRows(resultSchema)
  if (rows.length === 0) return "`data` is an empty object."
  return markdownTable(
    ["field of `data`", "type", "meaning"],
    rows.map(({ path, type, description, isDeprecated }) => [
      `\`${path}\``,
      type,
      `${isDeprecated ? "Deprecated. " : ""}${description}`
    ])
  )
}

const errorsTable = ({ errors }: OperationDescription): string =>
  markdownTable(
    ["`error_code`", "meaning", "what to do"],
    errors.map((code) => {
      const { meaning = "", advice = "" } = findErrorRow(code) ?? {}
      return [String(code), meaning, advice]
    })
  )

const toolSection = ({ name, tool, notAToolReason }: OperationDescription, request: ExampleRequest): string => {
  if (tool === undefined) return `Not a tool: ${notAToolReason ?? ""}.`
  const intentExamples = tool.intentExamples.map((example) => `- ${example}`).join("\n")
  return `${codeBlock("json", toPrettyJson({ name, arguments: request }))}\n\nRequests of a host that this tool serves:\n\n${intentExamples}`
}

const sectionTitle = (operation: OperationDescription): string => {
  const name = operationTagName(operation)
  return OPERATION_TAGS.find((tag) => tag.name === name)?.title ?? name
}

const exampleIntroduction = (operation: OperationDescription): string => {
  const sentences = [
    "The response is that of the demo operator. Codes, and ids of new records, differ on your account.",
    ...(operation.needsToken ? ["Set `TOKEN` to your access token."] : []),
    ...(takesIdempotencyKey(operation)
      ? ["For curl, set `KEY` to a new UUID. Send the same key again when you retry the change."]
      : []),
    "Python needs `pip install requests`."
  ]
  return sentences.join(" ")
}

const exampleSection = (
  operation: OperationDescription,
  publicUrl: string,
  { request, response }: { readonly request: ExampleRequest; readonly response: unknown }
): ReadonlyArray<string> => [
  "## Example",
  exampleIntroduction(operation),
  "### curl",
  codeBlock("sh", toCurlCommand(operation, request, publicUrl)),
  "### JavaScript",
  codeBlock("js", toJavaScript(operation, request, publicUrl)),
  "### Python",
  codeBlock("python", toPython(operation, request, publicUrl)),
  "### Response",
  codeBlock("json", toPrettyJson(response))
]

const withFullStop = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** Leaves out the summary, which the page already shows. */
const detailParagraphs = ({ summary, description }: OperationDescription): ReadonlyArray<string> =>
  description.split("\n\n").filter((paragraph) => withFullStop(paragraph) !== withFullStop(summary))

export const renderOperationPage = (
  operation: OperationDescription,
  publicUrl: string,
  example: OperationExample | undefined
): DocsPage => {
  const { request = {}, answer } = example ?? {}
  const markdownBlocks = [
    `# ${operation.name}`,
    withFullStop(operation.summary),
    ...detailParagraphs(operation),
    factsTable(operation),
    "## Fields",
    fieldsTable(operation),
    ...exampleSection(operation, publicUrl, { request, response: answer }),
    "## MCP tool",
    toolSection(operation, request),
    "## Result",
    resultTable(operation),
    "## Errors",
    errorsTable(operation)
  ]
  return {
    slug: operation.name,
    title: operation.name,
    description: operation.summary,
    section: sectionTitle(operation),
    markdown: `${markdownBlocks.join("\n\n")}\n`
  }
}
