import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Caller } from "../contract/caller.ts"
import { Unauthenticated } from "../contract/errors.ts"

// What an application makes by an OAuth connection ends with the grant of that connection (migrations 0053 and 0070). So a
// statement that makes or changes such a record locks the grant, and does nothing if the grant has ended.

/** The grant of the OAuth connection that a call comes by. */
export interface GrantKey {
  readonly operatorId: number
  /** Undefined: the call comes from the host, by a token of its own or a page of the console. */
  readonly grantId: number | undefined
}

export const toGrantKey = ({ operatorId, grantId }: Caller): GrantKey => ({ operatorId, grantId: grantId ?? undefined })

/**
 * Returns the CTE `granted`, to be written before others: it locks the grant until the statement is through, and is empty if the grant
 * has ended. Without a grant there is no CTE. Rows that the statement writes must depend on {@link grantActiveCondition}.
 */
export const lockGrantSql = (sql: SqlClient, { operatorId, grantId }: GrantKey): Fragment =>
  grantId === undefined
    ? sql``
    : sql`granted AS (
        SELECT id FROM oauth_grants WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL FOR SHARE),`

/** Whether the grant that {@link lockGrantSql} locks is active; true without a grant. */
export const grantActiveCondition = (sql: SqlClient, { grantId }: Pick<GrantKey, "grantId">): Fragment =>
  grantId === undefined ? sql`true` : sql`EXISTS (SELECT FROM granted)`

/** Whether a grant has not ended; true without a grant. Unlike {@link grantActiveCondition} it needs no CTE and locks nothing. */
export const grantNotEndedCondition = (sql: SqlClient, { operatorId, grantId }: GrantKey): Fragment =>
  grantId === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM oauth_grants WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL)`

/** The host disconnected the application during the call: the same error as for its next call. */
export const grantEndedError = new Unauthenticated({ message: "Invalid access token" })
