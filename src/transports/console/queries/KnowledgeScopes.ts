import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { TestStay, testStaysSql } from "./test-stays.ts"

const KnowledgeScopeChoices = Schema.Struct({
  properties: Schema.Array(NamedRecord),
  groups: Schema.Array(NamedRecord),
  room_types: Schema.Array(NamedRecord)
})
export type KnowledgeScopeChoices = typeof KnowledgeScopeChoices.Type

const KnowledgeTestStays = Schema.Struct({
  stays: Schema.Array(TestStay),
  /** Whether the requested stay exists. True if no stay was requested. */
  is_known: Schema.Boolean
})
export type KnowledgeTestStays = typeof KnowledgeTestStays.Type

const makeListScopes = (sql: SqlClient.SqlClient) => {
  const read = makeSingleRowReader(KnowledgeScopeChoices)
  return CurrentCaller.use(({ operatorId }) =>
    read(sql`
      SELECT ${namedRecordsSql(sql, "properties", operatorId)} AS properties,
        ${namedRecordsSql(sql, "property_groups", operatorId)} AS groups, ${namedRecordsSql(sql, "room_types", operatorId)} AS room_types`)
  )
}

const makeListTestStays = (sql: SqlClient.SqlClient) => {
  const read = makeSingleRowReader(KnowledgeTestStays)
  return (today: string, stayCode?: string) =>
    CurrentCaller.use(({ operatorId }) => {
      const stayExistsCondition =
        stayCode === undefined
          ? sql`true`
          : sql`EXISTS (SELECT FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode})`
      return read(sql`SELECT ${testStaysSql(sql, { operatorId, today })} AS stays, ${stayExistsCondition} AS is_known`)
    })
}

export class KnowledgeScopes extends Context.Service<KnowledgeScopes>()(
  "latchkey/transports/console/queries/KnowledgeScopes",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      of: makeListScopes(sql),
      /** `today` is a date in the operator's time zone. */
      trial: makeListTestStays(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(KnowledgeScopes, KnowledgeScopes.make)
}
