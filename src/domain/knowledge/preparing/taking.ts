import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { BacklogSource } from "../../../jobs/backlog-statements.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { idsParameter } from "../../../platform/database/parameters.ts"

// The statement by which entries are taken. As with calendars (imported-calendars/taking.ts) the way is said: rows that were
// found are changed by where they lie, and a limit that is text tells how few to expect.

/** Entries that a process prepares at once, and those of one operator. */
export const PREPARING_ROOM = 4
export const PREPARING_SHARE = 2

export interface Taking {
  readonly now: Date
  readonly leaseEnd: Date
  readonly most: number
  /** Whose entries this process has in hand, each. */
  readonly busyOperators: ReadonlyArray<number>
}

/** Operators that have something due: leaps through the index from one to the next, however much is due of each. */
const operatorsWithDueEntriesSql = (sql: SqlClient, { now }: Givens<Pick<Taking, "now">>): Fragment => sql`
  with_due AS (
    (SELECT operator_id FROM knowledge_bases WHERE due_at < 'infinity' AND due_at <= ${now}
      ORDER BY operator_id, due_at LIMIT 1)
    UNION ALL
    SELECT following.operator_id FROM with_due CROSS JOIN LATERAL (
      SELECT k.operator_id FROM knowledge_bases k
      WHERE k.operator_id > with_due.operator_id AND k.due_at < 'infinity' AND k.due_at <= ${now}
      ORDER BY k.operator_id, k.due_at LIMIT 1) following
  )`

/** The due entries of operator `o`, as many as its share leaves. One that somebody else has in hand is passed by. */
const dueEntriesSql = (sql: SqlClient, { now }: Givens<Taking>): Fragment => sql`
  SELECT * FROM (
    SELECT ctid AS place, due_at FROM knowledge_bases
    WHERE operator_id = o.operator_id AND due_at < 'infinity' AND due_at <= ${now}
    ORDER BY due_at, id LIMIT ${sql.literal(String(PREPARING_SHARE))}
    FOR NO KEY UPDATE SKIP LOCKED
  ) share LIMIT greatest(o.room, 0)`

/** Takes entries that are due, of operators in turn: the one with the fewest in hand first. */
export const takingDue = (sql: SqlClient, taking: Givens<Taking>): Fragment => sql`
  WITH RECURSIVE ${operatorsWithDueEntriesSql(sql, taking)}, busy AS MATERIALIZED (
    SELECT operator_id, count(*) AS entries FROM unnest(${idsParameter(taking.busyOperators)}::bigint[]) operator_id
    GROUP BY operator_id
  ), o AS MATERIALIZED (
    SELECT operator_id, ${sql.literal(String(PREPARING_SHARE))} - coalesce(busy.entries, 0) AS room,
      coalesce(busy.entries, 0) AS in_hand
    FROM with_due LEFT JOIN busy USING (operator_id)
  ), due AS (
    SELECT due.place, due.due_at,
      o.in_hand + row_number() OVER (PARTITION BY o.operator_id ORDER BY due.due_at) AS turn
    FROM o CROSS JOIN LATERAL (${dueEntriesSql(sql, taking)}) due
  ), chosen AS (
    SELECT place FROM due ORDER BY turn, due_at LIMIT ${taking.most}
  )
  UPDATE knowledge_bases k SET attempts = k.attempts + 1, due_at = ${taking.leaseEnd}, process_status = 'processing'
  WHERE k.ctid = ANY (ARRAY(SELECT place FROM chosen)) AND k.due_at <= ${taking.now}
  RETURNING k.operator_id, k.id, k.title, k.contents, k.attempts, k.failures`

/** Entries that are due and nobody has in hand. */
export const knowledgeBacklog = (sql: SqlClient, { now }: Givens<Pick<Taking, "now">>): BacklogSource => ({
  candidates: sql`${operatorsWithDueEntriesSql(sql, { now })}, with_work AS (SELECT operator_id FROM with_due)`,
  condition: sql`(SELECT o.status FROM operators o WHERE o.id = with_work.operator_id) = 'active'`,
  dueRows: sql`FROM knowledge_bases WHERE operator_id = with_work.operator_id AND due_at < 'infinity' AND due_at <= ${now}`
})
