import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** Position of the last entry of a page. */
export interface AuditPosition {
  readonly at: Date
  readonly id: number
}

export interface AuditRangeFilter {
  readonly operatorId: number
  /** The record's name, or SQL of it. */
  readonly record?: string | Fragment | undefined
  /** `since` is inclusive and `until` exclusive. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  readonly before?: AuditPosition | undefined
}

export interface AuditRange {
  readonly operatorId: number
  readonly record: string | Fragment | undefined
  readonly since: string
  readonly beforeAt: string
  readonly beforeId: number
}

/** With `beforeId` 0 the range ends before `beforeAt`, because no entry has the id 0. */
export const toAuditRange = ({ operatorId, record, since, until, before }: AuditRangeFilter): AuditRange => ({
  operatorId,
  record,
  since: since?.toISOString() ?? "-infinity",
  ...(before !== undefined && (until === undefined || before.at < until)
    ? { beforeAt: before.at.toISOString(), beforeId: before.id }
    : { beforeAt: until?.toISOString() ?? "infinity", beforeId: 0 })
})

/**
 * A row comparison selects a range of the index. With separate conditions, PostgreSQL might read the entries of all
 * operators.
 */
export const auditEntriesSql = (
  sql: SqlClient,
  { operatorId, record, since, beforeAt, beforeId }: AuditRange,
  limit: number
): Fragment => {
  const columns = record === undefined ? sql`operator_id` : sql`operator_id, record`
  const values = record === undefined ? sql`${operatorId}::bigint` : sql`${operatorId}::bigint, ${record}::text`
  const order = record === undefined ? sql`operator_id DESC` : sql`operator_id DESC, record DESC`
  return sql`
    SELECT id, at, account_id, application, operation, request_id, record, fields FROM trail
    WHERE (${columns}, at) >= (${values}, ${since}::timestamptz)
      AND (${columns}, at, id) < (${values}, ${beforeAt}::timestamptz, ${beforeId}::bigint)
    ORDER BY ${order}, at DESC, id DESC LIMIT ${sql.literal(String(limit))}`
}

export const AUDIT_CURSOR_PATTERN = /^(\d{1,14})-(\d{1,15})$/

export const parseAuditCursor = (text: string): AuditPosition | undefined => {
  const [, at, id] = AUDIT_CURSOR_PATTERN.exec(text) ?? []
  return at === undefined || id === undefined ? undefined : { at: new Date(Number(at)), id: Number(id) }
}

export const formatAuditCursor = ({ at, id }: AuditPosition): string => `${at.getTime()}-${id}`
