import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { fairBacklogSql } from "../../jobs/fair-queue.ts"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../jobs/job-queue.ts"
import { makeRowsReader, makeSingleRowReader } from "../../platform/database/rows.ts"
import {
  NOTIFICATION_MAILS_A_DAY,
  NOTIFICATION_MAILS_AN_HOUR,
  NOTIFICATION_MAX_AGE_MS,
  NOTIFICATIONS_DESCRIBED_MAX,
  NOTIFICATIONS_OF_MAIL_MAX
} from "../../platform/limits.ts"
import { SEND_TIMEOUT_MS } from "../../platform/mail/Mailer.ts"
import { type MailLimit, takeMailPermitSql } from "../access/sign-in/mailed-links/mail-counts.ts"
import { NOTIFICATION_KINDS } from "./kinds.ts"
import { notificationFactsSql } from "./notification-facts.ts"
import { getsNotificationsCondition } from "./queue-statements.ts"

/** Mails that a process sends at the same time. */
export const NOTIFICATION_MAILS_IN_PROGRESS = 4
/** Those of one operator. */
const MAILS_OF_OPERATOR = 2

/** Longer than an attempt and all retries to store its outcome. */
const LEASE_MS = SEND_TIMEOUT_MS + 30_000

const HOUR_MS = 60 * 60 * 1000
const HOUR_LIMIT: MailLimit = { scope: "notifications_1h", max: NOTIFICATION_MAILS_AN_HOUR, windowMs: HOUR_MS }
const DAY_LIMIT: MailLimit = { scope: "notifications_24h", max: NOTIFICATION_MAILS_A_DAY, windowMs: 24 * HOUR_MS }

const RECIPIENT_TABLE: JobTable<"account_id"> = {
  table: "notification_recipients",
  keyColumn: "account_id",
  pendingCondition: "due_at < 'infinity'",
  hasNoAccounts: true,
  leaseMs: LEASE_MS,
  operatorLimit: MAILS_OF_OPERATOR,
  accountLimit: MAILS_OF_OPERATOR
}

export const notificationBacklog = [
  {
    kind: "notifications" as const,
    statement: (sql: SqlClient.SqlClient, time: { readonly now: Date }) => fairBacklogSql(sql, RECIPIENT_TABLE, time)
  }
]

const ClaimedRecipient = Schema.Struct({ ...claimedJobFields, account_id: Schema.Int, queued: Schema.Int })
export type ClaimedRecipient = typeof ClaimedRecipient.Type

const FACT_FIELDS = {
  reservation_code: Schema.NullOr(Schema.String),
  stay_code: Schema.NullOr(Schema.String),
  property: Schema.NullOr(Schema.String),
  check_in_date: Schema.NullOr(Schema.String),
  check_out_date: Schema.NullOr(Schema.String),
  conversation: Schema.NullOr(Schema.String),
  guest_name: Schema.NullOr(Schema.String),
  host: Schema.NullOr(Schema.String),
  webhook_id: Schema.NullOr(Schema.Int),
  is_paused: Schema.NullOr(Schema.Boolean),
  reason: Schema.NullOr(Schema.String)
}

const SendingBatch = Schema.Struct({
  /** Null if the account gets no notifications any more. */
  email: Schema.NullOr(Schema.String),
  /** The size of the batch. */
  waiting: Schema.Int,
  /** The same, or 0 if a limit permits no mail now. */
  sending: Schema.Int,
  first_id: Schema.NullOr(Schema.Int)
})
export type SendingBatch = typeof SendingBatch.Type

const readBatch = makeSingleRowReader(SendingBatch)
const readFacts = makeRowsReader(Schema.Struct({ kind: Schema.Literals(NOTIFICATION_KINDS), ...FACT_FIELDS }))

/**
 * Marks a batch of notifications as `sending` before the worker sends the mail. Drops:
 *
 * - notifications that an earlier claim left in the state `sending`, because they may have been mailed
 * - notifications that are too old
 * - notifications that the account has not chosen any more
 *
 * If a limit permits no mail now, the batch keeps the state `waiting`.
 */
const beginSendingSql = (sql: SqlClient.SqlClient, { now, ...claim }: JobClaim & { readonly now: Date }): Fragment => {
  const cutoff = new Date(now.getTime() - NOTIFICATION_MAX_AGE_MS)
  return sql`
  WITH recipient AS MATERIALIZED (
    SELECT operator_id, account_id, kinds, verified_email FROM notification_recipients
    WHERE ${isClaimedCondition(sql, RECIPIENT_TABLE, claim)}
  ), addressee AS MATERIALIZED (
    SELECT r.operator_id, r.account_id, r.kinds, a.email FROM recipient r
    JOIN accounts a ON a.operator_id = r.operator_id AND a.id = r.account_id
    JOIN operators o ON o.id = r.operator_id
    WHERE ${getsNotificationsCondition(sql)}
  ), waiting AS MATERIALIZED (
    SELECT n.id FROM notifications n
    JOIN addressee r ON r.operator_id = n.operator_id AND r.account_id = n.account_id
    WHERE n.state = 'waiting' AND n.kind = ANY (r.kinds) AND n.created_at > ${cutoff}
    ORDER BY n.id LIMIT ${NOTIFICATIONS_OF_MAIL_MAX}
  ), hour AS (
    ${takeMailPermitSql(sql, HOUR_LIMIT, { email: sql`email`, from: sql`FROM addressee WHERE EXISTS (SELECT FROM waiting)`, now })}
  ), day AS (
    ${takeMailPermitSql(sql, DAY_LIMIT, { email: sql`email`, from: sql`FROM addressee WHERE EXISTS (SELECT FROM hour)`, now })}
  ), marked AS (
    UPDATE notifications n SET state = CASE WHEN n.id IN (SELECT id FROM waiting) THEN 'sending' ELSE 'dropped' END
    FROM recipient r
    WHERE n.operator_id = r.operator_id AND n.account_id = r.account_id AND n.state IN ('waiting', 'sending')
      AND CASE WHEN n.id IN (SELECT id FROM waiting) THEN EXISTS (SELECT FROM day)
        ELSE n.state = 'sending' OR n.created_at <= ${cutoff}
          OR NOT EXISTS (SELECT FROM addressee a WHERE n.kind = ANY (a.kinds)) END
    RETURNING n.id, n.state
  )
  SELECT (SELECT email FROM addressee) AS email, (SELECT count(*) FROM waiting) AS waiting,
    (SELECT count(*) FROM marked WHERE state = 'sending') AS sending,
    (SELECT min(id) FROM marked WHERE state = 'sending') AS first_id`
}

interface EndParameters extends JobClaim {
  readonly queued: number
  /** `none` if the claim has sent no mail. */
  readonly outcome: "sent" | "dropped" | "none"
  readonly now: Date
  readonly nextMail: Date
}

/** If notifications are waiting or were added during the claim, the next mail is due at `nextMail`. */
const endSql = (sql: SqlClient.SqlClient, { queued, outcome, now, nextMail, ...claim }: EndParameters): Fragment => sql`
  WITH ended AS (
    UPDATE notification_recipients r SET failures = 0, attempts = r.attempts + 1,
      mailed_at = CASE WHEN ${outcome} = 'sent' THEN ${now}::timestamptz ELSE r.mailed_at END,
      due_at = CASE WHEN r.queued <> ${queued} OR EXISTS (
          SELECT FROM notifications n WHERE n.operator_id = r.operator_id AND n.account_id = r.account_id AND n.state = 'waiting')
        THEN ${nextMail}::timestamptz ELSE 'infinity' END
    WHERE ${isClaimedCondition(sql, RECIPIENT_TABLE, claim)}
    RETURNING operator_id, account_id
  )
  UPDATE notifications n SET state = ${outcome === "sent" ? "sent" : "dropped"} FROM ended
  WHERE n.operator_id = ended.operator_id AND n.account_id = ended.account_id AND n.state = 'sending'`

/** Increases `attempts`, which ends the claim. So a repeated statement changes nothing. */
const retrySql = (
  sql: SqlClient.SqlClient,
  { nextAttempt, ...claim }: JobClaim & { readonly nextAttempt: Date }
): Fragment => sql`
  WITH postponed AS (
    UPDATE notification_recipients SET due_at = ${nextAttempt}, failures = failures + 1, attempts = attempts + 1
    WHERE ${isClaimedCondition(sql, RECIPIENT_TABLE, claim)}
    RETURNING operator_id, account_id
  )
  UPDATE notifications n SET state = 'waiting' FROM postponed
  WHERE n.operator_id = postponed.operator_id AND n.account_id = postponed.account_id AND n.state = 'sending'`

const makeNotificationQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const returning = sql`j.operator_id, j.account_id, j.queued, j.attempts, j.failures`
  const { claim, release, toClaim } = makeJobQueue(sql, RECIPIENT_TABLE, ClaimedRecipient, { returning })
  return {
    claim,
    release,
    beginSending: (recipient: ClaimedRecipient, now: Date) =>
      readBatch(sql`${beginSendingSql(sql, { ...toClaim(recipient), now })}`),
    /** Returns the first NOTIFICATIONS_DESCRIBED_MAX notifications that are being sent. */
    loadFacts: ({ operator_id, account_id }: ClaimedRecipient) =>
      readFacts(sql`
        ${notificationFactsSql(
          sql,
          sql`
          SELECT * FROM notifications
          WHERE operator_id = ${operator_id} AND account_id = ${account_id} AND state = 'sending'
          ORDER BY id LIMIT ${NOTIFICATIONS_DESCRIBED_MAX}`
        )}`),
    end: (recipient: ClaimedRecipient, end: Omit<EndParameters, keyof JobClaim | "queued">) =>
      Effect.asVoid(Effect.orDie(sql`${endSql(sql, { ...toClaim(recipient), queued: recipient.queued, ...end })}`)),
    retry: (recipient: ClaimedRecipient, nextAttempt: Date) =>
      Effect.asVoid(Effect.orDie(sql`${retrySql(sql, { ...toClaim(recipient), nextAttempt })}`))
  }
})

/** The queue of accounts that have waiting notifications. One job sends one mail to one account. */
export class NotificationQueue extends Context.Service<NotificationQueue>()(
  "latchkey/domain/notifications/NotificationQueue",
  { make: makeNotificationQueue }
) {
  static readonly layer = Layer.effect(NotificationQueue, NotificationQueue.make)
}
