import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { IdempotencyKeyState } from "../contract/actor.ts"
import { jsonParameter } from "../platform/database/parameters.ts"

interface KeyParameters {
  readonly operatorId: number
  readonly digest: Uint8Array
  readonly fingerprint: Uint8Array
  readonly grantId: number
  /** Undefined if the call has no claim. */
  readonly claimedUntil: Date | null | undefined
}

const keyCondition = (sql: SqlClient, { operatorId, digest }: Pick<KeyParameters, "operatorId" | "digest">): Fragment =>
  sql`idempotency_keys.operator_id = ${operatorId} AND idempotency_keys.digest = ${digest}`

const ownClaimCondition = (
  sql: SqlClient,
  key: Pick<KeyParameters, "operatorId" | "digest" | "claimedUntil">
): Fragment => sql`
  ${keyCondition(sql, key)} AND idempotency_keys.outcome IS NULL
    AND idempotency_keys.under_way_until = ${key.claimedUntil ?? null}`

/**
 * For the statement of recorded-change.ts: stores the key with the row of its CTE `outcome`, if its CTE `touched` has
 * rows. An existing key violates a unique constraint. If another call has taken over the claim, the key is not stored,
 * but the change is.
 */
export const storeKeySql = (sql: SqlClient, key: KeyParameters, now: Date): Fragment =>
  key.claimedUntil !== undefined
    ? sql`
      UPDATE idempotency_keys SET outcome = to_jsonb(came_of_it), under_way_until = NULL, kept_at = ${now}
      FROM outcome came_of_it
      WHERE ${ownClaimCondition(sql, key)} AND EXISTS (SELECT FROM touched)
      RETURNING idempotency_keys.operator_id`
    : sql`
      INSERT INTO idempotency_keys (operator_id, digest, fingerprint, grant_id, outcome, kept_at)
      SELECT ${key.operatorId}::bigint, ${key.digest}::bytea, ${key.fingerprint}::bytea, ${key.grantId}::bigint,
        to_jsonb(came_of_it), ${now}::timestamptz
      FROM outcome came_of_it WHERE EXISTS (SELECT FROM touched)
      RETURNING operator_id`

export const selectKeySql = (sql: SqlClient, key: IdempotencyKeyState): Fragment => sql`
  SELECT fingerprint, grant_id, outcome, under_way_until FROM idempotency_keys WHERE ${keyCondition(sql, key)}`

export const storeUnchangedKeySql = (
  sql: SqlClient,
  key: IdempotencyKeyState,
  outcome: unknown,
  now: Date
): Fragment => sql`
  INSERT INTO idempotency_keys AS known (operator_id, digest, fingerprint, grant_id, outcome, kept_at)
  VALUES (${key.operatorId}, ${key.digest}, ${key.fingerprint}, ${key.grantId}, ${jsonParameter(outcome)}::jsonb, ${now})
  ON CONFLICT (operator_id, digest) DO UPDATE
    SET outcome = excluded.outcome, under_way_until = NULL, kept_at = excluded.kept_at
    WHERE known.outcome IS NULL AND known.under_way_until = ${key.claimedUntil ?? null}
  RETURNING operator_id`

export const claimKeySql = (sql: SqlClient, key: IdempotencyKeyState, until: Date, now: Date): Fragment => sql`
  INSERT INTO idempotency_keys (operator_id, digest, fingerprint, grant_id, under_way_until, kept_at)
  VALUES (${key.operatorId}, ${key.digest}, ${key.fingerprint}, ${key.grantId}, ${until}, ${now})
  ON CONFLICT DO NOTHING RETURNING operator_id`

export const takeOverKeySql = (sql: SqlClient, key: IdempotencyKeyState, until: Date, now: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until}
  WHERE ${keyCondition(sql, key)} AND fingerprint = ${key.fingerprint} AND outcome IS NULL AND under_way_until <= ${now}
  RETURNING operator_id`

export const renewClaimSql = (sql: SqlClient, key: IdempotencyKeyState, until: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until} WHERE ${ownClaimCondition(sql, key)} RETURNING operator_id`

export const abandonClaimSql = (sql: SqlClient, key: IdempotencyKeyState, now: Date): Fragment =>
  sql`UPDATE idempotency_keys SET under_way_until = ${now} WHERE ${ownClaimCondition(sql, key)}`

export const releaseKeySql = (sql: SqlClient, key: IdempotencyKeyState): Fragment =>
  sql`DELETE FROM idempotency_keys WHERE ${ownClaimCondition(sql, key)}`

/** Searches for each code with its quotes, because one code may begin with another. */
export const deleteKeysOfCodesSql = (sql: SqlClient, operatorId: number, codes: ReadonlyArray<string>): Fragment => sql`
  DELETE FROM idempotency_keys k
  WHERE k.operator_id = ${operatorId} AND k.outcome IS NOT NULL
    AND EXISTS (SELECT FROM unnest(${codes}::text[]) code WHERE strpos(k.outcome::text, to_jsonb(code)::text) > 0)`
