import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
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
  /** Channel types of connected channel accounts. */
  connected_channels: Schema.Array(Schema.String),
  /** Inactive properties that a rule names. */
  inactive_property_ids: Schema.Array(Schema.Int),
  /** Characters of the texts that are longer than {@link RULE_TEXT_SHOWN}, by the id of the rule. */
  text_lengths: Schema.Record(Schema.String, Schema.Int),
  /** Empty unless a rule is tested. */
  stays: Schema.Array(TestStay)
})
export type RuleBookData = typeof RuleBookData.Type

const readRuleBook = makeSingleRowReader(RuleBookData)

const connectedChannelsSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_agg(DISTINCT channel_type ORDER BY channel_type), '[]') FROM channel_accounts
  WHERE operator_id = ${operatorId} AND auth_status = 'active')`

const inactivePropertiesSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_agg(p.id), '[]') FROM properties p
  WHERE p.operator_id = ${operatorId} AND p.deactivated_at IS NOT NULL AND p.id IN (
    SELECT named.id::bigint
    FROM automation_rules r CROSS JOIN LATERAL jsonb_array_elements_text(r.definition -> 'property_ids') named (id)
    WHERE r.operator_id = ${operatorId} AND r.state <> 'removed'))`

const textLengthsSql = (sql: SqlClient.SqlClient, operatorId: number): Fragment => sql`(
  SELECT coalesce(jsonb_object_agg(id, length(definition ->> 'text')), '{}') FROM automation_rules
  WHERE operator_id = ${operatorId} AND state <> 'removed'
    AND length(definition ->> 'text') > ${sql.literal(String(RULE_TEXT_SHOWN))})`

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
        ${connectedChannelsSql(sql, operatorId)} AS connected_channels,
        ${inactivePropertiesSql(sql, operatorId)} AS inactive_property_ids,
        ${textLengthsSql(sql, operatorId)} AS text_lengths,
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
