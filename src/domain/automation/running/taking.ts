import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type ClaimRequest, claimableRowsSql, type FairQueue } from "../../../jobs/fair-queue.ts"
import type { Givens } from "../../../platform/database/forms.ts"

// The statement by which plans are taken: rows that were found are changed by where they lie.

/** Plans under way at once in a process, those of one operator, and those of one of its accounts. */
export const RUNNING_ROOM = 32
export const RUNNING_SHARE = 8
export const RUNNING_ACCOUNT_SHARE = 4

/** Reviews among them: each lasts as long as its channel takes, and where that hangs the rest of the room is for messages. */
export const REVIEWING_ROOM = 16

/** What a worker has in its hands. */
export const TakenPlan = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  account_id: Schema.Int,
  kind: Schema.Literals(["send_message", "review"]),
  /** How often it was taken, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this one. */
  failures: Schema.Int,
  created_at: Schema.Date,
  /** The trace of the change it was planned for. */
  traceparent: Schema.NullOr(Schema.String)
})
export type TakenPlan = typeof TakenPlan.Type

/** What of it is due, and in which turn. */
export const planQueue = (sql: SqlClient, kind: TakenPlan["kind"]): FairQueue => ({
  table: sql`automation_plans`,
  keyColumn: sql`id`,
  pendingCondition: sql`state = 'waiting' AND kind = ${sql.literal(`'${kind}'`)}`,
  isIndexedByTime: true as const,
  accountCondition: sql`(SELECT o.status FROM operators o WHERE o.id = with_work.operator_id) = 'active'`,
  operatorLimit: RUNNING_SHARE,
  accountLimit: RUNNING_ACCOUNT_SHARE
})

/**
 * Takes plans of a kind that are due. Those of a host whose account is banned or closed wait, until they are late. How an account
 * stands is read so that it is found by its key: a semi-join began with all operators.
 */
export const takingDue = (sql: SqlClient, taking: Givens<ClaimRequest>, kind: TakenPlan["kind"]): Fragment => {
  const queue = planQueue(sql, kind)
  return sql`
  WITH RECURSIVE ${claimableRowsSql(sql, queue, taking)}
  UPDATE automation_plans p SET attempts = p.attempts + 1, due_at = ${taking.leaseEnd}
  WHERE p.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND p.state = 'waiting' AND p.due_at <= ${taking.now}
  RETURNING p.operator_id, p.id, p.account_id, p.kind, p.attempts, p.failures, p.created_at, p.traceparent`
}
