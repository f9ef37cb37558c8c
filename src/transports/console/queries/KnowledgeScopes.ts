import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { Named, namedIn } from "./named.ts"
import { TrialStay, trialStays } from "./trial-stays.ts"

// What entries of the knowledge base are for, by its names, and whose questions may be tried.

const Scopes = Schema.Struct({
  properties: Schema.Array(Named),
  groups: Schema.Array(Named),
  room_types: Schema.Array(Named)
})
/** Of each by their names; one more than a form shows, where there are more. */
export type Scopes = typeof Scopes.Type

const Trial = Schema.Struct({
  /** The next whose guests may ask. */
  stays: Schema.Array(TrialStay),
  /** Whether there is the stay that is named; true where none is. */
  is_known: Schema.Boolean
})
export type Trial = typeof Trial.Type

interface Asked {
  readonly operatorId: number
}

interface Tried extends Asked {
  readonly today: string
  readonly stayCode: string | undefined
}

const scopes = (sql: SqlClient.SqlClient) => {
  const read = onlyRowOf(Scopes)
  const statement = inForms(
    sql,
    ({ operatorId }: Givens<Asked>) => sql`
      SELECT ${namedIn(sql, "properties", operatorId)} AS properties,
        ${namedIn(sql, "property_groups", operatorId)} AS groups, ${namedIn(sql, "room_types", operatorId)} AS room_types`
  )
  return (operatorId: number) => read(statement({ operatorId }))
}

const trial = (sql: SqlClient.SqlClient) => {
  const read = onlyRowOf(Trial)
  const statement = inForms(sql, ({ operatorId, today, stayCode }: Givens<Tried>) => {
    const known =
      stayCode === undefined
        ? sql`true`
        : sql`EXISTS (SELECT FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${stayCode})`
    return sql`SELECT ${trialStays(sql, { operatorId, today })} AS stays, ${known} AS is_known`
  })
  return (operatorId: number, today: string, stayCode?: string) => read(statement({ operatorId, today, stayCode }))
}

export class KnowledgeScopes extends Context.Service<
  KnowledgeScopes,
  {
    readonly of: (operatorId: number) => Effect.Effect<Scopes>
    /** Stays to try a question on, on that day of the operator's, and whether it has the one that is named. */
    readonly trial: (operatorId: number, today: string, stayCode?: string) => Effect.Effect<Trial>
  }
>()("latchkey/desk/KnowledgeScopes") {
  static readonly layer = Layer.effect(
    KnowledgeScopes,
    Effect.map(SqlClient.SqlClient, (sql) => KnowledgeScopes.of({ of: scopes(sql), trial: trial(sql) }))
  )
}
