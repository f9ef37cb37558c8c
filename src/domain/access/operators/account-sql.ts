import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

// Sub-accounts that are disabled, for statements of others: nobody signs in with one, and what was given by it is good for nothing
// until it is enabled again. A main account never is.

/** Which account, of whose. */
export interface OperatorAccountKey {
  readonly operatorId: number
  readonly accountId: number
}

/** Of a row that has an `operator_id` and an `account_id`: whether that account may do anything. */
export const accountEnabledCondition = (sql: SqlClient.SqlClient, alias: string): Fragment => sql`EXISTS (
  SELECT FROM accounts enabled
  WHERE enabled.operator_id = ${sql(alias)}.operator_id AND enabled.id = ${sql(alias)}.account_id AND enabled.disabled_at IS NULL)`

/** The sub-account as `accounts a`, whether or not it is disabled. */
export const subAccountCondition = (
  sql: SqlClient.SqlClient,
  { operatorId, accountId }: OperatorAccountKey
): Fragment => sql`
  a.operator_id = ${operatorId} AND a.id = ${accountId} AND a.role = 'sub'`

/**
 * CTE `account`: the sub-account, disabled from now on; no row where it was before. Whoever ends its sessions does so in the same
 * statement (src/domain/access/sign-in).
 */
export const disableAccountSql = (sql: SqlClient.SqlClient, account: OperatorAccountKey, now: Date): Fragment => sql`
  account AS (
    UPDATE accounts a SET disabled_at = ${now} WHERE ${subAccountCondition(sql, account)} AND a.disabled_at IS NULL
    RETURNING operator_id, id
  )`

/** CTE `account`: the sub-account, which may do again what it might; no row where it is not disabled. */
export const enableAccountSql = (sql: SqlClient.SqlClient, account: OperatorAccountKey): Fragment => sql`
  account AS (
    UPDATE accounts a SET disabled_at = NULL WHERE ${subAccountCondition(sql, account)} AND a.disabled_at IS NOT NULL
    RETURNING operator_id, id
  )`
