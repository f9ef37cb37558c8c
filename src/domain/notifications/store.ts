import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { computeDigest } from "../../admission/gate/credentials.ts"
import { recordChange } from "../../changes/recorded-change.ts"
import type { CurrentActor } from "../../contract/actor.ts"
import { makeOptionalRowReader } from "../../platform/database/rows.ts"
import { deleteLinksSql, requestLinkSql, validLinkSql } from "../access/sign-in/mailed-links/link-statements.ts"
import { isLinkToken } from "../access/sign-in/mailed-links/link-url.ts"
import type { NotificationKind } from "./kinds.ts"

interface AccountKey {
  readonly operatorId: number
  readonly accountId: number
}

const readAccountId = makeOptionalRowReader(Schema.Struct({ account_id: Schema.Int }))

/** An existing row keeps its queue and its verified address. The same kinds again change nothing. */
const updateKinds =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, accountId }: AccountKey, kinds: ReadonlyArray<NotificationKind>, now: Date) => {
    const chosenKinds = Array.from(new Set(kinds)).toSorted()
    return readAccountId(
      recordChange(sql, {
        change: sql`
          chosen AS (
            INSERT INTO notification_recipients AS r (operator_id, account_id, kinds, kinds_since)
            VALUES (${operatorId}, ${accountId}, ${chosenKinds}::text[], ${now})
            ON CONFLICT (operator_id, account_id) DO UPDATE SET kinds = excluded.kinds, kinds_since = excluded.kinds_since
            WHERE r.kinds <> excluded.kinds
            RETURNING operator_id, account_id
          )`,
        events: [],
        changedRecords: sql`
          SELECT operator_id, 'account:' || account_id AS record, '{notifications}'::text[] AS fields FROM chosen`,
        outcome: sql`SELECT ${accountId}::bigint AS account_id`
      })
    )
  }

/** Returns undefined if the address has got VERIFICATION_MAILS_AN_HOUR mails. */
const requestVerification =
  (sql: SqlClient.SqlClient) =>
  ({ operatorId, accountId }: AccountKey, now: Date) => {
    const ownAccount = sql`operator_id = ${operatorId} AND id = ${accountId}`
    return readAccountId(
      recordChange(sql, {
        change: requestLinkSql(sql, {
          purpose: "verify_email",
          email: sql`(SELECT email FROM accounts WHERE ${ownAccount})`,
          accounts: sql`a.operator_id = ${operatorId} AND a.id = ${accountId}`,
          now
        }),
        events: [],
        changedRecords: sql`
        SELECT operator_id, 'account:' || account_id AS record, '{email_verification}'::text[] AS fields FROM link`,
        outcome: sql`SELECT account_id FROM link`
      })
    )
  }

/** Returns undefined if the link was used or has expired. */
const verifyEmail = (sql: SqlClient.SqlClient) => (token: string, now: Date) =>
  isLinkToken(token)
    ? readAccountId(
        recordChange(sql, {
          change: sql`
            owner AS MATERIALIZED (${validLinkSql(sql, { purpose: "verify_email", digest: computeDigest(token), now })}),
            ended_links AS (${deleteLinksSql(sql, "verify_email", "owner")} RETURNING l.account_id),
            verified AS (
              INSERT INTO notification_recipients (operator_id, account_id, kinds_since, verified_email)
              SELECT operator_id, account_id, ${now}::timestamptz, email FROM owner
              WHERE account_id IN (SELECT account_id FROM ended_links)
              ON CONFLICT (operator_id, account_id) DO UPDATE SET verified_email = excluded.verified_email
              RETURNING operator_id, account_id
            )`,
          events: [],
          changedRecords: sql`
            SELECT operator_id, 'account:' || account_id AS record, '{verified_email}'::text[] AS fields FROM verified`,
          outcome: sql`SELECT account_id FROM verified`
        })
      )
    : Effect.succeed(undefined)

export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    readonly updateKinds: (
      account: AccountKey,
      kinds: ReadonlyArray<NotificationKind>
    ) => Effect.Effect<void, never, CurrentActor>
    /** Queues a mail with a link. Returns false if the address has got VERIFICATION_MAILS_AN_HOUR of them. */
    readonly requestVerification: (account: AccountKey) => Effect.Effect<boolean, never, CurrentActor>
    /** Uses the token of a mailed link. Returns false if it was used or has expired. */
    readonly verifyEmail: (token: string) => Effect.Effect<boolean, never, CurrentActor>
  }
>()("latchkey/domain/notifications/NotificationStore") {
  static readonly layer = Layer.effect(
    NotificationStore,
    Effect.map(SqlClient.SqlClient, (sql) =>
      NotificationStore.of({
        updateKinds: (account, kinds) =>
          Effect.flatMap(DateTime.nowAsDate, (now) => Effect.asVoid(updateKinds(sql)(account, kinds, now))),
        requestVerification: (account) =>
          Effect.flatMap(DateTime.nowAsDate, (now) =>
            Effect.map(requestVerification(sql)(account, now), (row) => row !== undefined)
          ),
        verifyEmail: (token) =>
          Effect.flatMap(DateTime.nowAsDate, (now) =>
            Effect.map(verifyEmail(sql)(token, now), (row) => row !== undefined)
          )
      })
    )
  )
}
