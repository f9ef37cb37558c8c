import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeRowsReader } from "../platform/database/rows.ts"
import { type AccountKey, type ClaimRequest, claimableRowsSql, type FairQueue, toBusyCounts } from "./fair-queue.ts"
import { computeLeaseEnd, LeaseDuration } from "./lease.ts"

// Statements for all tables of jobs. A row is a job, or a queue partition: a queue whose oldest element is the job.
//
// A claim increases `attempts` and moves `due_at` to the end of the lease, so the job is due again if its worker dies.
// A worker may write only while `attempts` has the number of its claim. A success that stays true, such as an accepted
// webhook delivery, may be stored without this check.
//
// Each operation is one idempotent statement, because it may be repeated after a lost response.

export interface JobTable<Key extends string = string> extends FairQueue {
  readonly keyColumn: Key
  /** The lease must be longer than an attempt and its completion. Default: `LeaseDuration`. */
  readonly leaseMs?: number
  /** True for a row while its claim holds, and may become false when the claim ends. */
  readonly claimedCondition?: string
  readonly claimAssignment?: string
  readonly releaseAssignment?: string
}

export const claimedJobFields = {
  operator_id: Schema.Int,
  /** Number of claims, including this one. It identifies the claim. */
  attempts: Schema.Int,
  failures: Schema.Int
}

export interface ClaimedJob {
  readonly failures: number
}

export interface JobClaim {
  readonly operator_id: number
  readonly key: number
  readonly attempts: number
}

export const isClaimedCondition = (
  sql: SqlClient,
  { keyColumn, claimedCondition = "true" }: JobTable,
  { operator_id, key, attempts }: JobClaim
): Fragment => sql`
  operator_id = ${operator_id} AND ${sql.literal(keyColumn)} = ${key} AND attempts = ${attempts}
  AND ${sql.literal(claimedCondition)}`

const assign = (sql: SqlClient, assignment: string | undefined): Fragment =>
  sql.literal(assignment === undefined ? "" : `, ${assignment}`)

export interface ClaimSelection {
  /** Columns of the CTE `claimed`, from the row `j`. */
  readonly returning: Fragment
  /** Main query of the statement. Default: selects all of `claimed`. */
  readonly statement?: Fragment
}

/**
 * Updates by ctid. If another worker has changed a row since the selection, the row has a new ctid and waits for the
 * next claim.
 */
const claimSql = (
  sql: SqlClient,
  table: JobTable,
  request: ClaimRequest,
  { returning, statement = sql`SELECT * FROM claimed` }: ClaimSelection
): Fragment => sql`
  WITH RECURSIVE ${claimableRowsSql(sql, table, request)}, claimed AS (
    UPDATE ${sql.literal(table.table)} j
    SET attempts = j.attempts + 1, due_at = ${request.leaseEnd}${assign(sql, table.claimAssignment)}
    WHERE j.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND ${sql.literal(table.pendingCondition)}
      AND j.due_at <= ${request.now}
    RETURNING ${returning}
  ) ${statement}`

const releaseSql = (sql: SqlClient, table: JobTable, { now, ...claim }: JobClaim & { readonly now: Date }) =>
  sql`
    UPDATE ${sql.literal(table.table)} SET due_at = ${now}${assign(sql, table.releaseAssignment)}
    WHERE ${isClaimedCondition(sql, table, claim)}`

/** Increases `attempts` to end the claim, so a repetition changes nothing. */
const postponeSql = (
  sql: SqlClient,
  table: JobTable,
  { nextAttempt, ...claim }: JobClaim & { readonly nextAttempt: Date }
) =>
  sql`
    UPDATE ${sql.literal(table.table)} SET due_at = ${nextAttempt}, failures = failures + 1, attempts = attempts + 1
    WHERE ${isClaimedCondition(sql, table, claim)}`

export const makeJobQueue = <
  Key extends string,
  Job extends ClaimedJob & Omit<JobClaim, "key"> & Readonly<Record<Key, number>>
>(
  sql: SqlClient,
  table: JobTable<Key>,
  schema: Schema.ConstraintDecoder<Job>,
  selection: ClaimSelection
) => {
  const readJobs = makeRowsReader(schema)
  const claim = (request: ClaimRequest) => sql`${claimSql(sql, table, request, selection)}`
  const release = (input: JobClaim & { readonly now: Date }) => sql`${releaseSql(sql, table, input)}`
  const postpone = (input: JobClaim & { readonly nextAttempt: Date }) => sql`${postponeSql(sql, table, input)}`
  const toClaim = (job: Job): JobClaim => ({
    operator_id: job.operator_id,
    key: job[table.keyColumn],
    attempts: job.attempts
  })
  return {
    toClaim,
    claim: (now: Date, maxJobs: number, inProgress: Iterable<AccountKey>) =>
      Effect.flatMap(LeaseDuration, (leaseMs) =>
        readJobs(
          claim({
            now,
            leaseEnd: computeLeaseEnd(now, table.leaseMs ?? leaseMs),
            maxJobs,
            ...toBusyCounts(inProgress)
          })
        )
      ),
    /** Makes the job due at once without counting a failure. */
    release: (job: Job, now: Date) => Effect.asVoid(Effect.orDie(release({ ...toClaim(job), now }))),
    postpone: (job: Job, nextAttempt: Date) => Effect.asVoid(Effect.orDie(postpone({ ...toClaim(job), nextAttempt })))
  }
}
