import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeRowsReader } from "../platform/database/rows.ts"
import { type AccountKey, type ClaimRequest, claimableRowsSql, type FairQueue, toBusyCounts } from "./fair-queue.ts"
import { computeLeaseEnd, LeaseDuration } from "./lease.ts"

// The statements that the tables of all kinds of jobs share. A row of such a table is a job, or a queue partition whose oldest
// element is the job. It has `due_at`, `attempts` and `failures`, and these rules hold:
//
// - A claim counts `attempts` up and moves `due_at` to the end of the lease. So no other worker finds the job meanwhile, and it is due
//   again if its worker dies. A claim skips rows that another worker has locked.
// - Whatever a worker writes about a claimed job holds only while `attempts` is the number of its claim. A worker that comes back after
//   its lease finds another number. Recording a success that cannot be wrong may skip the check.
// - A failed job gets a new `due_at` (retries.ts). A job without a next attempt is a dead letter, which no claim finds.
// - A released job is due at once.
// - Each operation is one idempotent statement, because a lost response causes a repeat.

/** A table of jobs. All texts are SQL. */
export interface JobTable<Key extends string = string> extends FairQueue {
  readonly keyColumn: Key
  /** Milliseconds of a claim: an attempt and its completion fit into them. Default: `LeaseDuration`. */
  readonly leaseMs?: number
  /** A condition that also holds for a row as long as its claim holds. */
  readonly claimedCondition?: string
  /** Further assignments of a claim and of a release. */
  readonly claimAssignment?: string
  readonly releaseAssignment?: string
}

/** The columns of every claimed job, beside its key. */
export const claimedJobFields = {
  operator_id: Schema.Int,
  /** How often the job was claimed, this time included: no other worker has it with the same number. */
  attempts: Schema.Int,
  /** Failures in a row before this attempt. */
  failures: Schema.Int
}

/** What a worker needs to know of any job. */
export interface ClaimedJob {
  readonly failures: number
}

/** Names a claim in a statement. */
export interface JobClaim {
  readonly operator_id: number
  readonly key: number
  readonly attempts: number
}

/** Whether a row is still claimed as it was: no other worker has claimed it since. */
export const isClaimedCondition = (
  sql: SqlClient,
  { keyColumn, claimedCondition = "true" }: JobTable,
  { operator_id, key, attempts }: JobClaim
): Fragment => sql`
  operator_id = ${operator_id} AND ${sql.literal(keyColumn)} = ${key} AND attempts = ${attempts}
  AND ${sql.literal(claimedCondition)}`

const assign = (sql: SqlClient, assignment: string | undefined): Fragment =>
  sql.literal(assignment === undefined ? "" : `, ${assignment}`)

/** What a claim selects of the rows that it changed. */
export interface ClaimSelection {
  /** The columns of the CTE `claimed`, of the row `j`. */
  readonly returning: Fragment
  /** The rest of the statement after that CTE. Default: all of `claimed`. */
  readonly statement?: Fragment
}

/**
 * Claims the rows of the CTE `chosen`. They are updated by ctid: a row that another worker has changed since the statement began has
 * another ctid and is left to the next claim.
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

/** Makes a failed job due at its next attempt. It ends the claim, so a repetition changes nothing. */
const postponeSql = (
  sql: SqlClient,
  table: JobTable,
  { nextAttempt, ...claim }: JobClaim & { readonly nextAttempt: Date }
) =>
  sql`
    UPDATE ${sql.literal(table.table)} SET due_at = ${nextAttempt}, failures = failures + 1, attempts = attempts + 1
    WHERE ${isClaimedCondition(sql, table, claim)}`

/** Returns the operations that any table of jobs has. `schema` reads a row of `selectClaimed`. */
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
    /** Claims up to `maxJobs` due jobs. `inProgress` are those that this process has claimed already. */
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
    /** Releases a claimed job that was not attempted. */
    release: (job: Job, now: Date) => Effect.asVoid(Effect.orDie(release({ ...toClaim(job), now }))),
    /** Makes a failed job due at its next attempt. */
    postpone: (job: Job, nextAttempt: Date) => Effect.asVoid(Effect.orDie(postpone({ ...toClaim(job), nextAttempt })))
  }
}
