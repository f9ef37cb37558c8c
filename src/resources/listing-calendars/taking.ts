import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../../database/forms.ts"
import { idsParameter } from "../../database/parameters.ts"

// The statement by which lanes are taken. As with deliveries (deliveries/taking.ts) its way is said, since it is planned
// once for any value: rows that were found are changed by where they lie, and a limit that is text tells how few to expect.

/** Pushes under way at once in a process, those of one operator, and those of one of its accounts. */
export const PUSHING_ROOM = 32
export const PUSHING_SHARE = 8
export const PUSHING_ACCOUNT_SHARE = 2

export interface Taking {
  readonly now: Date
  readonly leaseEnd: Date
  readonly most: number
  /** Accounts that have pushes under way in this process, whose they are, and how many each. */
  readonly busyAccounts: ReadonlyArray<number>
  readonly busyOperators: ReadonlyArray<number>
  readonly busyPushes: ReadonlyArray<number>
}

/** Accounts that have something waiting: leaps through the index from one to the next, however much waits of each. */
const withWork = (sql: SqlClient): Fragment => sql`
  with_work AS (
    (SELECT operator_id, account_id FROM listing_lanes WHERE waiting > 0 ORDER BY operator_id, account_id LIMIT 1)
    UNION ALL
    SELECT following.* FROM with_work CROSS JOIN LATERAL (
      SELECT l.operator_id, l.account_id FROM listing_lanes l
      WHERE l.waiting > 0 AND (l.operator_id, l.account_id) > (with_work.operator_id, with_work.account_id)
      ORDER BY l.operator_id, l.account_id LIMIT 1) following
  )`

/** What this process has under way, by account. */
const busy = (sql: SqlClient, { busyAccounts, busyOperators, busyPushes }: Givens<Taking>): Fragment => sql`
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${idsParameter(busyAccounts)}::bigint[], ${idsParameter(busyOperators)}::bigint[],
      ${idsParameter(busyPushes)}::bigint[]) AS busy (account_id, operator_id, pushes)
  )`

/** The due lanes of account `a`, as many as its share leaves. One that somebody else has in hand is passed by. */
const dueOf = (sql: SqlClient, { now }: Givens<Taking>): Fragment => sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at FROM listing_lanes
    WHERE operator_id = a.operator_id AND account_id = a.account_id AND waiting > 0 AND due_at <= ${now}
    ORDER BY due_at, listing_row LIMIT ${sql.literal(String(PUSHING_ACCOUNT_SHARE))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(a.room, 0)`

/**
 * Takes lanes that are due, the operator with the fewest pushes under way first and of one operator the accounts in turn,
 * and answers the first push of each. A lane that was changed since the statement began lies elsewhere by then and is left
 * to the next: so what it has waiting is seen.
 */
export const takingDue = (sql: SqlClient, taking: Givens<Taking>): Fragment => sql`
  WITH RECURSIVE ${withWork(sql)}, ${busy(sql, taking)}, a AS MATERIALIZED (
    SELECT operator_id, account_id,
      ${sql.literal(String(PUSHING_ACCOUNT_SHARE))}
        - coalesce((SELECT pushes FROM busy WHERE busy.account_id = with_work.account_id), 0) AS room,
      coalesce((SELECT sum(pushes) FROM busy WHERE busy.operator_id = with_work.operator_id), 0) AS under_way
    FROM with_work
  ), due AS (
    SELECT due.place, due.due_at, a.operator_id, a.under_way,
      row_number() OVER (PARTITION BY a.operator_id, a.account_id ORDER BY due.due_at) AS nth
    FROM a CROSS JOIN LATERAL (${dueOf(sql, taking)}) due
  ), in_turn AS (
    SELECT place, due_at, under_way + row_number() OVER (PARTITION BY operator_id ORDER BY nth, due_at) AS turn FROM due
  ), chosen AS (
    SELECT place FROM in_turn WHERE turn <= ${sql.literal(String(PUSHING_SHARE))}
    ORDER BY turn, due_at LIMIT ${taking.most}
  ), taken AS (
    UPDATE listing_lanes l SET attempts = l.attempts + 1, due_at = ${taking.leaseEnd}
    WHERE l.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND l.waiting > 0 AND l.due_at <= ${taking.now}
    RETURNING l.operator_id, l.listing_row, l.attempts, l.failures
  )
  SELECT taken.*, listing.account_id, listing.channel_type, listing.listing_id, first.id AS push_id,
    jsonb_build_object('kind', first.kind, 'ranges', first.ranges) AS told
  FROM taken
  CROSS JOIN LATERAL (
    SELECT id, kind, ranges FROM listing_pushes
    WHERE operator_id = taken.operator_id AND listing_row = taken.listing_row AND settled_at IS NULL
    ORDER BY id LIMIT 1) first
  JOIN listings listing ON listing.operator_id = taken.operator_id AND listing.id = taken.listing_row`
