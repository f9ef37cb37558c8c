import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRowsReader } from "../../platform/database/rows.ts"

const readRows = makeRowsReader(Schema.Struct({ id: Schema.Int, title: Schema.String }))

/** Creates a property for each title, which must be different. Returns the ids in the order of the titles. */
export const writeProperties = Effect.fnUntraced(function* (
  operatorId: number,
  titles: ReadonlyArray<string>,
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* readRows(sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}::bigint, title, ${now}::timestamptz
    FROM unnest(${titles}::text[]) WITH ORDINALITY AS input (title, place) ORDER BY place
    RETURNING id, title`)
  const ids = new Map(rows.map(({ id, title }) => [title, id]))
  return titles.flatMap((title) => ids.get(title) ?? [])
})
