import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens, Value } from "../../src/platform/database/forms.ts"

// What a form of a statement must not do, and may, for test/givens.test.ts: a line that must not be says so.

interface Values {
  readonly flag: boolean
  readonly name: string | null
  readonly color: string | undefined
  readonly note: string | null | undefined
}

const either = (sql: SqlClient, first: boolean): Fragment => (first ? sql`true` : sql`false`)

export const decided = (sql: SqlClient, { flag, ...rest }: Givens<Values>): ReadonlyArray<Fragment> => {
  const found: Array<Fragment> = []
  const { name, color, note } = rest
  found.push(flag ? sql`true` : sql`false`) // must not
  found.push(name === null ? sql`NULL` : sql`${name}`) // must not
  found.push(null !== rest.name ? sql`${name}` : sql`NULL`) // must not
  found.push(sql`${note ?? "none"}`) // must not
  found.push(sql`${color || "none"}`) // must not
  found.push(either(sql, !flag)) // must not
  found.push(either(sql, name === note)) // must not
  found.push(either(sql, typeof name === "string")) // must not
  found.push(either(sql, name instanceof Date)) // must not
  if (color) found.push(sql`${color}`) // must not
  if (color && found.length > 0) found.push(sql`${color}`) // must not
  switch (
    name // must not
  ) {
    case null:
      found.push(sql`NULL`)
  }
  return found
}

export const decidedOfEither = (sql: SqlClient, value: Value<string | null>): Fragment =>
  value === null ? sql`NULL` : sql`${value}` // must not

export const allowed = (sql: SqlClient, { flag, color, note }: Givens<Values>): ReadonlyArray<Fragment> => {
  const found = [sql`${flag}`, sql`${color ?? "none"}`, sql`${note ?? null}`]
  if (color !== undefined && undefined !== note) found.push(sql`${note}`)
  return note === undefined ? found : [...found, either(sql, color === undefined || found.length > 1)]
}
