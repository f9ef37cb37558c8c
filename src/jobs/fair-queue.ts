import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../platform/database/parameters.ts"
import { backlogSql } from "./backlog-statements.ts"

// Selects the next jobs of a table, fairly between operators and between the accounts of an operator, so that neither a hanging channel nor
// a busy host delays another. The statements prescribe their plan, because PostgreSQL plans them once for all values.

/**
 * Due rows that a queue with `isIndexedByTime` reads to find the accounts with due jobs. If fewer rows are due, these are all of them. If
 * as many are due, they may all be of one host, so the other accounts are found by a loose index scan.
 */
export const DUE_SCAN_ROWS = 1_000

/** The time of a poll. */
interface PollTime {
  readonly now: Date
}

export interface ClaimRequest extends PollTime {
  readonly leaseEnd: Date
  readonly maxJobs: number
  /** Accounts with jobs in progress in this process, the operator of each, and its number of jobs. */
  readonly busyAccounts: ReadonlyArray<number>
  readonly busyOperators: ReadonlyArray<number>
  readonly busyJobCounts: ReadonlyArray<number>
}

/** The operator of a job, and its account. Without an account: undefined or 0. */
export interface AccountKey {
  readonly operator_id: number
  readonly account_id?: number
}

/** Counts the jobs in progress by account. Accounts of two operators may have the same number. */
export const toBusyCounts = (
  inProgress: Iterable<AccountKey>
): Pick<ClaimRequest, "busyAccounts" | "busyOperators" | "busyJobCounts"> => {
  const counts = new Map<string, Required<AccountKey> & { works: number }>()
  for (const { operator_id, account_id = 0 } of inProgress) {
    const key = `${operator_id} ${account_id}`
    const count = counts.get(key) ?? { operator_id, account_id, works: 0 }
    count.works += 1
    counts.set(key, count)
  }
  return {
    busyAccounts: Array.from(counts.values(), (count) => count.account_id),
    busyOperators: Array.from(counts.values(), (count) => count.operator_id),
    busyJobCounts: Array.from(counts.values(), (count) => count.works)
  }
}

/**
 * A table of jobs with the columns `operator_id`, `account_id`, `due_at`, `failures` and a key, and the limits that keep its claims fair.
 * All texts are SQL.
 */
export interface FairQueue {
  readonly table: string
  /** The key column of a job, the last one of the index. */
  readonly keyColumn: string
  /** Which rows are pending jobs. A partial index has them by account and due_at. */
  readonly pendingCondition: string
  /** The table has no column `account_id`, and the index is by operator and due_at. */
  readonly hasNoAccounts?: true
  /**
   * An index has the pending rows by due_at alone, for a queue whose jobs are mostly pending for days. Then a poll starts from the
   * accounts of the due rows, and from every account with pending rows only if `DUE_SCAN_ROWS` are due.
   */
  readonly isIndexedByTime?: true
  /** Which accounts are polled, as a condition on `with_work`. Default: all. */
  readonly accountCondition?: string
  /** Jobs of one operator, and of one of its accounts, in progress at once in a process. */
  readonly operatorLimit: number
  readonly accountLimit: number
}

/** Returns the texts of a queue as fragments. */
const toFragments = (sql: SqlClient, queue: FairQueue) => ({
  table: sql.literal(queue.table),
  keyColumn: sql.literal(queue.keyColumn),
  pendingCondition: sql.literal(queue.pendingCondition),
  accountCondition: sql.literal(queue.accountCondition ?? "true"),
  /** The columns that name an account, of a row without an alias. */
  accountColumns: sql.literal(queue.hasNoAccounts ? "operator_id" : "operator_id, account_id"),
  accountSelection: sql.literal(queue.hasNoAccounts ? "operator_id, 0 AS account_id" : "operator_id, account_id"),
  isAfterAccount: sql.literal(
    queue.hasNoAccounts
      ? "l.operator_id > one.operator_id"
      : "(l.operator_id, l.account_id) > (one.operator_id, one.account_id)"
  ),
  isOfAccount: (account: "a" | "with_work") =>
    sql.literal(
      queue.hasNoAccounts
        ? `operator_id = ${account}.operator_id`
        : `operator_id = ${account}.operator_id AND account_id = ${account}.account_id`
    )
})

/** Selects the accounts with pending jobs by a loose index scan, so the number of their jobs does not matter. */
const scanAccountsSql = (sql: SqlClient, queue: FairQueue, name: Fragment, where: Fragment): Fragment => {
  const { table, pendingCondition, accountColumns, accountSelection, isAfterAccount } = toFragments(sql, queue)
  return sql`
  ${name} AS (
    (SELECT ${accountSelection} FROM ${table} WHERE ${pendingCondition} ${where} ORDER BY ${accountColumns} LIMIT 1)
    UNION ALL
    SELECT following.* FROM ${name} one CROSS JOIN LATERAL (
      SELECT ${accountSelection} FROM ${table} l
      WHERE ${pendingCondition} AND ${isAfterAccount}
      ORDER BY ${accountColumns} LIMIT 1) following
  )`
}

/**
 * Selects the accounts of the first due rows, and every account with pending jobs if there may be more due rows. The time is in a
 * subquery: otherwise PostgreSQL would estimate the due rows by its value and plan the statement at each poll, which takes longer than the
 * poll.
 */
const dueAccountsSql = (sql: SqlClient, queue: FairQueue, { now }: PollTime): Fragment => {
  const limit = sql.literal(String(DUE_SCAN_ROWS))
  const { table, pendingCondition, accountSelection } = toFragments(sql, queue)
  return sql`
  first AS MATERIALIZED (
    SELECT ${accountSelection} FROM ${table} WHERE ${pendingCondition} AND due_at <= (SELECT ${now}::timestamptz)
    ORDER BY due_at LIMIT ${limit}
  ), ${scanAccountsSql(sql, queue, sql`leaps`, sql`AND (SELECT count(*) FROM first) = ${limit}`)},
  with_work AS (SELECT * FROM leaps UNION SELECT * FROM first)`
}

/** Selects the accounts that a poll reads. */
const candidateAccountsSql = (sql: SqlClient, queue: FairQueue, time: PollTime): Fragment =>
  queue.isIndexedByTime ? dueAccountsSql(sql, queue, time) : scanAccountsSql(sql, queue, sql`with_work`, sql``)

/** Selects the jobs in progress of this process, by account. */
const busyCteSql = (sql: SqlClient, { busyAccounts, busyOperators, busyJobCounts }: ClaimRequest): Fragment => sql`
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${idsParameter(busyAccounts)}::bigint[], ${idsParameter(busyOperators)}::bigint[],
      ${idsParameter(busyJobCounts)}::bigint[]) AS busy (account_id, operator_id, works)
  )`

/** Selects the due rows of account `a`, within its share. Skips rows that another worker has locked. */
const dueRowsSql = (sql: SqlClient, queue: FairQueue, { now }: ClaimRequest): Fragment => {
  const { table, keyColumn, pendingCondition, isOfAccount } = toFragments(sql, queue)
  return sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at, failures > 0 AS has_failed FROM ${table}
    WHERE ${isOfAccount("a")} AND ${pendingCondition} AND due_at <= ${now}
    ORDER BY due_at, ${keyColumn} LIMIT ${sql.literal(String(queue.accountLimit))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(a.room, 0)`
}

/**
 * Returns CTEs for `WITH RECURSIVE`. The last one, `chosen`, has the ctid (`place`) of the rows to claim, which are locked. The order:
 *
 * - The operator with the fewest jobs in progress comes first.
 * - The accounts of one operator are served round robin.
 * - Jobs that have failed come after jobs that have not, so that a channel that hangs for all hosts does not delay the other channels.
 */
export const claimableRowsSql = (sql: SqlClient, queue: FairQueue, request: ClaimRequest): Fragment => sql`
  ${candidateAccountsSql(sql, queue, request)}, ${busyCteSql(sql, request)}, a AS MATERIALIZED (
    SELECT operator_id, account_id,
      ${sql.literal(String(queue.accountLimit))}
        - coalesce((SELECT works FROM busy
          WHERE busy.operator_id = with_work.operator_id AND busy.account_id = with_work.account_id), 0) AS room,
      coalesce((SELECT sum(works) FROM busy WHERE busy.operator_id = with_work.operator_id), 0) AS under_way
    FROM with_work WHERE ${toFragments(sql, queue).accountCondition}
  ), due AS (
    SELECT due.place, due.due_at, due.has_failed, a.operator_id, a.under_way,
      row_number() OVER (PARTITION BY a.operator_id, a.account_id ORDER BY due.due_at) AS nth
    FROM a CROSS JOIN LATERAL (${dueRowsSql(sql, queue, request)}) due
  ), in_turn AS (
    SELECT place, due_at, has_failed,
      under_way + row_number() OVER (PARTITION BY operator_id ORDER BY has_failed, nth, due_at) AS turn FROM due
  ), chosen AS (
    SELECT place FROM in_turn WHERE turn <= ${sql.literal(String(queue.operatorLimit))}
    ORDER BY turn, has_failed, due_at LIMIT ${request.maxJobs}
  )`

/** The due jobs of a queue that no worker has claimed, as a claim finds them. */
export const fairBacklogSql = (sql: SqlClient, queue: FairQueue, time: PollTime): Fragment => {
  const { table, pendingCondition, accountCondition, isOfAccount } = toFragments(sql, queue)
  return backlogSql(sql, {
    candidates: candidateAccountsSql(sql, queue, time),
    condition: accountCondition,
    dueRows: sql`FROM ${table} WHERE ${isOfAccount("with_work")} AND ${pendingCondition} AND due_at <= ${time.now}`
  })
}
