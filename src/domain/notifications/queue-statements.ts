import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../jobs/events/internal-subscribers.ts"
import { NOTIFICATION_GATHERING_MS } from "../../platform/limits.ts"

/**
 * A condition on `notification_recipients r JOIN accounts a JOIN operators o`: the account may get notifications. Each
 * statement that queues or sends one must check it.
 */
export const getsNotificationsCondition = (sql: SqlClient): Fragment => sql`
  a.email = r.verified_email AND a.disabled_at IS NULL AND o.status = 'active'`

/**
 * Selects one row for each candidate and each account that has chosen its kind and has no notification of its event.
 *
 * `candidates` selects `operator_id`, `kind`, `event_key`, `record` and `chosen_before`. Accounts that changed their
 * choice after `chosen_before` are left out. A sub-account sees all properties of its operator, so it gets the same
 * notifications as the main account.
 */
export const newNotificationsSql = (sql: SqlClient, candidates: Fragment): Fragment => sql`
  SELECT DISTINCT candidate.operator_id, r.account_id, candidate.kind, candidate.event_key, candidate.record
  FROM (${candidates}) candidate
  JOIN notification_recipients r ON r.operator_id = candidate.operator_id AND candidate.kind = ANY (r.kinds)
    AND r.kinds_since <= candidate.chosen_before
  JOIN accounts a ON a.operator_id = r.operator_id AND a.id = r.account_id
  JOIN operators o ON o.id = r.operator_id
  WHERE ${getsNotificationsCondition(sql)} AND NOT EXISTS (
    SELECT FROM notifications n WHERE n.operator_id = candidate.operator_id AND n.account_id = r.account_id
      AND n.kind = candidate.kind AND n.event_key = candidate.event_key)`

/** The primary key of `notifications` prevents a second notification of an event. */
const insertNotificationsSql = (sql: SqlClient, candidates: Fragment, now: Date): Fragment => sql`
  INSERT INTO notifications (operator_id, account_id, kind, event_key, record, created_at)
  SELECT operator_id, account_id, kind, event_key, record, ${now}::timestamptz
  FROM (${newNotificationsSql(sql, candidates)}) new_notification ORDER BY operator_id, account_id, kind, event_key
  ON CONFLICT DO NOTHING
  RETURNING operator_id`

/**
 * The first notification is due at once. Further ones are due NOTIFICATION_GATHERING_MS after the last mail. A recipient
 * that is due or claimed keeps its time: the worker sees by `queued` that notifications were added during its claim.
 */
const enqueueRecipientsSql = (sql: SqlClient, candidates: Fragment, now: Date): Fragment => sql`
  UPDATE notification_recipients r SET queued = r.queued + 1,
    due_at = CASE WHEN r.due_at < 'infinity' THEN r.due_at
      ELSE least(greatest(${now}::timestamptz, r.mailed_at + ${gatheringInterval(sql)}), ${now}::timestamptz + ${gatheringInterval(sql)}) END
  FROM (SELECT DISTINCT operator_id, account_id FROM (${newNotificationsSql(sql, candidates)}) new_notification) notified
  WHERE r.operator_id = notified.operator_id AND r.account_id = notified.account_id
  RETURNING r.operator_id`

const gatheringInterval = (sql: SqlClient): Fragment =>
  sql.literal(`interval '${NOTIFICATION_GATHERING_MS} milliseconds'`)

type Candidates = (sql: SqlClient, source: Fragment, now: Date) => Fragment

/** Two CTEs, because a writing CTE cannot contain another one. The caller must put both into the same statement. */
export const makeNotificationWriters = (
  toCandidates: Candidates
): { readonly insert: InternalSubscriber; readonly enqueue: InternalSubscriber } => ({
  insert: (sql, source, now) => insertNotificationsSql(sql, toCandidates(sql, source, now), now),
  enqueue: (sql, source, now) => enqueueRecipientsSql(sql, toCandidates(sql, source, now), now)
})
