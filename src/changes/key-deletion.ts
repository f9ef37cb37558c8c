import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Forgets keys under which something with one of these codes was answered: a call that comes again is a new one. Codes as whole
 * texts, since one may begin as another does.
 */
export const deleteKeysOfCodesSql = (sql: SqlClient, operatorId: number, codes: ReadonlyArray<string>): Fragment => sql`
  DELETE FROM idempotency_keys k
  WHERE k.operator_id = ${operatorId} AND k.outcome IS NOT NULL
    AND EXISTS (SELECT FROM unnest(${codes}::text[]) code WHERE strpos(k.outcome::text, to_jsonb(code)::text) > 0)`
