import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import {
  SIGN_IN_CLOCK_SKEW_MS,
  SIGN_IN_FAILURE_RESET_MS,
  SIGN_IN_FAILURES_OF_NETWORK_MAX,
  SIGN_IN_LONGEST_WAIT_MS,
  SIGN_IN_NETWORK_WINDOW_MS
} from "../../../platform/limits.ts"
import { SIGN_IN_DELAYS_MS } from "./sign-in-failure-rules.ts"

// `place` is the source of an attempt (sign-in-failure-rules.ts). An attempt counts as failed before its password is
// checked, so concurrent attempts cannot exceed the limit. `clearFailuresSql` takes the failure back after a right
// password.

export interface SignInAttemptKey {
  readonly emailDigest: Uint8Array
  readonly place: string
}

interface AttemptCountInput extends SignInAttemptKey {
  readonly now: Date
  /**
   * The failures of an e-mail address are forgotten if the last one is before `emailResetBefore`. Those of a source are
   * forgotten if the first one is before `windowResetBefore`.
   */
  readonly emailResetBefore: Date
  readonly windowResetBefore: Date
  /** A stored time after these was written while a clock was ahead. It is ignored. */
  readonly latestStart: Date
  readonly latestPlaceWait: Date
  readonly latestEmailWait: Date
}

const AttemptCountResult = Schema.Struct({ place: Schema.Boolean, email: Schema.Boolean })
const DelayEnd = Schema.Struct({ until: Schema.NullOr(Schema.Date) })
const readCountResult = makeSingleRowReader(AttemptCountResult)
const readDelayEnd = makeSingleRowReader(DelayEnd)

const DELAYS_OR_NULL = SIGN_IN_DELAYS_MS.map((delay) => (delay === 0 ? "NULL" : String(delay)))

// Every statement locks the row of the source before that of the e-mail address.
const countPlaceFailureSql = (
  sql: SqlClient,
  { place, now, windowResetBefore, latestStart, latestPlaceWait }: AttemptCountInput
): Fragment => sql`
  INSERT INTO sign_in_failures AS known (email_digest, place, failures, since, failed_at, wait_until)
  VALUES ('', ${place}, 1, ${now}, ${now}, NULL)
  ON CONFLICT (email_digest, place) DO UPDATE SET
    failures = CASE WHEN known.since <= ${windowResetBefore} OR known.since > ${latestStart} THEN 1 ELSE known.failures + 1 END,
    since = CASE WHEN known.since <= ${windowResetBefore} OR known.since > ${latestStart} THEN excluded.since ELSE known.since END,
    failed_at = excluded.failed_at,
    wait_until = CASE
      WHEN known.since > ${windowResetBefore} AND known.since <= ${latestStart} AND known.failures + 1 >= ${sql.literal(String(SIGN_IN_FAILURES_OF_NETWORK_MAX))}
      THEN known.since + ${sql.literal(`interval '${SIGN_IN_NETWORK_WINDOW_MS} milliseconds'`)} END
  WHERE known.wait_until IS NULL OR known.wait_until <= ${now} OR known.wait_until > ${latestPlaceWait}
  RETURNING 1`

const countEmailFailureSql = (
  sql: SqlClient,
  { emailDigest, place, now, emailResetBefore, latestEmailWait }: AttemptCountInput
): Fragment => sql`
  INSERT INTO sign_in_failures AS known (email_digest, place, failures, since, failed_at, wait_until)
  SELECT ${emailDigest}::bytea, ${place}::text, 1, ${now}::timestamptz, ${now}::timestamptz, NULL
  FROM counted_place
  ON CONFLICT (email_digest, place) DO UPDATE SET
    failures = CASE WHEN known.failed_at <= ${emailResetBefore} THEN 1 ELSE known.failures + 1 END,
    failed_at = excluded.failed_at,
    wait_until = excluded.failed_at + interval '1 millisecond' * (${sql.literal(`ARRAY[${DELAYS_OR_NULL.join(",")}]`)})[
      least(${sql.literal(String(SIGN_IN_DELAYS_MS.length))}, CASE WHEN known.failed_at <= ${emailResetBefore} THEN 1 ELSE known.failures + 1 END)]
  WHERE known.wait_until IS NULL OR known.wait_until <= ${now} OR known.wait_until > ${latestEmailWait}
  RETURNING 1`

/**
 * With `isOfEmail`, the e-mail address delays the attempt and the source does not. Then the count of the source is
 * reduced again.
 */
const delayEndSql = (sql: SqlClient, input: SignInAttemptKey & { readonly isOfEmail: boolean }) => sql`
  WITH given_back AS (
    UPDATE sign_in_failures SET failures = failures - 1, wait_until = NULL
    WHERE email_digest = '' AND place = ${input.place} AND ${input.isOfEmail}::boolean
  )
  SELECT max(wait_until) AS until FROM sign_in_failures
  WHERE place = ${input.place}
    AND email_digest = CASE WHEN ${input.isOfEmail}::boolean THEN ${input.emailDigest}::bytea ELSE '' END`

/**
 * Counts an attempt as failed and returns undefined. If the attempt must wait, returns the seconds and does not count
 * it.
 */
export const makeFailureCounter = (sql: SqlClient) => {
  const countStatement = (input: AttemptCountInput) => sql`
      WITH counted_place AS (${countPlaceFailureSql(sql, input)}), counted_email AS (${countEmailFailureSql(sql, input)})
      SELECT EXISTS (SELECT FROM counted_place) AS place, EXISTS (SELECT FROM counted_email) AS email`
  return Effect.fnUntraced(function* (attemptKey: SignInAttemptKey) {
    const now = yield* DateTime.nowAsDate
    const before = (age: number) => new Date(now.getTime() - age)
    const ages = {
      emailResetBefore: before(SIGN_IN_FAILURE_RESET_MS),
      windowResetBefore: before(SIGN_IN_NETWORK_WINDOW_MS)
    }
    const after = (delay: number) => new Date(now.getTime() + delay + SIGN_IN_CLOCK_SKEW_MS)
    const latest = {
      latestStart: after(0),
      latestPlaceWait: after(SIGN_IN_NETWORK_WINDOW_MS),
      latestEmailWait: after(SIGN_IN_LONGEST_WAIT_MS)
    }
    const result = yield* readCountResult(countStatement({ ...attemptKey, now, ...ages, ...latest }))
    if (result.email) return undefined
    const { until } = yield* readDelayEnd(sql`${delayEndSql(sql, { ...attemptKey, isOfEmail: result.place })}`)
    return Math.max(1, Math.ceil(((until ?? now).getTime() - now.getTime()) / 1000))
  })
}

export const lockFailuresSql = (sql: SqlClient, { emailDigest, place }: SignInAttemptKey): Fragment => sql`
  SELECT FROM sign_in_failures WHERE place = ${place} AND email_digest IN ('', ${emailDigest})
  ORDER BY email_digest FOR UPDATE`

/**
 * For a successful sign-in: deletes the failures of the e-mail address, and takes this attempt back from the source.
 */
export const clearFailuresSql = (
  sql: SqlClient,
  { emailDigest, place }: { readonly [Name in keyof SignInAttemptKey]: SignInAttemptKey[Name] }
): Fragment => sql`
  cleared_email AS (DELETE FROM sign_in_failures WHERE place = ${place} AND email_digest = ${emailDigest}),
  cleared_place AS (
    UPDATE sign_in_failures SET failures = failures - 1, wait_until = NULL
    WHERE place = ${place} AND email_digest = '' AND failures > 0)`
