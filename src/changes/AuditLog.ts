import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { makeRowsReader, makeSingleRowReader } from "../platform/database/rows.ts"
import { HOUR_MS, startOfHour } from "./failed-call-counts.ts"

/** `name` and `email` are null if the account was deleted. */
const AuditAccount = Schema.Struct({
  id: Schema.Int,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
})

export const AuditEntry = Schema.Struct({
  at: Schema.Date,
  /** Null for the service itself and the administrator. */
  account: Schema.NullOr(AuditAccount),
  application: Schema.String,
  operation: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  record: Schema.String,
  fields: Schema.Array(Schema.String)
})
export type AuditEntry = typeof AuditEntry.Type

export const FailedCallSummary = Schema.Struct({
  account: Schema.NullOr(AuditAccount),
  application: Schema.String,
  operation: Schema.String,
  error_code: Schema.Int,
  times: Schema.Int,
  first_hour: Schema.Date,
  last_hour: Schema.Date
})
export type FailedCallSummary = typeof FailedCallSummary.Type

interface AuditFilter {
  readonly operatorId: number
  /** Such as `reservation:5-ABC`. */
  readonly record?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

const readEntries = makeRowsReader(AuditEntry)
const readFailedCalls = makeRowsReader(FailedCallSummary)
const readExists = makeSingleRowReader(Schema.Struct({ known: Schema.Boolean }))

const accountColumn = (sql: SqlClient.SqlClient): Fragment => sql`
  CASE WHEN account_id IS NOT NULL THEN jsonb_build_object('id', account_id, 'name', a.name, 'email', a.email) END
    AS account`

/**
 * A row comparison selects a range of the index. With `operator_id = …`, PostgreSQL would read the log of all operators
 * backwards in time.
 */
const latestEntriesSql = (
  sql: SqlClient.SqlClient,
  { operatorId, record, since, until }: AuditFilter,
  limit: number
) => {
  const from = sql`${since?.toISOString() ?? "-infinity"}::timestamptz`
  const to = sql`${until?.toISOString() ?? "infinity"}::timestamptz`
  const columns = record === undefined ? sql`operator_id` : sql`operator_id, record`
  const values = record === undefined ? sql`${operatorId}::bigint` : sql`${operatorId}::bigint, ${record}::text`
  const order = record === undefined ? sql`operator_id DESC` : sql`operator_id DESC, record DESC`
  return sql`
    SELECT t.at, ${accountColumn(sql)}, t.application, t.operation, t.request_id, t.record, t.fields
    FROM (
      SELECT * FROM trail WHERE (${columns}, at) >= (${values}, ${from}) AND (${columns}, at) < (${values}, ${to})
      ORDER BY ${order}, at DESC, id DESC LIMIT ${limit}
    ) t
    LEFT JOIN accounts a ON a.operator_id = t.operator_id AND a.id = t.account_id
    ORDER BY t.at DESC, t.id DESC`
}

const frequentFailuresSql = (sql: SqlClient.SqlClient, { operatorId, since, until }: AuditFilter, limit: number) => {
  const conditions = [sql`operator_id = ${operatorId}`]
  if (since !== undefined) conditions.push(sql`hour >= ${new Date(startOfHour(since.getTime()))}`)
  if (until !== undefined) conditions.push(sql`hour < ${new Date(startOfHour(until.getTime() + HOUR_MS - 1))}`)
  return sql`
    SELECT ${accountColumn(sql)}, r.application, r.operation, r.error_code, r.times, r.first_hour, r.last_hour
    FROM (
      SELECT operator_id, account_id, application, operation, error_code, sum(times)::bigint AS times,
        min(hour) AS first_hour, max(hour) AS last_hour
      FROM refusals WHERE ${sql.and(conditions)} GROUP BY 1, 2, 3, 4, 5
      ORDER BY times DESC, account_id, application, operation, error_code LIMIT ${limit}
    ) r
    LEFT JOIN accounts a ON a.operator_id = r.operator_id AND a.id = r.account_id
    ORDER BY r.times DESC, r.account_id, r.application, r.operation, r.error_code`
}

const toRequestKey = ({ request_id, at, application, operation }: AuditEntry): string =>
  request_id ?? JSON.stringify([at, application, operation])

/** Expects the latest entry first. Returns the entries of each request in the order in which they were written. */
export const groupByRequest = (entries: ReadonlyArray<AuditEntry>): ReadonlyArray<AuditEntry> =>
  Array.from(Map.groupBy(entries, toRequestKey).values(), (rows) => rows.toReversed()).flat()

export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly listEntries: (filter: AuditFilter, limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>>
    /** Failed calls are counted per hour, so the first and the last hour count as a whole. */
    readonly listFailedCalls: (
      filter: Omit<AuditFilter, "record">,
      limit: number
    ) => Effect.Effect<ReadonlyArray<FailedCallSummary>>
    readonly operatorExists: (operatorId: number) => Effect.Effect<boolean>
  }
>()("latchkey/changes/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.map(SqlClient.SqlClient, (sql) =>
      AuditLog.of({
        listEntries: (filter, limit) =>
          Effect.map(readEntries(sql`${latestEntriesSql(sql, filter, limit)}`), groupByRequest),
        listFailedCalls: (filter, limit) => readFailedCalls(sql`${frequentFailuresSql(sql, filter, limit)}`),
        operatorExists: (operatorId) =>
          Effect.map(
            readExists(sql`SELECT EXISTS (SELECT FROM operators WHERE id = ${operatorId}) AS known`),
            ({ known }) => known
          )
      })
    )
  )
}
