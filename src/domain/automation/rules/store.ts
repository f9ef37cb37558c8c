import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { createdOrDeletedRecordsSql, recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import type { Page } from "../../../contract/page.ts"
import { makeRowReaderOrFail } from "../../../platform/database/constraint-violations.ts"
import { idsParameter, jsonParameter } from "../../../platform/database/parameters.ts"
import {
  makeOptionalRowReader,
  makeRowsReader,
  makeSingleRowReader,
  type RowPage
} from "../../../platform/database/rows.ts"
import { type GrantKey, grantActiveCondition, lockGrantSql } from "../../connection-grants.ts"
import {
  allReferencesExistCondition,
  CheckedChangeRow,
  ownershipPreconditionsSql,
  selectCheckedChangeSql
} from "../../properties/properties/ownership.ts"
import { Assignee, assigneeJson } from "../../work/staffs/assignment.ts"
import { type RuleDefinition, RuleState, StayRuleTerms, StoredRule } from "./rule.ts"
import {
  type EditedRule,
  findEditedRule,
  findRuleAccess,
  findRuleAssignee,
  findRuleOwner,
  findRuleWithStay,
  type ListedRule,
  namedStaffSql,
  type RuleAccess,
  type RuleWithStay,
  searchRules
} from "./rule-queries.ts"
import { findTrialStays, type TrialStays, type TrialStaysParameters } from "./tested-stays.ts"

// `mark_before` requests new planning of all stays (planning/changed-rule-marks.ts).

/** Migration 0048 contains the same condition. */
export const isStayRuleCondition = (sql: SqlClient.SqlClient, definition: Fragment): Fragment => sql`
  ${definition} #>> '{trigger,event}' IN ('booking', 'check_in', 'check_out', 'request')`

const markBeforeSql = (sql: SqlClient.SqlClient, definition: Fragment): Fragment =>
  sql`CASE WHEN ${isStayRuleCondition(sql, definition)} THEN 9223372036854775807 END`

const readCreatedRule = makeRowReaderOrFail(CheckedChangeRow, ({ name, detail }) =>
  name === "automation_rule_limit"
    ? new ValidationFailed({ message: `automation_rule_limit: all ${detail} rules are in use.` })
    : undefined
)

type CreatedRule = typeof CheckedChangeRow.Type

const create =
  (sql: SqlClient.SqlClient): RuleStore["Service"]["create"] =>
  ({ operatorId, grantId }, definition, now) =>
    readCreatedRule(
      recordChange(sql, {
        change: sql`
          ${lockGrantSql(sql, { operatorId, grantId })}
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids: definition.property_ids ?? [] })},
          given AS (SELECT ${jsonParameter(definition)}::jsonb AS definition),
          written AS (
            INSERT INTO automation_rules (operator_id, grant_id, action, definition, state, since, mark_before, created_at)
            SELECT ${operatorId}::bigint, ${grantId ?? null}::bigint, ${definition.action}::text, given.definition, 'active', ${now}::timestamptz,
              ${markBeforeSql(sql, sql`given.definition`)}, ${now}::timestamptz
            FROM given, preconditions
            WHERE ${grantActiveCondition(sql, { grantId })} AND ${allReferencesExistCondition(sql)}
            RETURNING operator_id, id
          )`,
        events: [],
        changedRecords: createdOrDeletedRecordsSql(sql, "automation_rule", "written"),
        outcome: selectCheckedChangeSql(sql)
      })
    )

export const RuleVersion = Schema.Struct({ id: Schema.Int, version: Schema.Int })

const RuleVersionChange = Schema.Struct({ ...CheckedChangeRow.fields, version: Schema.NullOr(Schema.Int) })

const readNewVersion = makeSingleRowReader(RuleVersionChange)

interface RuleEdit {
  readonly definition: RuleDefinition
  /** The version that the caller has read. */
  readonly version: number
}

/** Sets `mark_before` also for a rule that no longer acts on stays, so that its plans are deleted. */
const update =
  (sql: SqlClient.SqlClient): RuleStore["Service"]["update"] =>
  ({ operatorId, grantId }, id, { definition, version }) =>
    readNewVersion(
      recordChange(sql, {
        change: sql`
          ${lockGrantSql(sql, { operatorId, grantId })}
          ${ownershipPreconditionsSql(sql, operatorId, { property_ids: definition.property_ids ?? [] })},
          edit AS (SELECT ${jsonParameter(definition)}::jsonb AS definition),
          former_rule AS (
            SELECT operator_id, id, definition FROM automation_rules
            WHERE ${grantActiveCondition(sql, { grantId })} AND operator_id = ${operatorId} AND id = ${id} AND state <> 'removed'
              AND version = ${version} ${grantId === undefined ? sql`` : sql`AND grant_id = ${grantId}`}
            FOR NO KEY UPDATE
          ), edited_rule AS (
            UPDATE automation_rules r SET definition = edit.definition, version = r.version + 1,
              mark_before = coalesce(${markBeforeSql(sql, sql`former_rule.definition`)}, ${markBeforeSql(sql, sql`edit.definition`)})
            FROM former_rule, edit, preconditions
            WHERE r.operator_id = former_rule.operator_id AND r.id = former_rule.id AND ${allReferencesExistCondition(sql)}
            RETURNING r.operator_id, r.id, r.version
          )`,
        events: [],
        changedRecords: sql`
          SELECT edited_rule.operator_id, 'automation_rule:' || edited_rule.id AS record,
            changed_fields(former_rule.definition, edit.definition) ||
              ARRAY(SELECT key FROM jsonb_object_keys(former_rule.definition) key WHERE NOT edit.definition ? key) AS fields
          FROM edited_rule, former_rule, edit`,
        outcome: sql`SELECT edited_rule.id, edited_rule.version, preconditions.* FROM preconditions LEFT JOIN edited_rule ON true`
      })
    )

const readPreviousState = makeOptionalRowReader(Schema.Struct({ state: RuleState }))

/** The current state is not set again. A new `since` of an active rule would skip the actions that are due now. */
const setState =
  (sql: SqlClient.SqlClient, state: RuleState | "removed"): RuleStateChange =>
  ({ operatorId, grantId }, id, now) =>
    readPreviousState(
      recordChange(sql, {
        change: sql`
          ${lockGrantSql(sql, { operatorId, grantId })}
          before AS (
            SELECT operator_id, id, state FROM automation_rules
            WHERE ${grantActiveCondition(sql, { grantId })} AND operator_id = ${operatorId} AND id = ${id} AND state <> 'removed'
              ${grantId === undefined ? sql`` : sql`AND grant_id = ${grantId}`}
            FOR NO KEY UPDATE
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
      })
    )

/** Returns the previous state, or undefined if there is no rule that the grant may change. */
type RuleStateChange = (
  scope: GrantKey,
  id: number,
  now: Date
) => Effect.Effect<{ readonly state: RuleState } | undefined, never, CurrentActor>

/** An OAuth grant changes only rules that it created. */
export class RuleStore extends Context.Service<
  RuleStore,
  {
    /** `id` is null if a property is unknown or the grant has ended. */
    readonly create: (
      creator: GrantKey,
      definition: RuleDefinition,
      now: Date
    ) => Effect.Effect<CreatedRule, ValidationFailed, CurrentActor>
    /**
     * `id` and `version` are null if a property is unknown, the grant may not change the rule, or the rule has another
     * version by now.
     */
    readonly update: (
      scope: GrantKey,
      id: number,
      edit: RuleEdit
    ) => Effect.Effect<typeof RuleVersionChange.Type, never, CurrentActor>
    readonly pause: RuleStateChange
    readonly resume: RuleStateChange
    readonly remove: RuleStateChange
    readonly search: (operatorId: number, page: Page) => Effect.Effect<RowPage<ListedRule>>
    readonly findWithStay: (operatorId: number, id: number, stayCode: string) => Effect.Effect<RuleWithStay>
    readonly findEdited: (operatorId: number, id: number, staffId: number | undefined) => Effect.Effect<EditedRule>
    /** Returns null if the operator has no such staff member. */
    readonly findAssignee: (operatorId: number, staffId: number) => Effect.Effect<Assignee | null>
    readonly findTrialStays: (parameters: TrialStaysParameters) => Effect.Effect<TrialStays>
    readonly findAccess: (scope: GrantKey, id: number) => Effect.Effect<RuleAccess>
    readonly findOwner: (id: number) => Effect.Effect<number | undefined>
  }
>()("latchkey/domain/automation/rules/RuleStore") {
  static readonly layer = Layer.effect(
    RuleStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      RuleStore.of({
        create: create(sql),
        update: update(sql),
        findEdited: findEditedRule(sql),
        findAssignee: findRuleAssignee(sql),
        findTrialStays: findTrialStays(sql),
        pause: setState(sql, "paused"),
        resume: setState(sql, "active"),
        remove: setState(sql, "removed"),
        search: searchRules(sql),
        findWithStay: findRuleWithStay(sql),
        findAccess: findRuleAccess(sql),
        findOwner: findRuleOwner(sql)
      })
    )
  )
}

/** Without the texts, because a batch may read the rules of many operators. */
const ActiveRuleRow = Schema.Struct({
  ...Struct.pick(StoredRule.fields, ["operator_id", "id", "since"]),
  definition: StayRuleTerms,
  /** The staff member that a task rule names. */
  assignee: Schema.NullOr(Assignee)
})

const readActiveRules = makeRowsReader(ActiveRuleRow)

export const listActiveRules = (sql: SqlClient.SqlClient) => (operatorIds: ReadonlyArray<number>) =>
  readActiveRules(sql`
      SELECT operator_id, id, since, definition - '{name,text,score}'::text[] AS definition,
        ${assigneeJson(sql, sql`automation_rules.operator_id`, namedStaffSql(sql, sql`automation_rules.definition`))} AS assignee
      FROM automation_rules
      WHERE operator_id = ANY(${idsParameter(operatorIds)}::bigint[]) AND state = 'active'
        AND ${isStayRuleCondition(sql, sql`definition`)}
      ORDER BY operator_id, id`)

/** Must equal `requiredStatus` (scheduling.ts), for a rule `r` about stays. */
export const requiredStatusSql = (sql: SqlClient.SqlClient): Fragment => sql`
  CASE r.definition #>> '{trigger,event}' WHEN 'request' THEN 'wait_accept' ELSE 'accepted' END`
