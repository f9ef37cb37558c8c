import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { idsParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import {
  allReferencesExistCondition,
  CheckedChangeRow,
  ownershipPreconditionsSql,
  selectCheckedChangeSql
} from "../../properties/properties/ownership.ts"
import { type RuleDefinition, RuleState, StayRuleTerms, StoredRule } from "./rule.ts"

// A change of a rule changes what it is going to do of every stay of its operator: mark_before says that all of them are to be
// marked (planning/), for a rule that does something of stays.

const readRules = makeRowsReader(StoredRule)
const readRule = makeOptionalRowReader(StoredRule)

const ruleColumns = (sql: SqlClient.SqlClient): Fragment => sql`operator_id, id, definition, state, since, created_at`

/** Whether a rule does something of stays; migration 0048 says the same of those that a change of the time zone concerns. */
export const isStayRuleCondition = (sql: SqlClient.SqlClient, definition: Fragment): Fragment => sql`
  ${definition} #>> '{trigger,event}' IN ('booking', 'check_in', 'check_out', 'request')`

const markBeforeSql = (sql: SqlClient.SqlClient, definition: Fragment): Fragment =>
  sql`CASE WHEN ${isStayRuleCondition(sql, definition)} THEN 9223372036854775807 END`

const readCreatedRule = makeRowReaderOrFail(
  Schema.Struct({ ...CheckedChangeRow.fields, is_operator: Schema.Boolean }),
  ({ name, detail }) =>
    name === "automation_rule_limit"
      ? new ValidationFailed({ message: `automation_rule_limit: all ${detail} rules are in use.` })
      : undefined
)

interface CreateRuleParameters extends OperatorScoped {
  readonly definition: RuleDefinition
  readonly action: RuleDefinition["action"]
  readonly propertyIds: ReadonlyArray<number>
  readonly now: Date
}

/** Answers no id where the operator has no such properties, or is none; fails where it has room for no more. */
const create = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(
    sql,
    ({ operatorId, definition, action, propertyIds, now }: Givens<CreateRuleParameters>) => ({
      change: sql`
      ${ownershipPreconditionsSql(sql, operatorId, { property_ids: propertyIds })},
      owner AS (SELECT id FROM operators WHERE id = ${operatorId}),
      given AS (SELECT ${jsonParameter(definition)}::jsonb AS definition),
      written AS (
        INSERT INTO automation_rules (operator_id, action, definition, state, since, mark_before, created_at)
        SELECT owner.id, ${action}::text, given.definition, 'active', ${now}::timestamptz,
          ${markBeforeSql(sql, sql`given.definition`)}, ${now}::timestamptz
        FROM owner, given, preconditions WHERE ${allReferencesExistCondition(sql)}
        RETURNING operator_id, id
      )`,
      events: [],
      changedRecords: createdOrDeletedRecordsSql(sql, "automation_rule", "written"),
      outcome: sql`SELECT named.*, EXISTS (SELECT FROM owner) AS is_operator FROM (${selectCheckedChangeSql(sql)}) named`
    })
  )
  return (operatorId: number, definition: RuleDefinition, now: Date) =>
    readCreatedRule(
      statement({
        operatorId,
        definition,
        action: definition.action,
        propertyIds: definition.property_ids ?? [],
        now
      })
    )
}

interface ListRulesParameters extends OperatorScoped {
  readonly most: number
}

/** The first `most` rules of an operator by their ids, but for those that were removed. */
const list = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, most }: Givens<ListRulesParameters>) => sql`
      SELECT ${ruleColumns(sql)} FROM automation_rules
      WHERE operator_id = ${operatorId} AND state <> 'removed' ORDER BY id LIMIT ${most}`
  )
  return (operatorId: number, most: number) => readRules(statement({ operatorId, most }))
}

interface RuleIdParameter {
  readonly id: number
}

/** A rule by its id, whosever it is; undefined where there is none, or it was removed. */
const find = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ id }: Givens<RuleIdParameter>) => sql`
      SELECT ${ruleColumns(sql)} FROM automation_rules WHERE id = ${id} AND state <> 'removed'`
  )
  return (id: number) => readRule(statement({ id }))
}

const readPreviousState = makeOptionalRowReader(Schema.Struct({ state: RuleState }))

interface SetRuleStateParameters extends RuleIdParameter {
  readonly now: Date
}

/**
 * Turns a rule into a state; answers how it stood, undefined where there is none. One that stands so already is left alone: to
 * resume what is active makes nothing late.
 */
const setState = (sql: SqlClient.SqlClient, state: RuleState) => {
  const statement = prepareRecordedChange(sql, ({ id, now }: Givens<SetRuleStateParameters>) => ({
    change: sql`
      before AS (
        SELECT operator_id, id, state FROM automation_rules WHERE id = ${id} AND state <> 'removed' FOR NO KEY UPDATE
      ), turned AS (
        UPDATE automation_rules r SET state = ${state}, mark_before = ${markBeforeSql(sql, sql`r.definition`)},
          since = ${state === "active" ? sql`${now}::timestamptz` : sql`r.since`}
        FROM before WHERE r.operator_id = before.operator_id AND r.id = before.id AND before.state <> ${state}
        RETURNING r.operator_id, r.id
      )`,
    events: [],
    changedRecords: sql`
      SELECT operator_id, 'automation_rule:' || id AS record,
        ${state === "removed" ? sql`'{}'::text[]` : sql`'{state}'::text[]`} AS fields FROM turned`,
    outcome: sql`SELECT state FROM before`
  }))
  return (id: number, now: Date) => readPreviousState(statement({ id, now }))
}

/** The SQL of rules for whoever makes them. */
export class RuleStore extends Context.Service<RuleStore>()("latchkey/domain/automation/rules/RuleStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    create: create(sql),
    list: list(sql),
    find: find(sql),
    pause: setState(sql, "paused"),
    resume: setState(sql, "active"),
    remove: setState(sql, "removed")
  }))
}) {
  static readonly layer = Layer.effect(RuleStore, RuleStore.make)
}

/** What of a rule says what it is going to do of stays: with all that rules may say, a batch of hosts could be very large. */
const ActiveRuleRow = Schema.Struct({
  ...Struct.pick(StoredRule.fields, ["operator_id", "id", "since"]),
  definition: StayRuleTerms
})

const readActiveRules = makeRowsReader(ActiveRuleRow)

interface OperatorIdsParameter {
  readonly operatorIds: ReadonlyArray<number>
}

/** The active rules of these operators that do something of stays, by their ids. */
export const listActiveRules = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorIds }: Givens<OperatorIdsParameter>) => sql`
      SELECT operator_id, id, since, definition - '{name,text,score}'::text[] AS definition FROM automation_rules
      WHERE operator_id = ANY(${idsParameter(operatorIds)}::bigint[]) AND state = 'active'
        AND ${isStayRuleCondition(sql, sql`definition`)}
      ORDER BY operator_id, id`
  )
  return (operatorIds: ReadonlyArray<number>) => readActiveRules(statement({ operatorIds }))
}

/** How an order stands that rule `r` is for, as `appliesToStay` has it (scheduling.ts); a rule for no stay is asked of none. */
export const requiredStatusSql = (sql: SqlClient.SqlClient): Fragment => sql`
  CASE r.definition #>> '{trigger,event}' WHEN 'request' THEN 'wait_accept' ELSE 'accepted' END`
