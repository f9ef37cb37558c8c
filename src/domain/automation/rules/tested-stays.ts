import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { DAY_MS } from "../../../contract/time.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { RULE_TRIAL_STAYS } from "../../../platform/limits.ts"
import { unknownPropertiesSql } from "../../properties/properties/ownership.ts"
import { Assignee, assigneeJson, responsibleStaffSql } from "../../work/staffs/assignment.ts"
import { StayFacts, stayFactsSql } from "../template-facts.ts"
import type { RuleConditions } from "./rule.ts"
import { requiredStatus } from "./scheduling.ts"

// Queries of stays for the test and the trial of a rule.

export const TestedStay = Schema.Struct({
  ...StayFacts.fields,
  has_conversation: Schema.Boolean,
  /** The staff member who is responsible for the property. Null if nobody is. */
  property_staff_id: Schema.NullOr(Schema.Int)
})
export type TestedStay = typeof TestedStay.Type

export const testedStaysSql = (sql: SqlClient.SqlClient, where: Fragment): Fragment => sql`
  SELECT facts.*,
    EXISTS (SELECT FROM orders o JOIN conversations c ON c.operator_id = o.operator_id AND c.code = o.conversation_id
      WHERE o.operator_id = facts.operator_id AND o.reservation_code = facts.reservation_code) AS has_conversation,
    CASE WHEN facts.property_id IS NOT NULL
      THEN ${responsibleStaffSql(sql, sql`facts.operator_id`, sql`facts.property_id`)} END AS property_staff_id
  FROM (${stayFactsSql(sql, where)}) facts`

const TrialStays = Schema.Struct({
  /** Earliest check-out first. */
  stays: Schema.Array(Schema.toCodecJson(TestedStay)),
  /** Number of all stays that the rule covers. `stays` has at most {@link RULE_TRIAL_STAYS} of them. */
  total: Schema.Int,
  /** The staff member that the rule names, or null. */
  assignee: Schema.NullOr(Assignee),
  unknown_properties: Schema.Array(Schema.Int)
})
export type TrialStays = typeof TrialStays.Type

const readTrialStays = makeSingleRowReader(TrialStays)

export interface TrialStaysParameters {
  readonly operatorId: number
  readonly conditions: RuleConditions
  readonly staffId: number | undefined
  readonly now: Date
}

/** Returns how many days after the check-out a rule may still act. Two days cover time zones and delays. */
const daysAfterCheckOut = ({ trigger }: RuleConditions): number => {
  if (trigger === undefined || trigger.event === "inquiry" || trigger.when === "before") return 2
  return 2 + ("hours" in trigger ? Math.ceil((trigger.hours * 3_600_000) / DAY_MS) : trigger.days)
}

const coveredStaysCondition = (sql: SqlClient.SqlClient, parameters: TrialStaysParameters): Fragment => {
  const { operatorId, conditions, now } = parameters
  const { property_ids, channel_types, nights } = conditions
  const nightsSql = sql`(s.check_out_date - s.check_in_date)`
  return sql.and([
    sql`s.operator_id = ${operatorId}`,
    sql`s.check_out_date >= (SELECT ${now}::timestamptz::date - ${daysAfterCheckOut(conditions)}::integer)`,
    sql`o.status = ${requiredStatus(conditions) ?? "none"}`,
    ...(property_ids === undefined ? [] : [sql`s.property_id = ANY (${idsParameter(property_ids)}::bigint[])`]),
    ...(channel_types === undefined ? [] : [sql`o.channel_type = ANY (${channel_types}::text[])`]),
    ...(nights?.min === undefined ? [] : [sql`${nightsSql} >= ${nights.min}`]),
    ...(nights?.max === undefined ? [] : [sql`${nightsSql} <= ${nights.max}`])
  ])
}

/** Returns the stays that a rule would cover, with the values of their texts. */
export const findTrialStays = (sql: SqlClient.SqlClient) => (parameters: TrialStaysParameters) => {
  const { operatorId, staffId, conditions } = parameters
  return readTrialStays(sql`
    WITH covered_stay AS MATERIALIZED (
      SELECT s.id, s.check_out_date FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
      WHERE ${coveredStaysCondition(sql, parameters)}
    ), examined_stay AS MATERIALIZED (
      SELECT id FROM covered_stay ORDER BY check_out_date, id LIMIT ${sql.literal(String(RULE_TRIAL_STAYS))}
    )
    SELECT (SELECT coalesce(jsonb_agg(to_jsonb(stay) ORDER BY stay.check_out_date, stay.id), '[]') FROM (
        ${testedStaysSql(sql, sql`s.operator_id = ${operatorId} AND s.id = ANY (ARRAY(SELECT id FROM examined_stay))`)}) stay) AS stays,
      (SELECT count(*) FROM covered_stay) AS total,
      ${staffId === undefined ? sql`NULL::jsonb` : assigneeJson(sql, operatorId, sql`${staffId}`)} AS assignee,
      ${unknownPropertiesSql(sql, operatorId, conditions.property_ids ?? [])} AS unknown_properties`)
}
