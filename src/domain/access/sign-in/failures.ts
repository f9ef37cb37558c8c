import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type Givens, inForms, type Value } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import {
  SIGN_IN_CLOCKS_APART_MS,
  SIGN_IN_FAILURES_OF_PLACE,
  SIGN_IN_FORGOTTEN_MS,
  SIGN_IN_LONGEST_WAIT_MS,
  SIGN_IN_PLACE_MS
} from "../../../platform/limits.ts"
import { WAITS } from "./waits.ts"

// Failed sign-ins, counted before a password is looked at and not after it: of twenty tries at once none is looked at beyond what
// may be. What turns out right is taken back with what it does (`clearing`).

/** What is tried: one e-mail address, from one place. */
export interface Tried {
  readonly emailDigest: Uint8Array
  readonly place: string
}

interface Counting extends Tried {
  readonly now: Date
  /** Of the e-mail address: tries that are as old are forgotten. Of the place: its window is over that began then. */
  readonly forgotten: Date
  readonly windowOver: Date
  /** The latest plausible start of a window and ends of waits. A later value was written while a clock was ahead, and is ignored. */
  readonly latestStart: Date
  readonly latestPlaceWait: Date
  readonly latestEmailWait: Date
}

const Counted = Schema.Struct({ place: Schema.Boolean, email: Schema.Boolean })
const Until = Schema.Struct({ until: Schema.NullOr(Schema.Date) })
const readCounted = onlyRowOf(Counted)
const readUntil = onlyRowOf(Until)

/** As SQL has them: nothing where nobody waits. */
const WAITS_OR_NONE = WAITS.map((wait) => (wait === 0 ? "NULL" : String(wait)))

// The place is counted first and locked first, wherever both rows are taken: nobody waits in a circle.
const countingPlace = (
  sql: SqlClient,
  { place, now, windowOver, latestStart, latestPlaceWait }: Givens<Counting>
): Fragment => sql`
  INSERT INTO sign_in_failures AS known (email_digest, place, failures, since, failed_at, wait_until)
  VALUES ('', ${place}, 1, ${now}, ${now}, NULL)
  ON CONFLICT (email_digest, place) DO UPDATE SET
    failures = CASE WHEN known.since <= ${windowOver} OR known.since > ${latestStart} THEN 1 ELSE known.failures + 1 END,
    since = CASE WHEN known.since <= ${windowOver} OR known.since > ${latestStart} THEN excluded.since ELSE known.since END,
    failed_at = excluded.failed_at,
    wait_until = CASE
      WHEN known.since > ${windowOver} AND known.since <= ${latestStart} AND known.failures + 1 >= ${sql.literal(String(SIGN_IN_FAILURES_OF_PLACE))}
      THEN known.since + ${sql.literal(`interval '${SIGN_IN_PLACE_MS} milliseconds'`)} END
  WHERE known.wait_until IS NULL OR known.wait_until <= ${now} OR known.wait_until > ${latestPlaceWait}
  RETURNING 1`

const countingEmail = (
  sql: SqlClient,
  { emailDigest, place, now, forgotten, latestEmailWait }: Givens<Counting>
): Fragment => sql`
  INSERT INTO sign_in_failures AS known (email_digest, place, failures, since, failed_at, wait_until)
  SELECT ${emailDigest}::bytea, ${place}::text, 1, ${now}::timestamptz, ${now}::timestamptz, NULL
  FROM counted_place
  ON CONFLICT (email_digest, place) DO UPDATE SET
    failures = CASE WHEN known.failed_at <= ${forgotten} THEN 1 ELSE known.failures + 1 END,
    failed_at = excluded.failed_at,
    wait_until = excluded.failed_at + interval '1 millisecond' * (${sql.literal(`ARRAY[${WAITS_OR_NONE.join(",")}]`)})[
      least(${sql.literal(String(WAITS.length))}, CASE WHEN known.failed_at <= ${forgotten} THEN 1 ELSE known.failures + 1 END)]
  WHERE known.wait_until IS NULL OR known.wait_until <= ${now} OR known.wait_until > ${latestEmailWait}
  RETURNING 1`

/** Until when it is waited; a try that its place had room for and its e-mail address had not is none of its place. */
const waiting = (sql: SqlClient, given: Givens<Tried & { readonly isOfEmail: boolean }>) => sql`
  WITH given_back AS (
    UPDATE sign_in_failures SET failures = failures - 1, wait_until = NULL
    WHERE email_digest = '' AND place = ${given.place} AND ${given.isOfEmail}::boolean
  )
  SELECT max(wait_until) AS until FROM sign_in_failures
  WHERE place = ${given.place}
    AND email_digest = CASE WHEN ${given.isOfEmail}::boolean THEN ${given.emailDigest}::bytea ELSE '' END`

/** Counts a try as failed; answers the whole seconds to wait where it must not be looked at, and then it is not counted. */
export const makeCounting = (sql: SqlClient) => {
  const count = inForms(
    sql,
    (given: Givens<Counting>) => sql`
      WITH counted_place AS (${countingPlace(sql, given)}), counted_email AS (${countingEmail(sql, given)})
      SELECT EXISTS (SELECT FROM counted_place) AS place, EXISTS (SELECT FROM counted_email) AS email`
  )
  const wait = inForms(sql, (given: Givens<Tried & { readonly isOfEmail: boolean }>) => waiting(sql, given))
  return Effect.fnUntraced(function* (tried: Tried) {
    const now = yield* DateTime.nowAsDate
    const before = (age: number) => new Date(now.getTime() - age)
    const ages = { forgotten: before(SIGN_IN_FORGOTTEN_MS), windowOver: before(SIGN_IN_PLACE_MS) }
    const after = (wait: number) => new Date(now.getTime() + wait + SIGN_IN_CLOCKS_APART_MS)
    const latest = {
      latestStart: after(0),
      latestPlaceWait: after(SIGN_IN_PLACE_MS),
      latestEmailWait: after(SIGN_IN_LONGEST_WAIT_MS)
    }
    const counted = yield* readCounted(count({ ...tried, now, ...ages, ...latest }))
    if (counted.email) return undefined
    const { until } = yield* readUntil(wait({ ...tried, isOfEmail: counted.place }))
    return Math.max(1, Math.ceil(((until ?? now).getTime() - now.getTime()) / 1000))
  })
}

/** Locks what {@link clearing} changes, in the order in which it is counted. */
export const lockingFailures = (sql: SqlClient, { emailDigest, place }: Tried): Fragment => sql`
  SELECT FROM sign_in_failures WHERE place = ${place} AND email_digest IN ('', ${emailDigest})
  ORDER BY email_digest FOR UPDATE`

/** CTEs for who gave the right password: nothing is left of that e-mail address from there, and this try was no failure of the place. */
export const clearing = (
  sql: SqlClient,
  { emailDigest, place }: { readonly [Name in keyof Tried]: Value<Tried[Name]> }
): Fragment => sql`
  cleared_email AS (DELETE FROM sign_in_failures WHERE place = ${place} AND email_digest = ${emailDigest}),
  cleared_place AS (
    UPDATE sign_in_failures SET failures = failures - 1, wait_until = NULL
    WHERE place = ${place} AND email_digest = '' AND failures > 0)`
