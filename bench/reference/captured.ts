import { randomBytes } from "node:crypto"
import { type CustomTypesConfig, type Pool, type QueryResult, types } from "pg"

// What the service sends for a call, captured by the bench (capture.ts), and sent again by the reference servers with the
// values of each of their own calls: what differs in the bench is everything around it.

/** What a call brings into its statements, by name. */
export type Given = Readonly<Record<string, string | number | Date>>

/** What a server makes for each call. */
export interface Made {
  readonly moment: Date
  readonly requestId: string
  readonly traceparent: string
}

const hex = (bytes: number): string => randomBytes(bytes).toString("hex")

const made = (): Made => ({
  moment: new Date(),
  requestId: `RT${Date.now()}${hex(4)}`,
  traceparent: `00-${hex(16)}-${hex(8)}-01`
})

/** How a value of a parameter comes about. It is JSON, because it goes to another process. */
export type Template =
  /** The same in every call. */
  | { readonly same: unknown }
  | { readonly date: string }
  | { readonly given: string }
  | { readonly list: ReadonlyArray<Template> }
  | { readonly fields: Readonly<Record<string, Template>> }
  /** The text of such a value. */
  | { readonly json: Template }

export interface CapturedStatement {
  readonly text: string
  readonly values: ReadonlyArray<Template>
}

/** The statements of each kind of call, in the order they are sent. */
export type CapturedCalls = Readonly<Record<string, ReadonlyArray<CapturedStatement>>>

const filled = (template: Template, given: Given): unknown => {
  if ("same" in template) return template.same
  if ("given" in template) return given[template.given]
  if ("json" in template) return JSON.stringify(filled(template.json, given))
  if ("date" in template) return new Date(template.date)
  if ("list" in template) return template.list.map((each) => filled(each, given))
  return Object.fromEntries(Object.entries(template.fields).map(([name, each]) => [name, filled(each, given)]))
}

/** The driver would make a moment of a day, in the zone of this machine. */
const daysAsText: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.DATE ? (day: unknown) => day : types.getTypeParser(oid, format)
}

/** Sends the statements of a kind of call, prepared by name as the service's own client does; answers the last one's rows. */
export const sender = (pool: Pool, calls: CapturedCalls) => {
  const prepared = new Map(
    Object.entries(calls).map(([kind, statements]) => [
      kind,
      statements.map((each, index) => ({ ...each, name: `${kind}_${index}` }))
    ])
  )
  return async (kind: string, given: Given): Promise<QueryResult["rows"]> => {
    const brought = { now: new Date(Math.floor(Date.now() / 1000) * 1000), ...made(), ...given }
    let rows: QueryResult["rows"] = []
    for (const { name, text, values } of prepared.get(kind) ?? []) {
      const sent = values.map((each) => filled(each, brought))
      const result = await pool.query({ name, text, values: sent, types: daysAsText })
      rows = result.rows
    }
    return rows
  }
}
