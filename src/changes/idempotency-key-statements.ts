import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { IdempotencyKeyState } from "../contract/actor.ts"
import { jsonParameter } from "../platform/database/parameters.ts"

// The statements of idempotency_keys. All but `storeKeySql` stand for themselves.

/** A key as a statement knows it. */
interface KeyParameters {
  readonly operatorId: number
  readonly digest: Uint8Array
  readonly fingerprint: Uint8Array
  readonly grantId: number
  /** Until when the call has claimed it; undefined where it has not. */
  readonly claimedUntil: Date | null | undefined
}

const keyCondition = (sql: SqlClient, { operatorId, digest }: Pick<KeyParameters, "operatorId" | "digest">): Fragment =>
  sql`idempotency_keys.operator_id = ${operatorId} AND idempotency_keys.digest = ${digest}`

/** A claim that is still this call's: nobody has taken it over. */
const ownClaimCondition = (
  sql: SqlClient,
  key: Pick<KeyParameters, "operatorId" | "digest" | "claimedUntil">
): Fragment => sql`
  ${keyCondition(sql, key)} AND idempotency_keys.outcome IS NULL
    AND idempotency_keys.under_way_until = ${key.claimedUntil ?? null}`

/**
 * Keeps a key with the row of the CTE `outcome`, where the CTE `touched` has rows; a row says that it did. Broken by a key
 * that is there already; but of a call that has acted outside the change is made even where another took its claim over.
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

/** What a key is known for. */
export const selectKeySql = (sql: SqlClient, key: IdempotencyKeyState): Fragment => sql`
  SELECT fingerprint, grant_id, outcome, under_way_until FROM idempotency_keys WHERE ${keyCondition(sql, key)}`

/** Keeps a key whose call had nothing to change; no row where it is known already, or another took the call's claim over. */
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

/** Says that an act outside is under way, which nobody else may take over before `until`; no row where the key is known. */
export const claimKeySql = (sql: SqlClient, key: IdempotencyKeyState, until: Date, now: Date): Fragment => sql`
  INSERT INTO idempotency_keys (operator_id, digest, fingerprint, grant_id, under_way_until, kept_at)
  VALUES (${key.operatorId}, ${key.digest}, ${key.fingerprint}, ${key.grantId}, ${until}, ${now})
  ON CONFLICT DO NOTHING RETURNING operator_id`

/** Takes over what a call left under way that is gone; no row where it is not gone, or another was faster. */
export const takeOverKeySql = (sql: SqlClient, key: IdempotencyKeyState, until: Date, now: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until}
  WHERE ${keyCondition(sql, key)} AND fingerprint = ${key.fingerprint} AND outcome IS NULL AND under_way_until <= ${now}
  RETURNING operator_id`

/** Claims for longer what this call has claimed; no row where another took it over. */
export const renewClaimSql = (sql: SqlClient, key: IdempotencyKeyState, until: Date): Fragment => sql`
  UPDATE idempotency_keys SET under_way_until = ${until} WHERE ${ownClaimCondition(sql, key)} RETURNING operator_id`

/** Leaves what is under way to whoever asks next. */
export const abandonClaimSql = (sql: SqlClient, key: IdempotencyKeyState, now: Date): Fragment =>
  sql`UPDATE idempotency_keys SET under_way_until = ${now} WHERE ${ownClaimCondition(sql, key)}`

/** Forgets a key under which nothing happened. */
export const releaseKeySql = (sql: SqlClient, key: IdempotencyKeyState): Fragment =>
  sql`DELETE FROM idempotency_keys WHERE ${ownClaimCondition(sql, key)}`

/**
 * Forgets keys under which something with one of these codes was answered: a call that comes again is a new one. Codes as whole
 * texts, since one may begin as another does.
 */
export const deleteKeysOfCodesSql = (sql: SqlClient, operatorId: number, codes: ReadonlyArray<string>): Fragment => sql`
  DELETE FROM idempotency_keys k
  WHERE k.operator_id = ${operatorId} AND k.outcome IS NOT NULL
    AND EXISTS (SELECT FROM unnest(${codes}::text[]) code WHERE strpos(k.outcome::text, to_jsonb(code)::text) > 0)`
