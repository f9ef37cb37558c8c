import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { TestStay, testStaysSql } from "./test-stays.ts"

// What entries of the knowledge base are for, by its names, and whose questions may be tried.

const KnowledgeScopeChoices = Schema.Struct({
  properties: Schema.Array(NamedRecord),
  groups: Schema.Array(NamedRecord),
  room_types: Schema.Array(NamedRecord)
})
/** Of each by their names; one more than a form shows, where there are more. */
export type KnowledgeScopeChoices = typeof KnowledgeScopeChoices.Type

const KnowledgeTestStays = Schema.Struct({
  /** The next whose guests may ask. */
  stays: Schema.Array(TestStay),
  /** Whether there is the stay that is named; true where none is. */
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
      /** Returns the properties, groups and room types that an entry can be about. */
      of: makeListScopes(sql),
      /**
       * Returns stays to test a question on as of `today`, a date in the operator's time zone. It also returns whether the operator
       * has the stay `stayCode`.
       */
      trial: makeListTestStays(sql)
    }))
  }
) {
  static readonly layer = Layer.effect(KnowledgeScopes, KnowledgeScopes.make)
}
