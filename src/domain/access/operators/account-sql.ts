import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

// A main account is never disabled. A disabled sub-account cannot sign in, and its tokens are rejected.

export interface OperatorAccountKey {
  readonly operatorId: number
  readonly accountId: number
}

/** The row `alias` must have `operator_id` and `account_id`. */
export const accountEnabledCondition = (sql: SqlClient.SqlClient, alias: string): Fragment => sql`EXISTS (
  SELECT FROM accounts enabled
  WHERE enabled.operator_id = ${sql(alias)}.operator_id AND enabled.id = ${sql(alias)}.account_id AND enabled.disabled_at IS NULL)`

/** The condition refers to `accounts a`. */
export const subAccountCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId }: OperatorAccountKey
): Fragment => sql`
  a.operator_id = ${operatorId} AND a.id = ${accountId} AND a.role = 'sub'`

/**
 * Returns the CTE `account`, which is empty if nothing changed. The same statement must end the sessions of the
 * account.
 */
export const disableAccountSql = (sql: SqlClient.SqlClient, account: OperatorAccountKey, now: Date): Fragment => sql`
  account AS (
    UPDATE accounts a SET disabled_at = ${now} WHERE ${subAccountCondition(sql, account)} AND a.disabled_at IS NULL
    RETURNING operator_id, id
  )`

export const enableAccountSql = (sql: SqlClient.SqlClient, account: OperatorAccountKey): Fragment => sql`
  account AS (
    UPDATE accounts a SET disabled_at = NULL WHERE ${subAccountCondition(sql, account)} AND a.disabled_at IS NOT NULL
    RETURNING operator_id, id
  )`
