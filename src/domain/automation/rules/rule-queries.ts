import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { type GrantKey, grantNotEndedCondition } from "../../connection-grants.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { StayFacts, stayFactsSql } from "../template-facts.ts"
import { StoredRule } from "./rule.ts"

const ruleColumns = (sql: SqlClient.SqlClient): Fragment => sql`operator_id, id, definition, state, since, created_at`

/** `grant_id` is null if the host created the rule. */
export const ListedRule = Schema.Struct({ ...StoredRule.fields, grant_id: Schema.NullOr(Schema.Int) })
export type ListedRule = typeof ListedRule.Type

export const searchRules = (sql: SqlClient.SqlClient) => {
  const selectPage = makePageReader(sql, ListedRule, ({ operatorId }: OperatorScoped) => ({
    matchingRows: sql`SELECT * FROM automation_rules WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND state <> 'removed'`,
    orderBy: sql`id`
  }))
  return (operatorId: number, page: Page) => selectPage({ operatorId }, page)
}

const readOwner = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

/** Searches all operators, for the administrator. */
export const findRuleOwner = (sql: SqlClient.SqlClient) => (id: number) =>
  Effect.map(
    readOwner(sql`
      SELECT operator_id FROM automation_rules WHERE id = ${id} AND state <> 'removed'`),
    (row) => row?.operator_id
  )

const RuleWithStay = Schema.Struct({
  rule: Schema.NullOr(Schema.toCodecJson(StoredRule)),
  stay: Schema.NullOr(Schema.toCodecJson(StayFacts))
})
export type RuleWithStay = typeof RuleWithStay.Type

const readRuleWithStay = makeSingleRowReader(RuleWithStay)

export const findRuleWithStay = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, stayCode: string) =>
  readRuleWithStay(sql`
      SELECT
        (SELECT to_jsonb(rule) FROM (
          SELECT ${ruleColumns(sql)} FROM automation_rules
          WHERE operator_id = ${operatorId} AND id = ${id} AND state <> 'removed') rule) AS rule,
        (SELECT to_jsonb(stay) FROM (
          ${stayFactsSql(sql, sql`s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`)}) stay) AS stay`)

const RuleAccess = Schema.Struct({ is_there: Schema.Boolean, is_granted: Schema.Boolean })
export type RuleAccess = typeof RuleAccess.Type

const readAccess = makeSingleRowReader(RuleAccess)

/** Returns why a change had no effect. */
export const findRuleAccess =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, grantId }: GrantKey, id: number) =>
    readAccess(sql`
      SELECT
        EXISTS (SELECT FROM automation_rules
          WHERE operator_id = ${operatorId} AND id = ${id} AND state <> 'removed') AS is_there,
        ${grantNotEndedCondition(sql, { operatorId, grantId })} AS is_granted`)
