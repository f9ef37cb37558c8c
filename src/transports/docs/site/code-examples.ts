import { IDEMPOTENCY_KEY_HEADER } from "../../../contract/idempotency-key.ts"
import type { FieldDescription, OperationDescription } from "../operation-descriptions.ts"

export type ExampleRequest = Readonly<Record<string, unknown>>

type ToCode = (operation: OperationDescription, request: ExampleRequest, publicUrl: string) => string

export const toPrettyJson = (value: unknown): string => JSON.stringify(value, null, 2)

export const takesIdempotencyKey = ({ isChange, needsToken }: OperationDescription): boolean => isChange && needsToken

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

const toUrl: ToCode = (operation, request, publicUrl) => {
  const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(toQueryText(request[name]))
  )
  const query = new URLSearchParams(
    fieldsAtLocation(operation, request, "query").map(([name, value]): [string, string] => [name, toQueryText(value)])
  )
  return `${publicUrl}/v3${path}${query.size === 0 ? "" : `?${query.toString()}`}`
}

const toBody = (operation: OperationDescription, request: ExampleRequest): ExampleRequest | undefined => {
  const fields = fieldsAtLocation(operation, request, "body")
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

const indent = (text: string, spaces: number): string => text.replaceAll("\n", `\n${" ".repeat(spaces)}`)

/** A shell has no escape in single quotes, so each quote in the text closes and reopens them. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const toCurlCommand: ToCode = (operation, request, publicUrl) => {
  const body = toBody(operation, request)
  const lines = [
    `curl${operation.method === "GET" ? "" : ` -X ${operation.method}`} "${toUrl(operation, request, publicUrl)}"`,
    ...(operation.needsToken ? ['-H "Service-Access-Token: $TOKEN"'] : []),
    ...(takesIdempotencyKey(operation) ? [`-H "${IDEMPOTENCY_KEY_HEADER}: $KEY"`] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoteForShell(toPrettyJson(body))}`])
  ]
  return lines.join(" \\\n  ")
}

const JAVASCRIPT_NAME = /^[A-Za-z_$][\w$]*$/

const toJavaScriptLiteral = (value: unknown): string =>
  toPrettyJson(value).replaceAll(/^( *)"([^"\\]+)":/gm, (line, spaces: string, name: string) =>
    JAVASCRIPT_NAME.test(name) ? `${spaces}${name}:` : line
  )

export const toJavaScript: ToCode = (operation, request, publicUrl) => {
  const body = toBody(operation, request)
  const headers = [
    ...(operation.needsToken ? ['"Service-Access-Token": process.env.TOKEN'] : []),
    ...(takesIdempotencyKey(operation) ? [`"${IDEMPOTENCY_KEY_HEADER}": crypto.randomUUID()`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"'])
  ]
  const options = [
    ...(operation.method === "GET" ? [] : [`  method: "${operation.method}"`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n    ${headers.join(",\n    ")}\n  }`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(toJavaScriptLiteral(body), 2)})`])
  ]
  const optionsText = options.length === 0 ? "" : `, {\n${options.join(",\n")}\n}`
  return `const response = await fetch("${toUrl(operation, request, publicUrl)}"${optionsText})
const { error_code, error_msg, data } = await response.json()
if (error_code !== 0) throw new Error(\`\${error_code}: \${error_msg}\`)
console.log(data)`
}

const PYTHON_CONSTANTS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" }

/** A line of pretty JSON whose value is true, false or null. */
const JSON_CONSTANT = /^( *(?:"(?:[^"\\]|\\.)*": )?)(true|false|null)(,?)$/gm

const toPythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(
    JSON_CONSTANT,
    (_, start: string, constant: string, end: string) => `${start}${PYTHON_CONSTANTS[constant] ?? constant}${end}`
  )

export const toPython: ToCode = (operation, request, publicUrl) => {
  const body = toBody(operation, request)
  const headers = [
    ...(operation.needsToken ? ['"Service-Access-Token": os.environ["TOKEN"]'] : []),
    ...(takesIdempotencyKey(operation) ? [`"${IDEMPOTENCY_KEY_HEADER}": str(uuid.uuid4())`] : [])
  ]
  const imports = [
    ...(operation.needsToken ? ["import os"] : []),
    ...(takesIdempotencyKey(operation) ? ["import uuid"] : [])
  ]
  const parameters = [
    `"${toUrl(operation, request, publicUrl)}"`,
    ...(headers.length === 0 ? [] : [`headers={\n        ${headers.join(",\n        ")},\n    }`]),
    ...(body === undefined ? [] : [`json=${indent(toPythonLiteral(body), 4)}`]),
    "timeout=30"
  ]
  const importText = imports.length === 0 ? "" : `${imports.join("\n")}\n\n`
  return `${importText}import requests

response = requests.${operation.method.toLowerCase()}(
    ${parameters.join(",\n    ")},
)
result = response.json()
if result["error_code"] != 0:
    raise RuntimeError(f"{result['error_code']}: {result['error_msg']}")
print(result["data"])`
}
