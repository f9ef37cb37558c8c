import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../contract/page.ts"
import { makePageReader } from "../../../platform/database/list-pages.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { type GrantKey, grantNotEndedCondition } from "../../connection-grants.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { Assignee, assigneeJson } from "../../work/staffs/assignment.ts"
import { StoredRule } from "./rule.ts"
import { TestedStay, testedStaysSql } from "./tested-stays.ts"

const ruleColumns = (sql: SqlClient.SqlClient): Fragment =>
  sql`operator_id, id, definition, state, version, since, created_at`

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

/** Id of the staff member that a task rule names. Null if it names none. */
export const namedStaffSql = (sql: SqlClient.SqlClient, definition: Fragment): Fragment => sql`
  CASE WHEN jsonb_typeof(${definition} #> '{task,staff}') = 'number' THEN (${definition} #>> '{task,staff}')::bigint END`

const EditedRule = Schema.Struct({
  rule: Schema.NullOr(Schema.toCodecJson(ListedRule)),
  /** The staff member that the edit names, or null. */
  assignee: Schema.NullOr(Assignee)
})
export type EditedRule = typeof EditedRule.Type

const readEditedRule = makeSingleRowReader(EditedRule)

export const findEditedRule =
  (sql: SqlClient.SqlClient) => (operatorId: number, id: number, staffId: number | undefined) =>
    readEditedRule(sql`
      SELECT
        (SELECT to_jsonb(rule) FROM (
          SELECT ${ruleColumns(sql)}, grant_id FROM automation_rules
          WHERE operator_id = ${operatorId} AND id = ${id} AND state <> 'removed') rule) AS rule,
        ${staffId === undefined ? sql`NULL::jsonb` : assigneeJson(sql, operatorId, sql`${staffId}`)} AS assignee`)

const readAssignee = makeSingleRowReader(Schema.Struct({ assignee: Schema.NullOr(Assignee) }))

export const findRuleAssignee = (sql: SqlClient.SqlClient) => (operatorId: number, staffId: number) =>
  Effect.map(
    readAssignee(sql`SELECT ${assigneeJson(sql, operatorId, sql`${staffId}`)} AS assignee`),
    ({ assignee }) => assignee
  )

const RuleWithStay = Schema.Struct({
  rule: Schema.NullOr(Schema.toCodecJson(StoredRule)),
  /** The staff member that the rule names, or null. */
  assignee: Schema.NullOr(Assignee),
  stay: Schema.NullOr(Schema.toCodecJson(TestedStay))
})
export type RuleWithStay = typeof RuleWithStay.Type

const readRuleWithStay = makeSingleRowReader(RuleWithStay)

export const findRuleWithStay = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, stayCode: string) =>
  readRuleWithStay(sql`
      SELECT
        (SELECT to_jsonb(rule) FROM (
          SELECT ${ruleColumns(sql)} FROM automation_rules
          WHERE operator_id = ${operatorId} AND id = ${id} AND state <> 'removed') rule) AS rule,
        (SELECT ${assigneeJson(sql, operatorId, namedStaffSql(sql, sql`definition`))} FROM automation_rules
          WHERE operator_id = ${operatorId} AND id = ${id} AND state <> 'removed') AS assignee,
        (SELECT to_jsonb(stay) FROM (
          ${testedStaysSql(sql, sql`s.operator_id = ${operatorId} AND s.stay_code = ${stayCode}`)}) stay) AS stay`)

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
