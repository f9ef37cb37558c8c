import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens, Value } from "../../src/platform/database/forms.ts"

// What a form of a statement must not do, and may, for test/givens.test.ts: a line that must not be says so.

interface SampleValues {
  readonly flag: boolean
  readonly name: string | null
  readonly color: string | undefined
  readonly note: string | null | undefined
}

const selectFragment = (sql: SqlClient, first: boolean): Fragment => (first ? sql`true` : sql`false`)

export const forbiddenConditions = (
  sql: SqlClient,
  { flag, ...rest }: Givens<SampleValues>
): ReadonlyArray<Fragment> => {
  const fragments: Array<Fragment> = []
  const { name, color, note } = rest
  fragments.push(flag ? sql`true` : sql`false`) // must not
  fragments.push(name === null ? sql`NULL` : sql`${name}`) // must not
  fragments.push(null !== rest.name ? sql`${name}` : sql`NULL`) // must not
  fragments.push(sql`${note ?? "none"}`) // must not
  fragments.push(sql`${color || "none"}`) // must not
  fragments.push(selectFragment(sql, !flag)) // must not
  fragments.push(selectFragment(sql, name === note)) // must not
  fragments.push(selectFragment(sql, typeof name === "string")) // must not
  fragments.push(selectFragment(sql, name instanceof Date)) // must not
  if (color) fragments.push(sql`${color}`) // must not
  if (color && fragments.length > 0) fragments.push(sql`${color}`) // must not
  switch (
    name // must not
  ) {
    case null:
      fragments.push(sql`NULL`)
  }
  return fragments
}

export const forbiddenUnionCondition = (sql: SqlClient, value: Value<string | null>): Fragment =>
  value === null ? sql`NULL` : sql`${value}` // must not

export const allowedConditions = (
  sql: SqlClient,
  { flag, color, note }: Givens<SampleValues>
): ReadonlyArray<Fragment> => {
  const fragments = [sql`${flag}`, sql`${color ?? "none"}`, sql`${note ?? null}`]
  if (color !== undefined && undefined !== note) fragments.push(sql`${note}`)
  return note === undefined
    ? fragments
    : [...fragments, selectFragment(sql, color === undefined || fragments.length > 1)]
}
