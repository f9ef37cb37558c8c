import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../changes/on-record.ts"
import { type Givens, inForms } from "../../platform/database/forms.ts"
import { rowOf } from "../../platform/database/rows.ts"
import type { OfOperator } from "../own-row.ts"
import { Dictionary } from "./dictionaries.ts"
import type { OwnDictionary, Said } from "./own-dictionary.ts"

const Row = Schema.Struct({ dictionary: Dictionary, id: Schema.Int, name: Schema.String, retired: Schema.Boolean })

const readOwn = rowOf(Schema.Struct({ entries: Schema.Array(Row) }))

/** All that an operator says of its dictionaries; undefined: there is no such operator. */
const find = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<OfOperator>) => sql`
      SELECT coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'dictionary', d.dictionary, 'id', d.id, 'name', d.name, 'retired', d.retired_at IS NOT NULL))
        FROM dictionary_entries d WHERE d.operator_id = o.id), '[]') AS entries
      FROM operators o WHERE o.id = ${operatorId}`
  )
  return (operatorId: number) =>
    Effect.map(readOwn(statement({ operatorId })), (row) => (row === undefined ? undefined : byDictionary(row.entries)))
}

const byDictionary = (rows: ReadonlyArray<typeof Row.Type>): OwnDictionary => {
  const of = (dictionary: Dictionary) => rows.filter((row) => row.dictionary === dictionary)
  return {
    income_items: of("income_items"),
    expense_items: of("expense_items"),
    income_methods: of("income_methods"),
    expense_methods: of("expense_methods")
  }
}

interface Written extends OfOperator {
  readonly dictionary: Dictionary
  readonly id: number
  readonly name: string
  readonly retiredAt: Date | null
}

/** The columns a change sets of an entry that has a row already. */
type Column = "name" | "retired_at"

type Changes = Exclude<Said["changes"], "nothing">

/** The record is called by both: an id is one entry in each dictionary. */
const touched = (sql: SqlClient, changes: Changes): Fragment => sql`
  SELECT operator_id, 'dictionary:' || dictionary || ':' || id AS record,
    ${sql.literal(changes === "all" ? "'{}'" : `'{${changes}}'`)}::text[] AS fields
  FROM entry`

/** Writes what the operator says of an entry. */
const say = (sql: SqlClient) => {
  const statement = onRecordInForms(sql, (given: Givens<Written>, column: Column, changes: Changes) => ({
    change: sql`
      entry AS (
        INSERT INTO dictionary_entries (operator_id, dictionary, id, name, retired_at)
        VALUES (${given.operatorId}, ${given.dictionary}, ${given.id}, ${given.name}, ${given.retiredAt}::timestamptz)
        ON CONFLICT (operator_id, dictionary, id) DO UPDATE SET ${sql(column)} = excluded.${sql(column)}
        RETURNING operator_id, dictionary, id
      )`,
    events: [],
    touched: touched(sql, changes),
    outcome: sql`SELECT id FROM entry`
  }))
  return (written: Written, changes: Changes) =>
    Effect.asVoid(Effect.orDie(statement(written, changes === "all" ? "name" : changes, changes)))
}

/** Forgets what the operator said of a built-in entry. */
const unsay = (sql: SqlClient) => {
  const statement = onRecordInForms(
    sql,
    ({ operatorId, dictionary, id }: Givens<Pick<Written, "operatorId" | "dictionary" | "id">>, changes: Changes) => ({
      change: sql`
        entry AS (
          DELETE FROM dictionary_entries
          WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id}
          RETURNING operator_id, dictionary, id
        )`,
      events: [],
      touched: touched(sql, changes),
      outcome: sql`SELECT id FROM entry`
    })
  )
  return ({ operatorId, dictionary, id }: Pick<Written, "operatorId" | "dictionary" | "id">, changes: Changes) =>
    Effect.asVoid(Effect.orDie(statement({ operatorId, dictionary, id }, changes)))
}

/** The SQL of an operator's own dictionaries. */
export const makeOwnDictionaryStore = (sql: SqlClient) => ({ find: find(sql), say: say(sql), unsay: unsay(sql) })
