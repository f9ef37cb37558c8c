import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { CallKey } from "../contract/acting.ts"
import type { Value } from "../platform/database/forms.ts"
import { jsonParameter } from "../platform/database/parameters.ts"

// The statements of idempotency_keys. All but `keeping` stand for themselves.

/** A key as a statement knows it. */
export interface KeyValues {
  readonly operatorId: Value<number>
  readonly digest: Value<Uint8Array>
  readonly fingerprint: Value<Uint8Array>
  /** Until when the call has claimed it; undefined where it has not. */
  readonly claimedUntil: Value<Date | null> | undefined
}

const named = (sql: SqlClient, { operatorId, digest }: Pick<KeyValues, "operatorId" | "digest">): Fragment =>
  sql`idempotency_keys.operator_id = ${operatorId} AND idempotency_keys.digest = ${digest}`

/** A claim that is still this call's: nobody has taken it over. */
const ownClaim = (sql: SqlClient, key: Pick<KeyValues, "operatorId" | "digest" | "claimedUntil">): Fragment => sql`
  ${named(sql, key)} AND idempotency_keys.outcome IS NULL
    AND idempotency_keys.under_way_until = ${key.claimedUntil ?? null}`

/**
 * Keeps a key with the row of the CTE `outcome`, where the CTE `touched` has rows; a row says that it did. Broken by a key
 * that is there already; but of a call that has acted outside the change is made even where another took its claim over.
 */
export const keeping = (sql: SqlClient, key: KeyValues, now: Value<Date>): Fragment =>
  key.claimedUntil !== undefined
    ? sql`
      UPDATE idempotency_keys SET outcome = to_jsonb(came_of_it), under_way_until = NULL, kept_at = ${now}
      FROM outcome came_of_it
      WHERE ${ownClaim(sql, key)} AND EXISTS (SELECT FROM touched)
      RETURNING idempotency_keys.operator_id`
    : sql`
      INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
      SELECT ${key.operatorId}::bigint, ${key.digest}::bytea, ${key.fingerprint}::bytea, to_jsonb(came_of_it),
        ${now}::timestamptz
      FROM outcome came_of_it WHERE EXISTS (SELECT FROM touched)
      RETURNING operator_id`

/** What a key is known for. */
export const knownKey = (sql: SqlClient, key: CallKey): Fragment => sql`
  SELECT fingerprint, outcome, under_way_until FROM idempotency_keys WHERE ${named(sql, key)}`

/** Keeps a key whose call had nothing to change; no row where it is known already, or another took the call's claim over. */
export const keepingAlone = (sql: SqlClient, key: CallKey, outcome: unknown, now: Date): Fragment => sql`
  INSERT INTO idempotency_keys AS known (operator_id, digest, fingerprint, outcome, kept_at)
  VALUES (${key.operatorId}, ${key.digest}, ${key.fingerprint}, ${jsonParameter(outcome)}::jsonb, ${now})
  ON CONFLICT (operator_id, digest) DO UPDATE
    SET outcome = excluded.outcome, under_way_until = NULL, kept_at = excluded.kept_at
    WHERE known.outcome IS NULL AND known.under_way_until = ${key.claimedUntil ?? null}
  RETURNING operator_id`

/** Says that an act outside is under way, which nobody else may take over before `until`; no row where the key is known. */
export const claiming = (sql: SqlClient, key: CallKey, until: Date, now: Date): Fragment => sql`
  INSERT INTO idempotency_keys (operator_id, digest, fingerprint, under_way_until, kept_at)
  VALUES (${key.operatorId}, ${key.digest}, ${key.fingerprint}, ${until}, ${now})
  ON CONFLICT DO NOTHING RETURNING operator_id`

/** Takes over what a call left under way that is gone; no row where it is not gone, or another was faster. */
export const takingOver = (sql: SqlClient, key: CallKey, until: Date, now: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until}
  WHERE ${named(sql, key)} AND fingerprint = ${key.fingerprint} AND outcome IS NULL AND under_way_until <= ${now}
  RETURNING operator_id`

/** Claims for longer what this call has claimed; no row where another took it over. */
export const renewing = (sql: SqlClient, key: CallKey, until: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until} WHERE ${ownClaim(sql, key)} RETURNING operator_id`

/** Leaves what is under way to whoever asks next. */
export const leaving = (sql: SqlClient, key: CallKey, now: Date): Fragment =>
  sql`UPDATE idempotency_keys SET under_way_until = ${now} WHERE ${ownClaim(sql, key)}`

/** Forgets a key under which nothing happened. */
export const releasing = (sql: SqlClient, key: CallKey): Fragment =>
  sql`DELETE FROM idempotency_keys WHERE ${ownClaim(sql, key)}`
