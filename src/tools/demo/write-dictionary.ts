import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { DictionaryName } from "../../domain/money/dictionaries.ts"
import type { DemoOperator } from "./demo-operator.ts"

const DICTIONARY_NAMES: ReadonlyArray<{
  readonly dictionary: DictionaryName
  readonly id: number
  readonly name: string
}> = [
  { dictionary: "income_items", id: 16, name: "Insurance payment" },
  { dictionary: "expense_items", id: 52, name: "Linen service" },
  { dictionary: "expense_items", id: 60, name: "Office and insurance" },
  { dictionary: "income_items", id: 5001, name: "Airport transfer" },
  { dictionary: "expense_methods", id: 5001, name: "Company card" }
]

export const writeDictionary = Effect.fn("demo.writeDictionary")(function* ({ operatorId }: DemoOperator) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
    SELECT ${operatorId}::bigint, dictionary, id, name
    FROM jsonb_to_recordset(${JSON.stringify(DICTIONARY_NAMES)}::text::jsonb) AS input (dictionary text, id bigint, name text)`
})
