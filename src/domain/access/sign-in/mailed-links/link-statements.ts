import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { LINK_LIMITS, type LinkPurpose } from "./link-purposes.ts"
import { takeMailPermitSql } from "./mail-counts.ts"

// Only this file and LinkQueue.ts write the table `mailed_links`.

/** A condition on `accounts a JOIN operators o`: the account can sign in. */
export const canSignInCondition = (sql: SqlClient): Fragment => sql`
  a.disabled_at IS NULL AND o.status <> 'closed'`

/**
 * Returns the CTEs `permit` and `link`. `link` is empty if `accounts`, a condition on `accounts a`, matches no account,
 * or if the address has got too many mails. Counts the request in both cases.
 */
export const requestLinkSql = (
  sql: SqlClient,
  request: { readonly purpose: LinkPurpose; readonly email: Fragment; readonly accounts: Fragment; readonly now: Date }
): Fragment => sql`
  permit AS (${takeMailPermitSql(sql, LINK_LIMITS[request.purpose], { email: request.email, from: sql``, now: request.now })}),
  link AS (
    INSERT INTO mailed_links (operator_id, account_id, purpose, email, requested_at, due_at)
    SELECT a.operator_id, a.id, ${request.purpose}::text, a.email, ${request.now}::timestamptz, ${request.now}::timestamptz
    FROM accounts a JOIN operators o ON o.id = a.operator_id
    WHERE ${request.accounts} AND ${canSignInCondition(sql)} AND EXISTS (SELECT FROM permit)
    RETURNING operator_id, account_id
  )`

export interface LinkLookup {
  readonly purpose: LinkPurpose
  readonly digest: Uint8Array
  readonly now: Date
}

/** Selects `operator_id`, `account_id` and `email` of a valid link. The account must still have the address of the mail. */
export const validLinkSql = (sql: SqlClient, { purpose, digest, now }: LinkLookup): Fragment => sql`
  SELECT a.operator_id, a.id AS account_id, a.email FROM mailed_links l
  JOIN accounts a ON a.operator_id = l.operator_id AND a.id = l.account_id AND a.email = l.email
  JOIN operators o ON o.id = a.operator_id
  WHERE l.digest = ${digest} AND l.purpose = ${purpose} AND l.expires_at > ${now} AND ${canSignInCondition(sql)}`

/**
 * Deletes all links of this purpose of the accounts in the CTE `owners`, which has `operator_id` and `account_id`. So a
 * link works once, and earlier ones end with it.
 */
export const deleteLinksSql = (sql: SqlClient, purpose: LinkPurpose, owners: string): Fragment => sql`
  DELETE FROM mailed_links l USING ${sql(owners)} owner
  WHERE l.operator_id = owner.operator_id AND l.account_id = owner.account_id AND l.purpose = ${purpose}`
