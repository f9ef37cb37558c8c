import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { KeptRule } from "../../../domain/automation/rules/rule.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { AUTOMATION_RULES, RULE_TEXT_SHOWN } from "../../../platform/limits.ts"
import { Named, namedIn } from "./named.ts"
import { TrialStay, trialStays } from "./trial-stays.ts"

// A host's rules as they are read: in the words of the names they have, in one statement.

const Shown = Schema.Struct({
  /** All but the removed, the oldest first; what one says is cut after {@link RULE_TEXT_SHOWN} characters, but for the tried one. */
  rules: Schema.Array(Schema.toCodecJson(KeptRule)),
  /** By their titles; one more than a form shows, where there are more. */
  properties: Schema.Array(Named),
  /** The next that a rule may be tried on; none unless one is. */
  stays: Schema.Array(TrialStay)
})
export type Shown = typeof Shown.Type

const read = onlyRowOf(Shown)

interface Asked {
  readonly operatorId: number
  readonly today: string
  /** The rule that is tried. */
  readonly tried: number | undefined
}

const ruleBook = (sql: SqlClient.SqlClient) =>
  inForms(sql, ({ operatorId, today, tried }: Givens<Asked>) => {
    const cut = sql`CASE WHEN definition -> 'text' IS NOT NULL
      THEN definition || jsonb_build_object('text', left(definition ->> 'text', ${sql.literal(String(RULE_TEXT_SHOWN))}))
      ELSE definition END`
    const definition = tried === undefined ? cut : sql`CASE WHEN id = ${tried} THEN definition ELSE ${cut} END`
    return sql`
      SELECT (SELECT coalesce(jsonb_agg(rule), '[]') FROM (
          SELECT operator_id, id, ${definition} AS definition, state, since, created_at FROM automation_rules
          WHERE operator_id = ${operatorId} AND state <> 'removed'
          ORDER BY id LIMIT ${sql.literal(String(AUTOMATION_RULES))}) rule) AS rules,
        ${namedIn(sql, "properties", operatorId)} AS properties,
        ${tried === undefined ? sql`'[]'::jsonb` : trialStays(sql, { operatorId, today })} AS stays`
  })

/** What a host's rules are, and what they can be about. */
export class RuleBook extends Context.Service<
  RuleBook,
  {
    /** As it is on that day of the operator's. `tried`: with all that this rule says, and stays to try it on. */
    readonly of: (operatorId: number, today: string, tried?: number) => Effect.Effect<Shown>
  }
>()("latchkey/desk/RuleBook") {
  static readonly layer = Layer.effect(
    RuleBook,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = ruleBook(sql)
      return RuleBook.of({ of: (operatorId, today, tried) => read(statement({ operatorId, today, tried })) })
    })
  )
}
