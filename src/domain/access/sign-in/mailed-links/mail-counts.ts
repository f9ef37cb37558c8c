import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { nextRowsCondition } from "../../../../jobs/retention.ts"

// Counts the mails to one address, of a scope such as `reset_password`. Also counts addresses that have no account.

const CLOCK_SKEW_MS = 60_000
/** The longest window. Older rows count nothing. */
export const LONGEST_MAIL_WINDOW_MS = 24 * 60 * 60 * 1000

export interface MailLimit {
  readonly scope: string
  readonly max: number
  readonly windowMs: number
}

export const emailDigestSql = (sql: SqlClient, email: Fragment): Fragment =>
  sql`sha256(convert_to(lower(${email}), 'UTF8'))`

/**
 * Returns an INSERT that counts a mail to the address of each row of `from`, and one row per mail that the limit
 * permits. Concurrent statements cannot exceed the limit, because they wait for the row of the address.
 */
export const takeMailPermitSql = (
  sql: SqlClient,
  { scope, max, windowMs }: MailLimit,
  { email, from, now }: { readonly email: Fragment; readonly from: Fragment; readonly now: Date }
): Fragment => {
  const windowStart = new Date(now.getTime() - windowMs)
  const latestStart = new Date(now.getTime() + CLOCK_SKEW_MS)
  const isOver = sql`(previous.since <= ${windowStart} OR previous.since > ${latestStart})`
  return sql`
    INSERT INTO mail_counts AS previous (email_digest, scope, since, mails)
    SELECT ${emailDigestSql(sql, email)}, ${scope}::text, ${now}::timestamptz, 1 ${from}
    ON CONFLICT (email_digest, scope) DO UPDATE SET
      mails = CASE WHEN ${isOver} THEN 1 ELSE previous.mails + 1 END,
      since = CASE WHEN ${isOver} THEN excluded.since ELSE previous.since END
    WHERE ${isOver} OR previous.mails < ${max}
    RETURNING 1`
}

export const deleteOldMailCountsSql = (sql: SqlClient, now: Date): Fragment => {
  const cutoff = new Date(now.getTime() - LONGEST_MAIL_WINDOW_MS)
  return sql`
    DELETE FROM mail_counts
    WHERE ${nextRowsCondition(sql, sql`SELECT ctid FROM mail_counts WHERE since <= ${cutoff}`)}`
}
