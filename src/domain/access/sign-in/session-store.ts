import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { recordChange } from "../../../changes/recorded-change.ts"
import { Caller, type TrustedAccount } from "../../../contract/caller.ts"
import { changeUnderLock } from "../../../platform/database/locked-change.ts"
import { makeOptionalRowReader } from "../../../platform/database/rows.ts"
import {
  KNOWN_BROWSER_MS,
  KNOWN_BROWSERS_MAX,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_OF_ACCOUNT_MAX
} from "../../../platform/limits.ts"
import { clearFailuresSql, lockFailuresSql, type SignInAttemptKey } from "./sign-in-failures.ts"

const SEEN_AT_INTERVAL_MS = 60 * 1000

const SignInAccount = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  email: Schema.String,
  passwordHash: Schema.String,
  /** True if the account is disabled or its operator is closed. */
  closed: Schema.Boolean,
  knownBrowser: Schema.Boolean
})

const { operatorId, accountId, accountName, role, timeZone, currency, edition } = Caller.fields

const SessionRow = Schema.Struct({
  ...{ operatorId, accountId, accountName, role, timeZone, currency, edition },
  status: Schema.Literals(["active", "banned", "closed"]),
  subscriptionUntil: Schema.NullOr(Schema.DateTimeUtcFromDate),
  email: Schema.String,
  operatorName: Schema.String,
  passwordAt: Schema.Date,
  passwordHash: Schema.String
})
type SessionRow = typeof SessionRow.Type

const readAccount = makeOptionalRowReader(SignInAccount)
const readSession = makeOptionalRowReader(SessionRow)
const readConfirmedRow = makeOptionalRowReader(Schema.Struct({ made: Schema.Boolean }))

export const toSignedInAccount = (session: SessionRow): TrustedAccount => {
  const { operatorId, accountId, accountName, role, timeZone, currency, edition, status, subscriptionUntil } = session
  const account = { operatorId, accountId, accountName, role, timeZone, currency, edition }
  const consoleToken = {
    tokenId: 0,
    tokenName: "console",
    application: null,
    grantId: null,
    scope: "writable"
  } as const
  return { caller: { ...account, ...consoleToken }, status, subscriptionUntil }
}

/** A session stores this digest. It ends when the account has another password. */
export const passwordDigestSql = (sql: SqlClient, alias: string): Fragment =>
  sql`sha256(convert_to(${sql(`${alias}.password_hash`)}, 'UTF8'))`

const makeFindAccount =
  (sql: SqlClient) => (lookup: { readonly email: string; readonly browser: Uint8Array; readonly since: Date }) =>
    sql`
      SELECT a.operator_id AS "operatorId", a.id AS "accountId", a.email, a.password_hash AS "passwordHash",
        o.status = 'closed' OR a.disabled_at IS NOT NULL AS closed,
        EXISTS (
          SELECT FROM known_browsers b
          WHERE b.digest = ${lookup.browser} AND b.operator_id = a.operator_id AND b.account_id = a.id
            AND b.signed_in_at > ${lookup.since}) AS "knownBrowser"
      FROM accounts a JOIN operators o ON o.id = a.operator_id
      WHERE lower(a.email) = lower(${lookup.email})`

interface SessionLookup {
  readonly digest: Uint8Array
  readonly now: Date
  readonly idleBefore: Date
  readonly seenBefore: Date
}

const makeFindSession =
  (sql: SqlClient) =>
  ({ digest, now, idleBefore, seenBefore }: SessionLookup) =>
    sql`
      WITH seen AS (
        UPDATE console_sessions SET seen_at = ${now}
        WHERE digest = ${digest} AND seen_at <= ${seenBefore} AND seen_at > ${idleBefore} AND expires_at > ${now}
      )
      SELECT s.operator_id AS "operatorId", s.account_id AS "accountId", a.name AS "accountName", a.role, a.email,
        a.password_hash AS "passwordHash", o.name AS "operatorName", o.time_zone AS "timeZone", o.currency, o.edition,
        o.status, o.subscription_until AS "subscriptionUntil", s.password_at AS "passwordAt"
      FROM console_sessions s
      JOIN accounts a ON a.operator_id = s.operator_id AND a.id = s.account_id
      JOIN operators o ON o.id = s.operator_id
      WHERE s.digest = ${digest} AND s.expires_at > ${now} AND s.seen_at > ${idleBefore} AND o.status <> 'closed'
        AND a.disabled_at IS NULL AND s.password_digest = ${passwordDigestSql(sql, "a")}`

interface NewSession extends SignInAttemptKey {
  readonly operatorId: number
  readonly accountId: number
  readonly passwordHash: string
  readonly digest: Uint8Array
  readonly previousDigest: Uint8Array
  readonly browserDigest: Uint8Array
  readonly now: Date
  readonly expiresAt: Date
}

const deleteExcessSessionsSql = (
  sql: SqlClient,
  { operatorId, accountId, previousDigest }: NewSession
): Fragment => sql`
  DELETE FROM console_sessions WHERE digest IN (
    SELECT digest FROM console_sessions
    WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest <> ${previousDigest}
    ORDER BY created_at DESC, digest OFFSET ${sql.literal(String(SESSIONS_OF_ACCOUNT_MAX - 1))})`

/** Beyond {@link KNOWN_BROWSERS_MAX}, deletes the browsers with the oldest sign-in. */
const rememberBrowserSql = (sql: SqlClient, { operatorId, accountId, browserDigest, now }: NewSession): Fragment => sql`
  forgotten_browsers AS (
    DELETE FROM known_browsers WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest IN (
      SELECT digest FROM known_browsers
      WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest <> ${browserDigest}
      ORDER BY signed_in_at DESC, digest OFFSET ${sql.literal(String(KNOWN_BROWSERS_MAX - 1))})
  ), known_browser AS (
    INSERT INTO known_browsers (operator_id, digest, account_id, signed_in_at)
    SELECT operator_id, ${browserDigest}::bytea, account_id, ${now}::timestamptz FROM made
    ON CONFLICT (digest, operator_id, account_id) DO UPDATE SET signed_in_at = excluded.signed_in_at
  )`

const makeSignIn = (sql: SqlClient) => (session: NewSession) =>
  recordChange(sql, {
    change: sql`
      ended AS (DELETE FROM console_sessions WHERE digest = ${session.previousDigest}),
      crowded AS (${deleteExcessSessionsSql(sql, session)}),
      made AS (
        INSERT INTO console_sessions
          (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT a.operator_id, ${session.digest}::bytea, a.id, ${passwordDigestSql(sql, "a")}, ${session.now}::timestamptz,
          ${session.now}::timestamptz, ${session.now}::timestamptz, ${session.expiresAt}::timestamptz
        FROM accounts a
        WHERE a.operator_id = ${session.operatorId} AND a.id = ${session.accountId} AND a.password_hash = ${session.passwordHash}
          AND a.disabled_at IS NULL
        RETURNING operator_id, account_id
      ), ${rememberBrowserSql(sql, session)}, ${clearFailuresSql(sql, session)}`,
    events: [],
    changedRecords: sql`SELECT operator_id, 'account:' || account_id AS record, '{session}'::text[] AS fields FROM made`,
    outcome: sql`SELECT true AS made FROM made`
  })

interface SessionConfirmation extends SignInAttemptKey {
  readonly digest: Uint8Array
  readonly checkedDigest: Uint8Array
  readonly now: Date
}

const makeConfirmPassword = (sql: SqlClient) => (confirmation: SessionConfirmation) =>
  sql`
      WITH ${clearFailuresSql(sql, confirmation)}
      UPDATE console_sessions s SET password_at = ${confirmation.now} FROM accounts a
      WHERE s.digest = ${confirmation.digest} AND s.password_digest = ${confirmation.checkedDigest}
        AND a.operator_id = s.operator_id AND a.id = s.account_id AND ${passwordDigestSql(sql, "a")} = ${confirmation.checkedDigest}
      RETURNING true AS made`

export const makeSessionStore = (sql: SqlClient) => {
  const [findAccountStatement, findSessionStatement, signInStatement, confirmStatement] = [
    makeFindAccount(sql),
    makeFindSession(sql),
    makeSignIn(sql),
    makeConfirmPassword(sql)
  ]
  const lockFirst = changeUnderLock(sql)
  const lockAccount = ({ operatorId, accountId }: Pick<NewSession, "operatorId" | "accountId">) =>
    sql`SELECT FROM accounts WHERE operator_id = ${operatorId} AND id = ${accountId} FOR NO KEY UPDATE`

  return {
    findAccount: (email: string, browser: Uint8Array) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        readAccount(findAccountStatement({ email, browser, since: new Date(now.getTime() - KNOWN_BROWSER_MS) }))
      ),
    find: (digest: Uint8Array) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => {
        const ago = (ms: number) => new Date(now.getTime() - ms)
        return readSession(
          findSessionStatement({ digest, now, idleBefore: ago(SESSION_IDLE_MS), seenBefore: ago(SEEN_AT_INTERVAL_MS) })
        )
      }),
    /** Returns false if the password has changed since its check, or the account was disabled. */
    signIn: (session: Omit<NewSession, "now" | "expiresAt">) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => {
        const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_MS)
        return Effect.map(
          lockFirst(
            Effect.andThen(sql`${lockFailuresSql(sql, session)}`, lockAccount(session)),
            readConfirmedRow(signInStatement({ ...session, now, expiresAt }))
          ),
          (row) => row !== undefined
        )
      }),
    /** Returns false if the session has ended, or the password has changed since its check. */
    confirmPassword: (confirmation: Omit<SessionConfirmation, "now">) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        Effect.map(
          lockFirst(
            sql`${lockFailuresSql(sql, confirmation)}`,
            readConfirmedRow(confirmStatement({ ...confirmation, now }))
          ),
          (row) => row !== undefined
        )
      ),
    signOut: (digest: Uint8Array) => Effect.orDie(sql`DELETE FROM console_sessions WHERE digest = ${digest}`)
  }
}
