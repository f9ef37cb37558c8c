import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Givens } from "../../database/forms.ts"
import { idsParameter } from "../../database/parameters.ts"

// The statement by which lanes are taken. As with deliveries (deliveries/taking.ts) its way is said, since it is planned
// once for any value: rows that were found are changed by where they lie, and a limit that is text tells how few to expect.

/** Pushes under way at once in a process, and those of one operator. */
export const PUSHING_ROOM = 16
export const PUSHING_SHARE = 4

export interface Taking {
  readonly now: Date
  readonly leaseEnd: Date
  readonly most: number
  /** Operators that have pushes under way in this process, and how many each. */
  readonly busyIds: ReadonlyArray<number>
  readonly busyPushes: ReadonlyArray<number>
}

/** Operators that have something waiting: leaps through the index from one to the next, however much waits of each. */
const withWork = (sql: SqlClient): Fragment => sql`
  with_work AS (
    (SELECT operator_id FROM listing_lanes WHERE waiting > 0 ORDER BY operator_id LIMIT 1)
    UNION ALL
    SELECT following.operator_id FROM with_work CROSS JOIN LATERAL (
      SELECT operator_id FROM listing_lanes
      WHERE waiting > 0 AND operator_id > with_work.operator_id
      ORDER BY operator_id LIMIT 1) following
  )`

/** The due lanes of operator `o`, as many as its share leaves. One that somebody else has in hand is passed by. */
const dueOf = (sql: SqlClient, { now }: Givens<Taking>): Fragment => sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at FROM listing_lanes
    WHERE operator_id = o.operator_id AND waiting > 0 AND due_at <= ${now}
    ORDER BY due_at, listing_row LIMIT ${sql.literal(String(PUSHING_SHARE))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(o.room, 0)`

/**
 * Takes lanes that are due, the operator with the fewest pushes under way first, and answers the first push of each. A lane
 * that was changed since the statement began lies elsewhere by then and is left to the next: so what it has waiting is seen.
 */
export const takingDue = (sql: SqlClient, taking: Givens<Taking>): Fragment => sql`
  WITH RECURSIVE ${withWork(sql)}, o AS MATERIALIZED (
    SELECT with_work.operator_id, coalesce(busy.pushes, 0) AS under_way,
      ${sql.literal(String(PUSHING_SHARE))} - coalesce(busy.pushes, 0) AS room
    FROM with_work
    LEFT JOIN unnest(${idsParameter(taking.busyIds)}::bigint[], ${idsParameter(taking.busyPushes)}::bigint[])
      AS busy (operator_id, pushes) ON busy.operator_id = with_work.operator_id
  ), chosen AS (
    SELECT due.place FROM o CROSS JOIN LATERAL (${dueOf(sql, taking)}) due
    ORDER BY o.under_way + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at), due.due_at
    LIMIT ${taking.most}
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
