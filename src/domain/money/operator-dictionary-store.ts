import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../changes/recorded-change.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import type { OperatorScoped } from "../operator-rows.ts"
import { DictionaryName } from "./dictionaries.ts"
import type { EntryChange, OperatorEntryStates } from "./operator-dictionary.ts"

const DictionaryEntryRow = Schema.Struct({
  dictionary: DictionaryName,
  id: Schema.Int,
  name: Schema.String,
  retired: Schema.Boolean
})

const readEntries = makeOptionalRowReader(Schema.Struct({ entries: Schema.Array(DictionaryEntryRow) }))

const findEntries = (sql: SqlClient) => (operatorId: number) =>
  Effect.map(
    readEntries(sql`
      SELECT coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'dictionary', d.dictionary, 'id', d.id, 'name', d.name, 'retired', d.retired_at IS NOT NULL))
        FROM dictionary_entries d WHERE d.operator_id = o.id), '[]') AS entries
      FROM operators o WHERE o.id = ${operatorId}`),
    (row) => (row === undefined ? undefined : groupByDictionary(row.entries))
  )

const groupByDictionary = (rows: ReadonlyArray<typeof DictionaryEntryRow.Type>): OperatorEntryStates => {
  const entriesOf = (dictionary: DictionaryName) => rows.filter((row) => row.dictionary === dictionary)
  return {
    income_items: entriesOf("income_items"),
    expense_items: entriesOf("expense_items"),
    income_methods: entriesOf("income_methods"),
    expense_methods: entriesOf("expense_methods")
  }
}

interface UpsertEntryParameters extends OperatorScoped {
  readonly dictionary: DictionaryName
  readonly id: number
  readonly name: string
  readonly retiredAt: Date | null
}

/** Changed columns for the audit log, empty for a new entry. */
type ChangedFields = `{${string}}`

const toChangedFields = (changes: EntryChange["changes"]): ChangedFields =>
  changes === "created" ? "{}" : `{${changes.join(",")}}`

/** The name contains the dictionary, because the same id can exist in each. */
const changedEntriesSql = (sql: SqlClient, fields: ChangedFields): Fragment => sql`
  SELECT operator_id, 'dictionary:' || dictionary || ':' || id AS record, ${sql.literal(`'${fields}'`)}::text[] AS fields
  FROM entry`

/** Keeps the first `retired_at` while the entry stays retired. */
const upsertEntry = (sql: SqlClient) => (parameters: UpsertEntryParameters, changes: EntryChange["changes"]) =>
  Effect.asVoid(
    Effect.orDie(
      recordChange(sql, {
        change: sql`
          entry AS (
            INSERT INTO dictionary_entries AS d (operator_id, dictionary, id, name, retired_at)
            VALUES (${parameters.operatorId}, ${parameters.dictionary}, ${parameters.id}, ${parameters.name}, ${parameters.retiredAt}::timestamptz)
            ON CONFLICT (operator_id, dictionary, id) DO UPDATE SET name = excluded.name,
              retired_at = CASE WHEN excluded.retired_at IS NOT NULL THEN coalesce(d.retired_at, excluded.retired_at) END
            RETURNING d.*
          )`,
        events: [],
        changedRecords: changedEntriesSql(sql, toChangedFields(changes)),
        outcome: sql`SELECT id, name, retired_at IS NOT NULL AS retired FROM entry`
      })
    )
  )

/** Deletes the operator's version of a built-in entry. */
const deleteEntry =
  (sql: SqlClient) =>
  ({ operatorId, dictionary, id, name }: Omit<UpsertEntryParameters, "retiredAt">, changes: EntryChange["changes"]) =>
    Effect.asVoid(
      Effect.orDie(
        recordChange(sql, {
          change: sql`
            entry AS (
              DELETE FROM dictionary_entries
              WHERE operator_id = ${operatorId} AND dictionary = ${dictionary} AND id = ${id}
              RETURNING operator_id, dictionary, id
            )`,
          events: [],
          changedRecords: changedEntriesSql(sql, toChangedFields(changes)),
          outcome: sql`SELECT id, ${name}::text AS name, false AS retired FROM entry`
        })
      )
    )

export const makeOperatorDictionaryStore = (sql: SqlClient) => ({
  findEntries: findEntries(sql),
  upsertEntry: upsertEntry(sql),
  deleteEntry: deleteEntry(sql)
})
