import { IDEMPOTENCY_KEY_HEADER } from "../../../contract/idempotency-key.ts"
import { findErrorRow } from "../error-table.ts"
import { type FieldDescription, type OperationDescription, takesQueryOrBody } from "../operation-descriptions.ts"
import type { OperationExample } from "../operation-examples.ts"
import { OPERATION_TAGS, operationTagName } from "../operation-tags.ts"
import type { DocsPage } from "./docs-page.ts"
import { toFieldRows, toSchemaText } from "./schema-text.ts"

// The page of an operation, which is that of its tool: all of it from the contract, and an example of the demo operator.

/** What stands in a cell: no line and no column may end there. */
const escapeCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .replaceAll(/<(?=[a-z])/g, "\\<")

export const markdownTable = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.map(escapeCell).join(" | ")} |`).join("\n")

const codeBlock = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const toPrettyJson = (value: unknown): string => JSON.stringify(value, null, 2)

type ExampleRequest = Readonly<Record<string, unknown>>

const toQueryText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

const fieldsAtLocation = (
  { fields }: OperationDescription,
  request: ExampleRequest,
  location: FieldDescription["location"]
): ReadonlyArray<[string, unknown]> =>
  fields.flatMap(
    ({ name, location: fieldLocation }): ReadonlyArray<[string, unknown]> =>
      fieldLocation === location && name in request ? [[name, request[name]]] : []
  )

/** In single quotes of a shell, which know no escape. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The call as a shell makes it; `$TOKEN` is the reader's. */
export const toCurlCommand = (operation: OperationDescription, request: ExampleRequest, publicUrl: string): string => {
  const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(toQueryText(request[name]))
  )
  const query = new URLSearchParams(
    fieldsAtLocation(operation, request, "query").map(([name, value]): [string, string] => [name, toQueryText(value)])
  )
  const queryText = query.size === 0 ? "" : `?${query.toString()}`
  const body = fieldsAtLocation(operation, request, "body")
  const lines = [
    `curl${operation.method === "GET" ? "" : ` -X ${operation.method}`} "${publicUrl}/v3${path}${queryText}"`,
    ...(operation.needsToken ? ['-H "Service-Access-Token: $TOKEN"'] : []),
    ...(body.length === 0
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoteForShell(toPrettyJson(Object.fromEntries(body)))}`])
  ]
  return lines.join(" \\\n  ")
}

const factsTable = ({ method, path, tool, isReadOnly, needsToken, isChange, name }: OperationDescription): string => {
  const facts: ReadonlyArray<ReadonlyArray<string>> = [
    ["REST", `\`${method} /v3${path}\``],
    ["Tool", tool === undefined ? "none" : `\`${name}\``],
    ["Token", needsToken ? (isReadOnly ? "read-only or writable" : "writable") : "none"],
    ...(isChange && needsToken
      ? [["Repeat safely", `with \`${IDEMPOTENCY_KEY_HEADER}\` ([Doing it once](retries.md))`]]
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
  const rows = visibleFields.map(({ name, location, required, schema }) => {
    const { description, deprecated } = schema
    const meaningParts = [deprecated === true ? "Deprecated." : "", typeof description === "string" ? description : ""]
    const locationText = location === "query" && takesQueryOrBody(operation) ? "query or body" : location
    return [
      `\`${name}\``,
      locationText,
      required ? "yes" : "",
      toSchemaText(schema),
      meaningParts.filter((each) => each !== "").join(" ")
    ]
  })
  const unchangeableNote =
    immutableNames.length === 0 ? "" : `\n\nTaken with the value there is, and no other: ${immutableNames.join(", ")}.`
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
  return `${codeBlock("json", toPrettyJson({ name, arguments: request }))}\n\nWhat a host says that it answers:\n\n${intentExamples}`
}

/** Under what people look for it. */
const sectionTitle = (operation: OperationDescription): string => {
  const name = operationTagName(operation)
  return OPERATION_TAGS.find((tag) => tag.name === name)?.title ?? name
}

/** The page of an operation, for who reaches the service at `publicUrl`. */
export const renderOperationPage = (
  operation: OperationDescription,
  publicUrl: string,
  example: OperationExample | undefined
): DocsPage => {
  const { request = {}, answer } = example ?? {}
  const markdownBlocks = [
    `# ${operation.name}`,
    operation.summary.endsWith(".") ? operation.summary : `${operation.summary}.`,
    ...(operation.description === operation.summary ? [] : [operation.description]),
    factsTable(operation),
    "## Fields",
    fieldsTable(operation),
    "## Example",
    "As the demo operator was answered. Its codes, and ids of what was made that day, are others at yours.",
    codeBlock("sh", toCurlCommand(operation, request, publicUrl)),
    codeBlock("json", toPrettyJson(answer)),
    "## As a tool",
    toolSection(operation, request),
    "## Answer",
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
