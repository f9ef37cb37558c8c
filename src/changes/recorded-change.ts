import { DateTime, Effect, Predicate } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Actor, CurrentActor } from "../contract/actor.ts"
import { traceCteSql } from "../platform/database/traceparent-sql.ts"
import { currentTraceparent } from "../platform/telemetry/traceparent.ts"
import { storeKeySql } from "./idempotency-key-statements.ts"

/** A statement that changes something of an operator's, by its parts. */
export interface RecordedChange {
  /** The CTEs of the change. */
  readonly change: Fragment
  /** What subscribers are told of it (recordEventSql); what the CTEs of the change record themselves is not repeated here. */
  readonly events: ReadonlyArray<Fragment>
  /**
   * A query for the records it changed: `operator_id`, `record` (as in events: `task:12`) and `fields`, the names of those
   * that changed, none of a record that was made or deleted, or written as it was. No rows: nothing was changed and nobody is
   * told of anything, since then no key is looked at either.
   */
  readonly changedRecords: Fragment
  /**
   * A query for what came of it: at most one row. A key keeps this row, so it has all that the answer is built from
   * beside the input, and no secret.
   */
  readonly outcome: Fragment
}

/** Who makes a change, under which key, and when: what its statement has beside its own values. */
interface ChangeContext extends Omit<Actor, "idempotencyKey"> {
  readonly now: Date
  /** Undefined: the change is part of no trace. */
  readonly traceparent: string | undefined
  readonly keyOperatorId: number | undefined
  readonly digest: Uint8Array | undefined
  readonly fingerprint: Uint8Array | undefined
  readonly grantId: number | undefined
  /** Undefined: the call has claimed nothing. */
  readonly claimedUntil: Date | null | undefined
}

/**
 * The one way of a change into the database: one statement that makes the change, records its events, writes who made it
 * into the trail and keeps the call's key with what came of it; all of it or none. It answers the rows of `outcome`.
 *
 * A key that another call has kept meanwhile breaks the key's own constraint and so undoes the whole statement; one that is
 * just keeping it is waited for.
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

/** Writes down who changed the records in the CTE `touched`, but for those that have no name there: they are kept out. */
const insertAuditEntriesSql = (
  sql: SqlClient,
  { accountId, application, operation, requestId }: Omit<Actor, "idempotencyKey">,
  now: Date
): Fragment => sql`
  INSERT INTO trail (operator_id, at, account_id, application, operation, request_id, record, fields)
  SELECT operator_id, ${now}::timestamptz, ${accountId}::bigint, ${application}::text, ${operation}::text,
    ${requestId}::text, record, fields
  FROM touched WHERE record IS NOT NULL ORDER BY record`

/** What came of a change; that its key was kept is noted with the call. */
const markKeyStored = ({ idempotencyKey }: Actor, rows: ReadonlyArray<object>): ReadonlyArray<object> => {
  const isStored = rows.some((row) => Predicate.hasProperty(row, "on_record") && row.on_record === true)
  if (idempotencyKey !== undefined && isStored) idempotencyKey.progress = "kept"
  return rows
}

/** For a CTE `before`: one row as it is now, locked until the statement is through, so that what it becomes can be compared. */
export const lockedRowSql = (sql: SqlClient, table: string, operatorId: number, id: number): Fragment =>
  sql`SELECT * FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = ${id} FOR NO KEY UPDATE`

/** Of a statement that has records as they were in the CTE `before`, and the whole rows as they are now in the CTE `after`. */
export const changedRecordsSql = (sql: SqlClient, record: string, after = "after"): Fragment => sql`
  SELECT now.operator_id, ${sql.literal(`'${record}:'`)} || now.id AS record,
    changed_fields(to_jsonb(before), to_jsonb(now)) AS fields
  FROM before JOIN ${sql(after)} now ON now.operator_id = before.operator_id AND now.id = before.id`

/** Of a statement that made or deleted the records in a CTE. */
export const createdOrDeletedRecordsSql = (sql: SqlClient, record: string, cte: string): Fragment => sql`
  SELECT operator_id, ${sql.literal(`'${record}:'`)} || id AS record, '{}'::text[] AS fields FROM ${sql(cte)}`
