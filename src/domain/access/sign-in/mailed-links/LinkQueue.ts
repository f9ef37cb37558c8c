import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { fairBacklogSql } from "../../../../jobs/fair-queue.ts"
import {
  claimedJobFields,
  isClaimedCondition,
  type JobClaim,
  type JobTable,
  makeJobQueue
} from "../../../../jobs/job-queue.ts"
import { makeOptionalRowReader } from "../../../../platform/database/rows.ts"
import { LINK_MAIL_MAX_AGE_MS } from "../../../../platform/limits.ts"
import { SEND_TIMEOUT_MS } from "../../../../platform/mail/Mailer.ts"
import { canSignInCondition } from "./link-statements.ts"

/** Mails that a process sends at the same time. */
export const LINK_MAILS_IN_PROGRESS = 4
/** Those of one operator. */
const LINK_MAILS_OF_OPERATOR = 2

/** Longer than an attempt and all retries to store its outcome. */
const LEASE_MS = SEND_TIMEOUT_MS + 30_000

const LINK_TABLE: JobTable<"id"> = {
  table: "mailed_links",
  keyColumn: "id",
  pendingCondition: "due_at < 'infinity'",
  hasNoAccounts: true,
  leaseMs: LEASE_MS,
  operatorLimit: LINK_MAILS_OF_OPERATOR,
  accountLimit: LINK_MAILS_OF_OPERATOR
}

export const linkBacklog = [
  {
    kind: "mailed_links" as const,
    statement: (sql: SqlClient.SqlClient, time: { readonly now: Date }) => fairBacklogSql(sql, LINK_TABLE, time)
  }
]

const Purpose = Schema.Literals(["verify_email", "reset_password"])
const ClaimedLink = Schema.Struct({ ...claimedJobFields, id: Schema.Int, purpose: Purpose })
export type ClaimedLink = typeof ClaimedLink.Type

const readRecipient = makeOptionalRowReader(Schema.Struct({ email: Schema.String }))

interface SendingLink extends JobClaim {
  readonly digest: Uint8Array
  readonly expiresAt: Date
  readonly now: Date
}

const beginSendingSql = (sql: SqlClient.SqlClient, { digest, expiresAt, now, ...claim }: SendingLink) => sql`
  UPDATE mailed_links SET state = 'sending', digest = ${digest}, expires_at = ${expiresAt}
  WHERE ${isClaimedCondition(sql, LINK_TABLE, claim)} AND state = 'waiting'
    AND requested_at > ${new Date(now.getTime() - LINK_MAIL_MAX_AGE_MS)}
    AND EXISTS (
      SELECT FROM accounts a JOIN operators o ON o.id = a.operator_id
      WHERE a.operator_id = mailed_links.operator_id AND a.id = mailed_links.account_id
        AND a.email = mailed_links.email AND ${canSignInCondition(sql)})
  RETURNING email`

const endSql = (sql: SqlClient.SqlClient, { state, ...claim }: JobClaim & { readonly state: "sent" | "failed" }) => sql`
  UPDATE mailed_links SET state = ${state}, due_at = 'infinity'
  WHERE ${isClaimedCondition(sql, LINK_TABLE, claim)}`

/** Increases `attempts`, which ends the claim. So a repeated statement changes nothing. */
const retrySql = (
  sql: SqlClient.SqlClient,
  { nextAttempt, ...claim }: JobClaim & { readonly nextAttempt: Date }
) => sql`
  UPDATE mailed_links SET state = 'waiting', digest = NULL, expires_at = NULL, due_at = ${nextAttempt},
    failures = failures + 1, attempts = attempts + 1
  WHERE ${isClaimedCondition(sql, LINK_TABLE, claim)}`

const makeLinkQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const returning = sql`j.operator_id, j.id, j.purpose, j.attempts, j.failures`
  const { claim, release, toClaim } = makeJobQueue(sql, LINK_TABLE, ClaimedLink, { returning })
  return {
    claim,
    release,
    /**
     * Stores the digest of the token and returns the address. Returns undefined if an earlier attempt may have sent the
     * mail, if the request is too old, or if the account cannot sign in any more.
     */
    beginSending: (link: ClaimedLink, token: Pick<SendingLink, "digest" | "expiresAt" | "now">) =>
      readRecipient(beginSendingSql(sql, { ...toClaim(link), ...token })),
    end: (link: ClaimedLink, state: "sent" | "failed") =>
      Effect.asVoid(Effect.orDie(endSql(sql, { ...toClaim(link), state }))),
    retry: (link: ClaimedLink, nextAttempt: Date) =>
      Effect.asVoid(Effect.orDie(retrySql(sql, { ...toClaim(link), nextAttempt })))
  }
})

/** The queue of requested mails with a link. */
export class LinkQueue extends Context.Service<LinkQueue>()("latchkey/domain/access/sign-in/mailed-links/LinkQueue", {
  make: makeLinkQueue
}) {
  static readonly layer = Layer.effect(LinkQueue, LinkQueue.make)
}
