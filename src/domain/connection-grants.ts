import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Caller } from "../contract/caller.ts"
import { Unauthenticated } from "../contract/errors.ts"

// Webhook subscriptions, automation rules and property feeds that an OAuth connection created are deleted when its
// grant ends. So a statement that writes such a record locks the grant, and does nothing if the grant has ended.

export interface GrantKey {
  readonly operatorId: number
  /** Undefined if the call comes from the host. */
  readonly grantId: number | undefined
}

export const toGrantKey = ({ operatorId, grantId }: Caller): GrantKey => ({ operatorId, grantId: grantId ?? undefined })

/**
 * The CTE `granted` locks the grant and is empty if the grant has ended. All rows that the statement writes must depend
 * on {@link grantActiveCondition}.
 */
export const lockGrantSql = (sql: SqlClient, { operatorId, grantId }: GrantKey): Fragment =>
  grantId === undefined
    ? sql``
    : sql`granted AS (
        SELECT id FROM oauth_grants WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL FOR SHARE),`

export const grantActiveCondition = (sql: SqlClient, { grantId }: Pick<GrantKey, "grantId">): Fragment =>
  grantId === undefined ? sql`true` : sql`EXISTS (SELECT FROM granted)`

/** Unlike {@link grantActiveCondition}, needs no CTE and locks nothing. */
export const grantNotEndedCondition = (sql: SqlClient, { operatorId, grantId }: GrantKey): Fragment =>
  grantId === undefined
    ? sql`true`
    : sql`EXISTS (SELECT FROM oauth_grants WHERE operator_id = ${operatorId} AND id = ${grantId} AND ended_at IS NULL)`

/** The host disconnected the application during the call. */
export const grantEndedError = new Unauthenticated({ message: "Invalid access token" })
