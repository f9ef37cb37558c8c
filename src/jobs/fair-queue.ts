import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../platform/database/forms.ts"
import { idsParameter } from "../platform/database/parameters.ts"
import { backlogSql } from "./backlog-statements.ts"

// Which rows of a table of timed work are next: fair between operators and between the accounts of each, so that neither a
// channel that hangs nor a host with much to do holds up another. The statement's way is said, since it is planned once for any
// value.

/**
 * Rows by which a queue that is read by time (`isIndexedByTime`) knows whose something is due. Where fewer are due these are all, and no
 * account is forgotten; where as many are, they may be those of one host, and others' are looked for account by account.
 */
export const DUE_SCAN_ROWS = 1_000

/** When it is, for who only looks. */
interface PollTime {
  readonly now: Date
}

export interface ClaimRequest extends PollTime {
  readonly leaseEnd: Date
  readonly maxJobs: number
  /** Accounts that have work under way in this process, whose each is, and how much. */
  readonly busyAccounts: ReadonlyArray<number>
  readonly busyOperators: ReadonlyArray<number>
  readonly busyJobCounts: ReadonlyArray<number>
}

/** Whose work is. */
export interface AccountKey {
  readonly operator_id: number
  readonly account_id: number
}

/** What is under way, as the statement is told it. Operators may have an account of the same number: what has none has 0. */
export const toBusyCounts = (
  inProgress: Iterable<AccountKey>
): Pick<ClaimRequest, "busyAccounts" | "busyOperators" | "busyJobCounts"> => {
  const counts = new Map<string, AccountKey & { works: number }>()
  for (const { operator_id, account_id } of inProgress) {
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

/** A table with `operator_id, account_id, due_at, failures` (in a row) and a column of its own, and what of it is taken. */
export interface FairQueue {
  readonly table: Fragment
  /** The column that tells the rows of an account apart, the last of that index. */
  readonly keyColumn: Fragment
  /** Which rows have work at all; of these there is an index by account and due_at. */
  readonly pendingCondition: Fragment
  /**
   * Whether there is an index of due_at of these alone: of a queue in which much waits for days. Then a look comes by the accounts
   * of what is due, and by every account of whom something waits only where very much is due (`DUE_SCAN_ROWS`).
   */
  readonly isIndexedByTime?: true
  /** Which accounts are looked at, of `with_work`. */
  readonly accountCondition: Fragment
  /** How much of one operator and of one of its accounts is under way at once in a process. */
  readonly operatorLimit: number
  readonly accountLimit: number
}

/** Accounts that have something waiting: leaps through the index from one to the next, however much waits of each. */
const scanAccountsSql = (
  sql: SqlClient,
  { table, pendingCondition }: FairQueue,
  name: Fragment,
  where: Fragment
): Fragment => sql`
  ${name} AS (
    (SELECT operator_id, account_id FROM ${table} WHERE ${pendingCondition} ${where} ORDER BY operator_id, account_id LIMIT 1)
    UNION ALL
    SELECT following.* FROM ${name} one CROSS JOIN LATERAL (
      SELECT l.operator_id, l.account_id FROM ${table} l
      WHERE ${pendingCondition} AND (l.operator_id, l.account_id) > (one.operator_id, one.account_id)
      ORDER BY l.operator_id, l.account_id LIMIT 1) following
  )`

/**
 * The accounts of what was due first; and where that may not be all that is due, every account that has something waiting. The time
 * stands in a subquery: where much waits of one host, PostgreSQL would see how little is due by it and plan each look anew, which
 * takes longer than the look.
 */
const dueAccountsSql = (sql: SqlClient, queue: FairQueue, { now }: Givens<PollTime>): Fragment => {
  const limit = sql.literal(String(DUE_SCAN_ROWS))
  return sql`
  first AS MATERIALIZED (
    SELECT operator_id, account_id FROM ${queue.table} WHERE ${queue.pendingCondition} AND due_at <= (SELECT ${now}::timestamptz)
    ORDER BY due_at LIMIT ${limit}
  ), ${scanAccountsSql(sql, queue, sql`leaps`, sql`AND (SELECT count(*) FROM first) = ${limit}`)},
  with_work AS (SELECT * FROM leaps UNION SELECT * FROM first)`
}

/** The accounts among which what is due is looked for. */
const candidateAccountsSql = (sql: SqlClient, queue: FairQueue, time: Givens<PollTime>): Fragment =>
  queue.isIndexedByTime ? dueAccountsSql(sql, queue, time) : scanAccountsSql(sql, queue, sql`with_work`, sql``)

/** What this process has under way, by account. */
const busyCteSql = (
  sql: SqlClient,
  { busyAccounts, busyOperators, busyJobCounts }: Givens<ClaimRequest>
): Fragment => sql`
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${idsParameter(busyAccounts)}::bigint[], ${idsParameter(busyOperators)}::bigint[],
      ${idsParameter(busyJobCounts)}::bigint[]) AS busy (account_id, operator_id, works)
  )`

/** The due rows of account `a`, as many as its share leaves. One that somebody else has in hand is passed by. */
const dueRowsSql = (
  sql: SqlClient,
  { table, keyColumn, pendingCondition, accountLimit }: FairQueue,
  { now }: Givens<ClaimRequest>
): Fragment => sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at, failures > 0 AS has_failed FROM ${table}
    WHERE operator_id = a.operator_id AND account_id = a.account_id AND ${pendingCondition} AND due_at <= ${now}
    ORDER BY due_at, ${keyColumn} LIMIT ${sql.literal(String(accountLimit))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(a.room, 0)`

/**
 * For `WITH RECURSIVE`, up to the CTE `chosen`, where the rows lie whose turn it is: the operator with the least under way
 * first, and of one operator the accounts in turn. What has failed stands behind what has not: where a channel hangs for all
 * hosts, what each of them has for another is not in one queue with it. They are locked.
 */
export const claimableRowsSql = (sql: SqlClient, queue: FairQueue, request: Givens<ClaimRequest>): Fragment => sql`
  ${candidateAccountsSql(sql, queue, request)}, ${busyCteSql(sql, request)}, a AS MATERIALIZED (
    SELECT operator_id, account_id,
      ${sql.literal(String(queue.accountLimit))}
        - coalesce((SELECT works FROM busy
          WHERE busy.operator_id = with_work.operator_id AND busy.account_id = with_work.account_id), 0) AS room,
      coalesce((SELECT sum(works) FROM busy WHERE busy.operator_id = with_work.operator_id), 0) AS under_way
    FROM with_work WHERE ${queue.accountCondition}
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

/** What of such a queue is due and nobody has in hand, on the way by which it is taken. */
export const fairBacklogSql = (sql: SqlClient, queue: FairQueue, time: Givens<PollTime>): Fragment =>
  backlogSql(sql, {
    candidates: candidateAccountsSql(sql, queue, time),
    condition: queue.accountCondition,
    dueRows: sql`
      FROM ${queue.table} WHERE operator_id = with_work.operator_id AND account_id = with_work.account_id
        AND ${queue.pendingCondition} AND due_at <= ${time.now}`
  })
