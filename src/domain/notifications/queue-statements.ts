import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../jobs/events/internal-subscribers.ts"
import { NOTIFICATION_GATHERING_MS } from "../../platform/limits.ts"

/**
 * Selects an account that gets notifications, from `notification_recipients r JOIN accounts a JOIN operators o`. Nobody
 * else may get one.
 */
export const getsNotificationsCondition = (sql: SqlClient): Fragment => sql`
  a.email = r.verified_email AND a.disabled_at IS NULL AND o.status = 'active'`

/**
 * `candidates` selects `operator_id, kind, event_key, record`, and `chosen_before`, by when an account must have made its
 * choices. Adds the accounts that have chosen the kind and were not
 * notified of the event before. A sub-account sees all properties of its operator, so it gets the same notifications.
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

/** The primary key of `notifications` makes an event notify an account once. */
const insertNotificationsSql = (sql: SqlClient, candidates: Fragment, now: Date): Fragment => sql`
  INSERT INTO notifications (operator_id, account_id, kind, event_key, record, created_at)
  SELECT operator_id, account_id, kind, event_key, record, ${now}::timestamptz
  FROM (${newNotificationsSql(sql, candidates)}) added ORDER BY operator_id, account_id, kind, event_key
  ON CONFLICT DO NOTHING
  RETURNING operator_id`

/**
 * The first notification is mailed at once, and further ones after the gathering time. A recipient that is due or
 * claimed keeps its time. The worker compares `queued` when it ends.
 */
const enqueueRecipientsSql = (sql: SqlClient, candidates: Fragment, now: Date): Fragment => sql`
  UPDATE notification_recipients r SET queued = r.queued + 1,
    due_at = CASE WHEN r.due_at < 'infinity' THEN r.due_at
      ELSE least(greatest(${now}::timestamptz, r.mailed_at + ${gatheringInterval(sql)}), ${now}::timestamptz + ${gatheringInterval(sql)}) END
  FROM (SELECT DISTINCT operator_id, account_id FROM (${newNotificationsSql(sql, candidates)}) added) added
  WHERE r.operator_id = added.operator_id AND r.account_id = added.account_id
  RETURNING r.operator_id`

const gatheringInterval = (sql: SqlClient): Fragment =>
  sql.literal(`interval '${NOTIFICATION_GATHERING_MS} milliseconds'`)

type Candidates = (sql: SqlClient, source: Fragment, now: Date) => Fragment

/** Two statements, because a CTE that writes cannot contain another one. Both belong into one statement. */
export const makeNotificationWriters = (
  toCandidates: Candidates
): { readonly insert: InternalSubscriber; readonly enqueue: InternalSubscriber } => ({
  insert: (sql, source, now) => insertNotificationsSql(sql, toCandidates(sql, source, now), now),
  enqueue: (sql, source, now) => enqueueRecipientsSql(sql, toCandidates(sql, source, now), now)
})
