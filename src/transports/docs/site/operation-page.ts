import { KEY_HEADER } from "../../../contract/idempotency-key.ts"
import { type Described, type DescribedField, takesQueryOrBody } from "../described.ts"
import { errorRowOf } from "../error-table.ts"
import type { Example } from "../examples.ts"
import { TAGS, tagOf } from "../tags.ts"
import { inWords, rowsOf } from "./in-words.ts"
import type { Page } from "./page.ts"

// The page of an operation, which is that of its tool: all of it from the contract, and an example of the demo operator.

/** What stands in a cell: no line and no column may end there. */
const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ")
    .replaceAll(/<(?=[a-z])/g, "\\<")

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const json = (value: unknown): string => JSON.stringify(value, null, 2)

type Request = Readonly<Record<string, unknown>>

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))

const sentIn = (
  { fields }: Described,
  request: Request,
  place: DescribedField["place"]
): ReadonlyArray<[string, unknown]> =>
  fields.flatMap(
    ({ name, place: at }): ReadonlyArray<[string, unknown]> =>
      at === place && name in request ? [[name, request[name]]] : []
  )

/** In single quotes of a shell, which know no escape. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The call as a shell makes it; `$TOKEN` is the reader's. */
export const curlOf = (operation: Described, request: Request, publicUrl: string): string => {
  const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(asText(request[name]))
  )
  const query = new URLSearchParams(
    sentIn(operation, request, "query").map(([name, value]): [string, string] => [name, asText(value)])
  )
  const asked = query.size === 0 ? "" : `?${query.toString()}`
  const body = sentIn(operation, request, "body")
  const lines = [
    `curl${operation.method === "GET" ? "" : ` -X ${operation.method}`} "${publicUrl}/v3${path}${asked}"`,
    ...(operation.needsToken ? ['-H "Service-Access-Token: $TOKEN"'] : []),
    ...(body.length === 0
      ? []
      : ['-H "Content-Type: application/json"', `-d ${quoted(json(Object.fromEntries(body)))}`])
  ]
  return lines.join(" \\\n  ")
}

const factsOf = ({ method, path, tool, readOnly, needsToken, changes, name }: Described): string => {
  const facts: ReadonlyArray<ReadonlyArray<string>> = [
    ["REST", `\`${method} /v3${path}\``],
    ["Tool", tool === undefined ? "none" : `\`${name}\``],
    ["Token", needsToken ? (readOnly ? "read-only or writable" : "writable") : "none"],
    ...(changes && needsToken ? [["Repeat safely", `with \`${KEY_HEADER}\` ([Doing it once](retries.md))`]] : []),
    ...(tool === undefined
      ? []
      : [
          ["Ask the user first", tool.requiresConfirmation ? "yes" : "no"],
          ["Since", tool.since]
        ])
  ]
  return table(["", ""], facts)
}

const fieldsOf = (operation: Described): string => {
  const { fields } = operation
  if (fields.length === 0) return "None."
  const shown = fields.filter(({ neverChanges }) => !neverChanges)
  const fixed = fields.filter(({ neverChanges }) => neverChanges).map(({ name }) => `\`${name}\``)
  const rows = shown.map(({ name, place, required, schema }) => {
    const { description, deprecated } = schema
    const said = [deprecated === true ? "Deprecated." : "", typeof description === "string" ? description : ""]
    const from = place === "query" && takesQueryOrBody(operation) ? "query or body" : place
    return [`\`${name}\``, from, required ? "yes" : "", inWords(schema), said.filter((each) => each !== "").join(" ")]
  })
  const taken = fixed.length === 0 ? "" : `\n\nTaken with the value there is, and no other: ${fixed.join(", ")}.`
  return `${table(["field", "in", "required", "type", "meaning"], rows)}${taken}`
}

const answerOf = ({ answer }: Described): string => {
  const rows = rowsOf(answer)
  if (rows.length === 0) return "`data` is an empty object."
  return table(
    ["field of `data`", "type", "meaning"],
    rows.map(({ path, type, description, isDeprecated }) => [
      `\`${path}\``,
      type,
      `${isDeprecated ? "Deprecated. " : ""}${description}`
    ])
  )
}

const errorsOf = ({ errors }: Described): string =>
  table(
    ["`error_code`", "meaning", "what to do"],
    errors.map((code) => {
      const { meaning = "", advice = "" } = errorRowOf(code) ?? {}
      return [String(code), meaning, advice]
    })
  )

const asTool = ({ name, tool, notATool }: Described, request: Request): string => {
  if (tool === undefined) return `Not a tool: ${notATool ?? ""}.`
  const said = tool.intentExamples.map((example) => `- ${example}`).join("\n")
  return `${fenced("json", json({ name, arguments: request }))}\n\nWhat a host says that it answers:\n\n${said}`
}

/** Under what people look for it. */
const titleOf = (operation: Described): string => {
  const name = tagOf(operation)
  return TAGS.find((tag) => tag.name === name)?.title ?? name
}

/** The page of an operation, for who reaches the service at `publicUrl`. */
export const operationPage = (operation: Described, publicUrl: string, example: Example | undefined): Page => {
  const { request = {}, answer } = example ?? {}
  const parts = [
    `# ${operation.name}`,
    operation.summary.endsWith(".") ? operation.summary : `${operation.summary}.`,
    ...(operation.description === operation.summary ? [] : [operation.description]),
    factsOf(operation),
    "## Fields",
    fieldsOf(operation),
    "## Example",
    "As the demo operator was answered. Its codes, and ids of what was made that day, are others at yours.",
    fenced("sh", curlOf(operation, request, publicUrl)),
    fenced("json", json(answer)),
    "## As a tool",
    asTool(operation, request),
    "## Answer",
    answerOf(operation),
    "## Errors",
    errorsOf(operation)
  ]
  return {
    slug: operation.name,
    title: operation.name,
    description: operation.summary,
    section: titleOf(operation),
    markdown: `${parts.join("\n\n")}\n`
  }
}
