import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { StoredRule } from "../../../domain/automation/rules/rule.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { AUTOMATION_RULES_MAX, RULE_TEXT_SHOWN } from "../../../platform/limits.ts"
import { StaffChoices, staffChoicesSql } from "./form-choices.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"
import { TestStay, testStaysSql } from "./test-stays.ts"

const RuleBookData = Schema.Struct({
  /** Oldest first, without removed rules. Texts are cut after {@link RULE_TEXT_SHOWN} characters. */
  rules: Schema.Array(Schema.toCodecJson(StoredRule)),
  /** Sorted by title. A row beyond SCOPE_CHOICES_MAX means that further properties exist. */
  properties: Schema.Array(NamedRecord),
  staff: StaffChoices,
  /** Empty unless a rule is tested. */
  stays: Schema.Array(TestStay)
})
export type RuleBookData = typeof RuleBookData.Type

const readRuleBook = makeSingleRowReader(RuleBookData)

const selectRuleBook = (sql: SqlClient.SqlClient, operatorId: number, today: string, ruleId: number | undefined) => {
  const truncatedDefinition = sql`CASE WHEN definition -> 'text' IS NOT NULL
      THEN definition || jsonb_build_object('text', left(definition ->> 'text', ${sql.literal(String(RULE_TEXT_SHOWN))}))
      ELSE definition END`
  const definition =
    ruleId === undefined
      ? truncatedDefinition
      : sql`CASE WHEN id = ${ruleId} THEN definition ELSE ${truncatedDefinition} END`
  return sql`
      SELECT (SELECT coalesce(jsonb_agg(rule), '[]') FROM (
          SELECT operator_id, id, ${definition} AS definition, state, version, since, created_at FROM automation_rules
          WHERE operator_id = ${operatorId} AND state <> 'removed'
          ORDER BY id LIMIT ${sql.literal(String(AUTOMATION_RULES_MAX))}) rule) AS rules,
        ${namedRecordsSql(sql, "properties", operatorId)} AS properties,
        ${staffChoicesSql(sql, operatorId)} AS staff,
        ${ruleId === undefined ? sql`'[]'::jsonb` : testStaysSql(sql, { operatorId, today })} AS stays`
}

export class RuleBook extends Context.Service<RuleBook>()("latchkey/transports/console/queries/RuleBook", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /**
     * With `ruleId`, the text of that rule is complete, and the result has stays to test it with. `today` is a date in
     * the operator's time zone.
     */
    of: (today: string, ruleId?: number) =>
      CurrentCaller.use(({ operatorId }) => readRuleBook(selectRuleBook(sql, operatorId, today, ruleId)))
  }))
}) {
  static readonly layer = Layer.effect(RuleBook, RuleBook.make)
}
