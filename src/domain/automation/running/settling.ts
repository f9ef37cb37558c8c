import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type RecordedChange, touchedIn } from "../../../changes/on-record.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { jsonParameter } from "../../../platform/database/parameters.ts"
import type { MessageSource } from "../../guests/conversations/contract.ts"
import { messageCreated, queuedMessages, touchedByMessages } from "../../guests/conversations/lane.ts"
import type { OwnRow } from "../../own-row.ts"
import { AT_ONCE, accountOf, markingStays } from "../planning/follow-stays.ts"
import { statusWanted } from "../rules/status-wanted.ts"
import { ASSISTANT_NAME } from "../sources.ts"

// The statements that write down what became of a plan. One that is settled is settled: whatever comes after it changes nothing.

/** What the trail calls a plan. */
const PLAN_RECORD = "automation_plan"

export interface Said extends OwnRow {
  /** What it was planned for when it was looked at: one that was moved since waits for its new time. */
  readonly scheduledAt: Date
  readonly conversationId: number
  /** What callers will know the message by. */
  readonly code: string
  readonly text: string
  readonly sources: ReadonlyArray<typeof MessageSource.Type>
  readonly now: Date
}

/** The status of the order of plan `p`. Read so it is found by its key: a join began with all orders of the operator. */
const statusOf = (sql: SqlClient): Fragment => sql`
  (SELECT o.status FROM orders o WHERE o.operator_id = p.operator_id
    AND o.id = (SELECT s.order_id FROM stays s WHERE s.operator_id = p.operator_id AND s.id = p.stay_id))`

/**
 * The message of a plan is written down and put into the lane of its conversation, and the plan is done: both or neither, so
 * whoever does it at the same moment, and however often, says it once. Nothing is said once its rule is
 * paused or its order stands otherwise.
 */
export const saying = (sql: SqlClient, said: Givens<Said>): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans p SET state = 'done', reason = NULL, settled_at = ${said.now}::timestamptz
      FROM automation_rules r
      WHERE p.operator_id = ${said.operatorId} AND p.id = ${said.id} AND p.state = 'waiting'
        AND p.scheduled_at = ${said.scheduledAt} AND r.operator_id = p.operator_id AND r.id = p.rule_id AND r.state = 'active'
        AND ${statusOf(sql)} = ${statusWanted(sql)}
      RETURNING p.operator_id, p.id
    ), ${queuedMessages(
      sql,
      sql`
        SELECT operator_id, ${said.conversationId}::bigint AS conversation_id, ${said.code}::text AS code,
          ${sql.literal(`'${ASSISTANT_NAME}'`)}::text AS sender_name, ${jsonParameter(said.sources)}::jsonb AS sources,
          'Text'::text AS display_type, ${said.text}::text AS content, NULL::text AS attachment_url, NULL::bigint AS image_id
        FROM plan`,
      said.now
    )}`,
  events: [messageCreated(sql, said.now)],
  touched: sql`
    SELECT operator_id, ${sql.literal(`'${PLAN_RECORD}:'`)} || id AS record, '{state}'::text[] AS fields FROM plan
    UNION ALL ${touchedByMessages(sql)}`,
  outcome: sql`SELECT id FROM plan`
})

export interface Settled extends OwnRow {
  readonly now: Date
}

/** It was done, whoever says so. */
export const settlingDone = (sql: SqlClient, { operatorId, id, now }: Givens<Settled>): Fragment => sql`
  UPDATE automation_plans SET state = 'done', reason = NULL, settled_at = ${now}
  WHERE operator_id = ${operatorId} AND id = ${id} AND state = 'waiting'
  RETURNING id`

interface InHand extends Settled {
  readonly attempts: number
}

/** Whether it is still the worker's: nobody has taken, moved or settled it since. */
const isMine = (sql: SqlClient, { operatorId, id, attempts }: Givens<Omit<InHand, "now">>): Fragment => sql`
  operator_id = ${operatorId} AND id = ${id} AND attempts = ${attempts} AND state = 'waiting'`

export interface Skipped extends InHand {
  readonly reason: string
}

export const skipping = (sql: SqlClient, skipped: Givens<Skipped>): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans SET state = 'skipped', reason = ${skipped.reason}::text, settled_at = ${skipped.now}::timestamptz
      WHERE ${isMine(sql, skipped)} RETURNING operator_id, id
    )`,
  events: [],
  touched: sql`
    SELECT operator_id, ${sql.literal(`'${PLAN_RECORD}:'`)} || id AS record, '{state,reason}'::text[] AS fields FROM plan`,
  outcome: sql`SELECT id FROM plan`
})

export interface Waits extends Omit<InHand, "now"> {
  readonly reason: string | null
  readonly nextTry: Date
}

/** It could not be done, and is tried again then. */
export const puttingOff = (sql: SqlClient, waits: Givens<Waits>): Fragment => sql`
  UPDATE automation_plans SET due_at = ${waits.nextTry}, failures = failures + 1, reason = ${waits.reason}
  WHERE ${isMine(sql, waits)}`

/**
 * Its stay is to be looked at now. Who planned since the worker looked has left the plan on purpose: were it taken away, or
 * moved, by what the worker read, nothing would bring it back. So only who plans does either (planning/settling.ts).
 */
export const markingItsStay = (sql: SqlClient, { now, ...plan }: Givens<InHand>): Fragment =>
  markingStays(
    sql,
    sql`
      SELECT s.operator_id, s.id AS stay_id, ${accountOf(sql)} AS account_id, NULL AS traceparent FROM stays s
      WHERE s.operator_id = ${plan.operatorId} AND s.id = (SELECT stay_id FROM automation_plans WHERE ${isMine(sql, plan)})
      FOR KEY SHARE OF s`,
    now,
    AT_ONCE
  )

/** Gives it back untried. */
export const handingBack = (sql: SqlClient, { now, ...plan }: Givens<InHand>): Fragment => sql`
  UPDATE automation_plans SET due_at = ${now} WHERE ${isMine(sql, plan)}`

/** The host takes a plan away: it is not run, and not made again. */
export const deleting = (sql: SqlClient, { operatorId, id, now }: Givens<Settled>): RecordedChange => ({
  change: sql`
    plan AS (
      UPDATE automation_plans SET state = 'deleted', settled_at = ${now}::timestamptz
      WHERE operator_id = ${operatorId} AND id = ${id} AND state = 'waiting'
      RETURNING operator_id, id
    )`,
  events: [],
  touched: touchedIn(sql, PLAN_RECORD, "plan"),
  outcome: sql`SELECT id FROM plan`
})
