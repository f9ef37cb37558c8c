import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Caller, type Person } from "../../../contract/caller.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { lockedFirst } from "../../../platform/database/locked-first.ts"
import { rowOf } from "../../../platform/database/rows.ts"
import {
  KNOWN_BROWSER_MS,
  KNOWN_BROWSERS,
  SESSION_LASTS_MS,
  SESSION_QUIET_MS,
  SESSIONS_OF_ACCOUNT
} from "../../../platform/limits.ts"
import { clearing, lockingFailures, type Tried } from "./failures.ts"

/** Milliseconds between two times that a visit is written down. */
const SEEN_EVERY_MS = 60 * 1000

/** An account that somebody tries to sign in to. */
const KnownAccount = Schema.Struct({
  operatorId: Schema.Int,
  accountId: Schema.Int,
  email: Schema.String,
  passwordHash: Schema.String,
  /** Nobody may sign in with it: it is disabled, or its operator closed. */
  closed: Schema.Boolean,
  /** Whether it has been signed in to from this browser. */
  knownBrowser: Schema.Boolean
})
export type KnownAccount = typeof KnownAccount.Type

const { operatorId, accountId, accountName, role, timeZone, currency, edition } = Caller.fields

const FoundSession = Schema.Struct({
  ...{ operatorId, accountId, accountName, role, timeZone, currency, edition },
  status: Schema.Literals(["active", "banned", "closed"]),
  subscriptionUntil: Schema.NullOr(Schema.DateTimeUtcFromDate),
  email: Schema.String,
  operatorName: Schema.String,
  passwordAt: Schema.Date,
  passwordHash: Schema.String
})
export type FoundSession = typeof FoundSession.Type

const readAccount = rowOf(KnownAccount)
const readSession = rowOf(FoundSession)
const readMade = rowOf(Schema.Struct({ made: Schema.Boolean }))

/** Who is signed in, as operations know a caller: the host's own hand, which may do all that the account may. */
export const personOf = (found: FoundSession): Person => {
  const { operatorId, accountId, accountName, role, timeZone, currency, edition, status, subscriptionUntil } = found
  const account = { operatorId, accountId, accountName, role, timeZone, currency, edition }
  const hand = { tokenId: 0, tokenName: "console", application: null, grantId: null, scope: "writable" } as const
  return { caller: { ...account, ...hand }, status, subscriptionUntil }
}

/** What is kept of a password, as sessions know it again (in SQL). */
export const passwordDigest = (sql: SqlClient, account: string): Fragment =>
  sql`sha256(convert_to(${sql(`${account}.password_hash`)}, 'UTF8'))`

const accountOf = (sql: SqlClient) =>
  inForms(
    sql,
    (given: Givens<{ readonly email: string; readonly browser: Uint8Array; readonly since: Date }>) => sql`
      SELECT a.operator_id AS "operatorId", a.id AS "accountId", a.email, a.password_hash AS "passwordHash",
        o.status = 'closed' OR a.disabled_at IS NOT NULL AS closed,
        EXISTS (
          SELECT FROM known_browsers b
          WHERE b.digest = ${given.browser} AND b.operator_id = a.operator_id AND b.account_id = a.id
            AND b.signed_in_at > ${given.since}) AS "knownBrowser"
      FROM accounts a JOIN operators o ON o.id = a.operator_id
      WHERE lower(a.email) = lower(${given.email})`
  )

interface Visited {
  readonly digest: Uint8Array
  readonly now: Date
  readonly quiet: Date
  readonly seenBefore: Date
}

/** Found and written down in one statement. */
const visited = (sql: SqlClient) =>
  inForms(
    sql,
    ({ digest, now, quiet, seenBefore }: Givens<Visited>) => sql`
      WITH seen AS (
        UPDATE console_sessions SET seen_at = ${now}
        WHERE digest = ${digest} AND seen_at <= ${seenBefore} AND seen_at > ${quiet} AND expires_at > ${now}
      )
      SELECT s.operator_id AS "operatorId", s.account_id AS "accountId", a.name AS "accountName", a.role, a.email,
        a.password_hash AS "passwordHash", o.name AS "operatorName", o.time_zone AS "timeZone", o.currency, o.edition,
        o.status, o.subscription_until AS "subscriptionUntil", s.password_at AS "passwordAt"
      FROM console_sessions s
      JOIN accounts a ON a.operator_id = s.operator_id AND a.id = s.account_id
      JOIN operators o ON o.id = s.operator_id
      WHERE s.digest = ${digest} AND s.expires_at > ${now} AND s.seen_at > ${quiet} AND o.status <> 'closed'
        AND a.disabled_at IS NULL AND s.password_digest = ${passwordDigest(sql, "a")}`
  )

interface NewSession extends Tried {
  readonly operatorId: number
  readonly accountId: number
  readonly passwordHash: string
  readonly digest: Uint8Array
  /** The session of the browser until now, which ends. */
  readonly before: Uint8Array
  readonly browser: Uint8Array
  readonly now: Date
  readonly expiresAt: Date
}

/** The newest but for one, since there will be one more. */
const crowded = (sql: SqlClient, { operatorId, accountId, before }: Givens<NewSession>): Fragment => sql`
  DELETE FROM console_sessions WHERE digest IN (
    SELECT digest FROM console_sessions
    WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest <> ${before}
    ORDER BY created_at DESC, digest OFFSET ${sql.literal(String(SESSIONS_OF_ACCOUNT - 1))})`

/** Known from now on; of an account's many the one that was used longest ago is forgotten. */
const knowing = (sql: SqlClient, { operatorId, accountId, browser, now }: Givens<NewSession>): Fragment => sql`
  forgotten_browsers AS (
    DELETE FROM known_browsers WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest IN (
      SELECT digest FROM known_browsers
      WHERE operator_id = ${operatorId} AND account_id = ${accountId} AND digest <> ${browser}
      ORDER BY signed_in_at DESC, digest OFFSET ${sql.literal(String(KNOWN_BROWSERS - 1))})
  ), known_browser AS (
    INSERT INTO known_browsers (operator_id, digest, account_id, signed_in_at)
    SELECT operator_id, ${browser}::bytea, account_id, ${now}::timestamptz FROM made
    ON CONFLICT (digest, operator_id, account_id) DO UPDATE SET signed_in_at = excluded.signed_in_at
  )`

const signedIn = (sql: SqlClient) =>
  onRecordInForms(sql, (given: Givens<NewSession>) => ({
    change: sql`
      ended AS (DELETE FROM console_sessions WHERE digest = ${given.before}),
      crowded AS (${crowded(sql, given)}),
      made AS (
        INSERT INTO console_sessions
          (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT a.operator_id, ${given.digest}::bytea, a.id, ${passwordDigest(sql, "a")}, ${given.now}::timestamptz,
          ${given.now}::timestamptz, ${given.now}::timestamptz, ${given.expiresAt}::timestamptz
        FROM accounts a
        WHERE a.operator_id = ${given.operatorId} AND a.id = ${given.accountId} AND a.password_hash = ${given.passwordHash}
          AND a.disabled_at IS NULL
        RETURNING operator_id, account_id
      ), ${knowing(sql, given)}, ${clearing(sql, given)}`,
    events: [],
    touched: sql`SELECT operator_id, 'account:' || account_id AS record, '{session}'::text[] AS fields FROM made`,
    outcome: sql`SELECT true AS made FROM made`
  }))

interface Confirming extends Tried {
  readonly digest: Uint8Array
  readonly lookedAt: Uint8Array
  readonly now: Date
}

const confirmed = (sql: SqlClient) =>
  inForms(
    sql,
    (given: Givens<Confirming>) => sql`
      WITH ${clearing(sql, given)}
      UPDATE console_sessions s SET password_at = ${given.now} FROM accounts a
      WHERE s.digest = ${given.digest} AND s.password_digest = ${given.lookedAt}
        AND a.operator_id = s.operator_id AND a.id = s.account_id AND ${passwordDigest(sql, "a")} = ${given.lookedAt}
      RETURNING true AS made`
  )

/** The SQL of sessions. */
export const makeSessionStore = (sql: SqlClient) => {
  const [account, session, signIn, confirm] = [accountOf(sql), visited(sql), signedIn(sql), confirmed(sql)]
  const first = lockedFirst(sql)
  const lockAccount = ({ operatorId, accountId }: Pick<NewSession, "operatorId" | "accountId">) =>
    sql`SELECT FROM accounts WHERE operator_id = ${operatorId} AND id = ${accountId} FOR NO KEY UPDATE`

  return {
    account: (email: string, browser: Uint8Array) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        readAccount(account({ email, browser, since: new Date(now.getTime() - KNOWN_BROWSER_MS) }))
      ),
    find: (digest: Uint8Array) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => {
        const ago = (ms: number) => new Date(now.getTime() - ms)
        return readSession(session({ digest, now, quiet: ago(SESSION_QUIET_MS), seenBefore: ago(SEEN_EVERY_MS) }))
      }),
    /** False: the password has changed since it was looked at, or the account was disabled. */
    signIn: (made: Omit<NewSession, "now" | "expiresAt">) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => {
        const expiresAt = new Date(now.getTime() + SESSION_LASTS_MS)
        return Effect.map(
          first(
            Effect.andThen(sql`${lockingFailures(sql, made)}`, lockAccount(made)),
            readMade(signIn({ ...made, now, expiresAt }))
          ),
          (row) => row !== undefined
        )
      }),
    /** False: the session has ended since the password was looked at, or knows another. */
    confirm: (given: Omit<Confirming, "now">) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        Effect.map(
          first(sql`${lockingFailures(sql, given)}`, readMade(confirm({ ...given, now }))),
          (row) => row !== undefined
        )
      ),
    signOut: (digest: Uint8Array) => Effect.orDie(sql`DELETE FROM console_sessions WHERE digest = ${digest}`)
  }
}
