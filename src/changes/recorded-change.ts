import { DateTime, Effect, Predicate } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Actor, CurrentActor } from "../contract/actor.ts"
import { traceCteSql } from "../platform/database/traceparent-sql.ts"
import { currentTraceparent } from "../platform/telemetry/traceparent.ts"
import { storeKeySql } from "./idempotency-key-statements.ts"

export interface RecordedChange {
  readonly change: Fragment
  /** INSERTs of events (recordEventSql). CTEs of `change` may record further events. */
  readonly events: ReadonlyArray<Fragment>
  /**
   * Query for the changed records: `operator_id`, `record` (such as `task:12`) and `fields`, the names of the changed
   * fields. `fields` is empty for a created, deleted or unchanged record. Without rows, no key is stored.
   */
  readonly changedRecords: Fragment
  /**
   * Query for at most one row, which the idempotency key stores. This row and the input must suffice to build the
   * response. The row must contain no secret.
   */
  readonly outcome: Fragment
}

interface ChangeContext extends Omit<Actor, "idempotencyKey"> {
  readonly now: Date
  readonly traceparent: string | undefined
  readonly keyOperatorId: number | undefined
  readonly digest: Uint8Array | undefined
  readonly fingerprint: Uint8Array | undefined
  readonly grantId: number | undefined
  readonly claimedUntil: Date | null | undefined
}

/**
 * Makes a change, records its events and audit entries, and stores the idempotency key, all in one statement. Returns
 * the rows of `outcome`.
 *
 * If another call has stored the key, a unique constraint undoes the whole statement. If another call is storing it,
 * the statement waits.
 */
export const recordChange = (
  sql: SqlClient,
  change: RecordedChange
): Effect.Effect<ReadonlyArray<object>, SqlError, CurrentActor> =>
  Effect.flatMap(CurrentActor, (actor) =>
    Effect.flatMap(DateTime.nowAsDate, (now) =>
      Effect.flatMap(currentTraceparent, (traceparent) =>
        Effect.map(sql`${recordedChangeSql(sql, toChangeContext(actor, now, traceparent), change)}`, (rows) =>
          markKeyStored(actor, rows)
        )
      )
    )
  )

const toChangeContext = (
  { accountId, application, operation, requestId, idempotencyKey }: Actor,
  now: Date,
  traceparent: string | undefined
): ChangeContext => ({
  accountId,
  application,
  operation,
  requestId,
  now,
  traceparent,
  keyOperatorId: idempotencyKey?.operatorId,
  digest: idempotencyKey?.digest,
  fingerprint: idempotencyKey?.fingerprint,
  grantId: idempotencyKey?.grantId,
  claimedUntil: idempotencyKey?.progress === "claimed" ? (idempotencyKey.claimedUntil ?? null) : undefined
})

const recordedChangeSql = (
  sql: SqlClient,
  context: ChangeContext,
  { change, events, changedRecords, outcome }: RecordedChange
): Fragment => {
  const eventCtes = events.map((event, index) => sql`event_${sql.literal(String(index))} AS (${event}), `)
  const ctes = sql`WITH ${traceCteSql(sql, context.traceparent)}, ${change}, ${sql.join("", false)(eventCtes)}
      touched AS (${changedRecords}), left_trail AS (${insertAuditEntriesSql(sql, context, context.now)})`
  const { keyOperatorId: operatorId, digest, fingerprint, grantId, claimedUntil } = context
  if (operatorId === undefined || digest === undefined || fingerprint === undefined || grantId === undefined)
    return sql`${ctes} ${outcome}`
  const key = { operatorId, digest, fingerprint, grantId, claimedUntil }
  return sql`${ctes}, outcome AS MATERIALIZED (${outcome}), kept AS (${storeKeySql(sql, key, context.now)})
      SELECT outcome.*, EXISTS (SELECT FROM kept) AS on_record FROM outcome`
}

const insertAuditEntriesSql = (
  sql: SqlClient,
  { accountId, application, operation, requestId }: Omit<Actor, "idempotencyKey">,
  now: Date
): Fragment => sql`
  INSERT INTO trail (operator_id, at, account_id, application, operation, request_id, record, fields)
  SELECT operator_id, ${now}::timestamptz, ${accountId}::bigint, ${application}::text, ${operation}::text,
    ${requestId}::text, record, fields
  FROM touched WHERE record IS NOT NULL ORDER BY record`

const markKeyStored = ({ idempotencyKey }: Actor, rows: ReadonlyArray<object>): ReadonlyArray<object> => {
  const isStored = rows.some((row) => Predicate.hasProperty(row, "on_record") && row.on_record === true)
  if (idempotencyKey !== undefined && isStored) idempotencyKey.progress = "kept"
  return rows
}

/** For the CTE `before`, with which {@link changedRecordsSql} compares the change. */
export const lockedRowSql = (sql: SqlClient, table: string, operatorId: number, id: number): Fragment =>
  sql`SELECT * FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = ${id} FOR NO KEY UPDATE`

export const changedRecordsSql = (sql: SqlClient, record: string, after = "after"): Fragment => sql`
  SELECT now.operator_id, ${sql.literal(`'${record}:'`)} || now.id AS record,
    changed_fields(to_jsonb(before), to_jsonb(now)) AS fields
  FROM before JOIN ${sql(after)} now ON now.operator_id = before.operator_id AND now.id = before.id`

export const createdOrDeletedRecordsSql = (sql: SqlClient, record: string, cte: string): Fragment => sql`
  SELECT operator_id, ${sql.literal(`'${record}:'`)} || id AS record, '{}'::text[] AS fields FROM ${sql(cte)}`
