import { describeOperations, type OperationDescription } from "../src/transports/docs/operation-descriptions.ts"
import { findPagedList } from "./routes.ts"
import { toTypeScriptType } from "./typescript-type.ts"

// The types of the client: what each operation takes and answers, from its contract.

const fieldsType = ({ fields }: OperationDescription): string => {
  const visibleFields = fields.filter(({ isImmutable }) => !isImmutable)
  if (visibleFields.length === 0) return "Record<string, never>"
  return toTypeScriptType(
    {
      type: "object",
      properties: Object.fromEntries(visibleFields.map(({ name, schema }) => [name, schema])),
      required: visibleFields.filter(({ required }) => required).map(({ name }) => name)
    },
    "    "
  )
}

const operationType = (operation: OperationDescription): string => `  ${operation.name}: {
    fields: ${fieldsType(operation)}
    data: ${toTypeScriptType(operation.resultSchema, "    ")}
    rows: ${JSON.stringify(findPagedList(operation) ?? "")}
  }`

const hasOnlyOptionalFields = ({ fields }: OperationDescription): boolean => !fields.some(({ required }) => required)

const methodSignature = (operation: OperationDescription): string => {
  const { name, summary, description } = operation
  const docComment = summary === description ? `${summary}.` : `${summary}. ${description}`
  const optionalMark = hasOnlyOptionalFields(operation) ? "?" : ""
  return `  /** ${docComment.replaceAll("*/", "*\\/")} */
  ${name}(fields${optionalMark}: Operations["${name}"]["fields"], options?: CallOptions): Promise<Operations["${name}"]["data"]>`
}

/** What stands before it: `createClient` and the errors, as declarations of the client's own source. */
export const renderClientDeclarations =
  (): string => `/** What each operation takes, and what \`data\` of its answer is. */
export interface Operations {
${describeOperations().map(operationType).join("\n")}
}

type Paged = { [Name in keyof Operations]: Operations[Name]["rows"] extends "" ? never : Name }[keyof Operations]
type Row<Name extends Paged> = Operations[Name]["data"] extends infer Data
  ? Operations[Name]["rows"] extends infer List
    ? List extends keyof Data
      ? Data[List] extends Array<infer Each>
        ? Each
        : never
      : never
    : never
  : never

export type FeedEvent = Operations["list_events"]["data"]["events"][number]

export interface Client {
${describeOperations().map(methodSignature).join("\n")}
  /** An operation by its name. */
  call<Name extends keyof Operations>(name: Name, fields?: Operations[Name]["fields"], options?: CallOptions): Promise<Operations[Name]["data"]>
  /** The rows of a list, page by page, until there are no more. */
  pages<Name extends Paged>(name: Name, fields?: Operations[Name]["fields"], options?: CallOptions): AsyncGenerator<Row<Name>, void>
  /** What happens, oldest first and without end; \`consumer\` begins where the consumer of that name has read up to, and acknowledges each event once the next is asked for. */
  events(fields?: Operations["list_events"]["fields"] & { consumer?: string }, options?: CallOptions): AsyncGenerator<FeedEvent, never>
}
`
