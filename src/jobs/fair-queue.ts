import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { idsParameter } from "../platform/database/parameters.ts"
import { backlogSql } from "./backlog-statements.ts"

// Selects the next jobs fairly between operators and between the channel accounts (`account_id`) of an operator, so
// that a hanging channel or a busy host does not delay others. Each statement must be fast with one plan for all
// values, because PostgreSQL plans it only once.

/**
 * Largest number of due rows that a poll reads first. If there are so many, they may all belong to one host. Then a
 * loose index scan finds the other accounts.
 */
export const DUE_SCAN_ROWS = 1_000

interface PollTime {
  readonly now: Date
}

export interface ClaimRequest extends PollTime {
  readonly leaseEnd: Date
  readonly maxJobs: number
  /** The three lists have one element per account with jobs in progress in this process. */
  readonly busyAccounts: ReadonlyArray<number>
  readonly busyOperators: ReadonlyArray<number>
  readonly busyJobCounts: ReadonlyArray<number>
}

/** `account_id` is undefined or 0 for a job without an account. */
export interface AccountKey {
  readonly operator_id: number
  readonly account_id?: number
}

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

/** The table has the columns `operator_id`, `account_id`, `due_at`, `failures` and a key. All texts are SQL. */
export interface FairQueue {
  readonly table: string
  readonly keyColumn: string
  /** Matches pending jobs. A partial index has them by account and `due_at`. */
  readonly pendingCondition: string
  /** Set if jobs have no account. The index is then by operator and `due_at`. */
  readonly hasNoAccounts?: true
  /**
   * Set if another index has the pending rows by `due_at` alone, for a queue whose jobs mostly wait for days. A poll
   * then starts from due rows.
   */
  readonly isIndexedByTime?: true
  /** Condition on `with_work` for the accounts to poll. Default: all. */
  readonly accountCondition?: string
  readonly operatorLimit: number
  readonly accountLimit: number
}

const toFragments = (sql: SqlClient, queue: FairQueue) => ({
  table: sql.literal(queue.table),
  keyColumn: sql.literal(queue.keyColumn),
  pendingCondition: sql.literal(queue.pendingCondition),
  accountCondition: sql.literal(queue.accountCondition ?? "true"),
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

/** A loose index scan: its cost does not depend on the number of jobs. */
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
 * The time is in a subquery. With a plain parameter, PostgreSQL would plan the statement at each poll, which takes
 * longer than the poll.
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

const candidateAccountsSql = (sql: SqlClient, queue: FairQueue, time: PollTime): Fragment =>
  queue.isIndexedByTime ? dueAccountsSql(sql, queue, time) : scanAccountsSql(sql, queue, sql`with_work`, sql``)

const busyCteSql = (sql: SqlClient, { busyAccounts, busyOperators, busyJobCounts }: ClaimRequest): Fragment => sql`
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${idsParameter(busyAccounts)}::bigint[], ${idsParameter(busyOperators)}::bigint[],
      ${idsParameter(busyJobCounts)}::bigint[]) AS busy (account_id, operator_id, works)
  )`

const dueRowsSql = (sql: SqlClient, queue: FairQueue, { now }: ClaimRequest): Fragment => {
  const { table, keyColumn, pendingCondition, isOfAccount } = toFragments(sql, queue)
  return sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at, ${keyColumn} AS key, failures > 0 AS has_failed FROM ${table}
    WHERE ${isOfAccount("a")} AND ${pendingCondition} AND due_at <= ${now}
    ORDER BY due_at, ${keyColumn} LIMIT ${sql.literal(String(queue.accountLimit))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(a.room, 0)`
}

/**
 * The last CTE, `chosen`, has the ctid (`place`) of the locked rows to claim. Operators with the fewest jobs in
 * progress come first, and the accounts of an operator take turns. Jobs that have failed come last, so that a channel
 * that hangs for all hosts does not delay other channels. The key decides between equals, so that tests are repeatable.
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
    SELECT due.place, due.due_at, due.has_failed, due.key, a.operator_id, a.under_way,
      row_number() OVER (PARTITION BY a.operator_id, a.account_id ORDER BY due.due_at, due.key) AS nth
    FROM a CROSS JOIN LATERAL (${dueRowsSql(sql, queue, request)}) due
  ), in_turn AS (
    SELECT place, due_at, has_failed, key,
      under_way + row_number() OVER (PARTITION BY operator_id ORDER BY has_failed, nth, due_at, key) AS turn FROM due
  ), chosen AS (
    SELECT place FROM in_turn WHERE turn <= ${sql.literal(String(queue.operatorLimit))}
    ORDER BY turn, has_failed, due_at, key LIMIT ${request.maxJobs}
  )`

export const fairBacklogSql = (sql: SqlClient, queue: FairQueue, time: PollTime): Fragment => {
  const { table, pendingCondition, accountCondition, isOfAccount } = toFragments(sql, queue)
  return backlogSql(sql, {
    candidates: candidateAccountsSql(sql, queue, time),
    condition: accountCondition,
    dueRows: sql`FROM ${table} WHERE ${isOfAccount("with_work")} AND ${pendingCondition} AND due_at <= ${time.now}`
  })
}
