import { type Described, operationsOf } from "../described.ts"
import { pagedListOf } from "./routes.ts"
import { typeText } from "./type-text.ts"

// The types of the client: what each operation takes and answers, from its contract.

const fieldsText = ({ fields }: Described): string => {
  const shown = fields.filter(({ neverChanges }) => !neverChanges)
  if (shown.length === 0) return "Record<string, never>"
  return typeText(
    {
      type: "object",
      properties: Object.fromEntries(shown.map(({ name, schema }) => [name, schema])),
      required: shown.filter(({ required }) => required).map(({ name }) => name)
    },
    "    "
  )
}

const operationText = (operation: Described): string => `  ${operation.name}: {
    fields: ${fieldsText(operation)}
    data: ${typeText(operation.answer, "    ")}
    rows: ${JSON.stringify(pagedListOf(operation) ?? "")}
  }`

const isCalledBare = ({ fields }: Described): boolean => !fields.some(({ required }) => required)

const methodText = (operation: Described): string => {
  const { name, summary, description } = operation
  const words = summary === description ? `${summary}.` : `${summary}. ${description}`
  const bare = isCalledBare(operation) ? "?" : ""
  return `  /** ${words.replaceAll("*/", "*\\/")} */
  ${name}(fields${bare}: Operations["${name}"]["fields"], options?: CallOptions): Promise<Operations["${name}"]["data"]>`
}

/** What stands before it: `createClient` and the errors, as declarations of the client's own source. */
export const declarationsText = (): string => `/** What each operation takes, and what \`data\` of its answer is. */
export interface Operations {
${operationsOf().map(operationText).join("\n")}
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
${operationsOf().map(methodText).join("\n")}
  /** An operation by its name. */
  call<Name extends keyof Operations>(name: Name, fields?: Operations[Name]["fields"], options?: CallOptions): Promise<Operations[Name]["data"]>
  /** The rows of a list, page by page, until there are no more. */
  pages<Name extends Paged>(name: Name, fields?: Operations[Name]["fields"], options?: CallOptions): AsyncGenerator<Row<Name>, void>
  /** What happens, oldest first and without end; \`consumer\` begins where the consumer of that name has read up to, and acknowledges each event once the next is asked for. */
  events(fields?: Operations["list_events"]["fields"] & { consumer?: string }, options?: CallOptions): AsyncGenerator<FeedEvent, never>
}
`
