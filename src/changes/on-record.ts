import { DateTime, Effect, Predicate } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { Acting, type Actor } from "../contract/acting.ts"
import { type Givens, inFormsBeside, type Shape, type Value, type Valued } from "../platform/database/forms.ts"
import { ofTrace } from "../platform/database/of-trace.ts"
import { traceparentNow } from "../platform/telemetry/traceparent.ts"
import { keeping } from "./key-record.ts"
import { trailing } from "./trail.ts"

/** A statement that changes something of an operator's, by its parts. */
export interface RecordedChange {
  /** The CTEs of the change. */
  readonly change: Fragment
  /** What subscribers are told of it (recordEvent); what the CTEs of the change record themselves is not repeated here. */
  readonly events: ReadonlyArray<Fragment>
  /**
   * A query for the records it changed: `operator_id`, `record` (as in events: `task:12`) and `fields`, the names of those
   * that changed, none of a record that was made or deleted, or written as it was. No rows: nothing was changed and nobody is
   * told of anything, since then no key is looked at either.
   */
  readonly touched: Fragment
  /**
   * A query for what came of it: at most one row. A key keeps this row, so it has all that the answer is built from
   * beside the input, and no secret.
   */
  readonly outcome: Fragment
}

/** Who makes a change, under which key, and when: what its statement has beside its own values. */
interface Making extends Omit<Actor, "key"> {
  readonly now: Date
  /** Undefined: the change is part of no trace. */
  readonly traceparent: string | undefined
  readonly keyOperatorId: number | undefined
  readonly digest: Uint8Array | undefined
  readonly fingerprint: Uint8Array | undefined
  /** Undefined: the call has claimed nothing. */
  readonly claimedUntil: Date | null | undefined
}

/**
 * The one way of a change into the database: one statement that makes the change, records its events, writes who made it
 * into the trail and keeps the call's key with what came of it; all of it or none. It answers the rows of `outcome`.
 *
 * A key that another call has kept meanwhile breaks the key's own constraint and so undoes the whole statement; one that is
 * just keeping it is waited for. With a key and without are two forms of the statement.
 */
export const onRecordInForms = <Values extends object, S extends Shape = []>(
  sql: SqlClient,
  build: (given: Givens<Values>, ...shape: S) => RecordedChange
): ((values: Values, ...shape: S) => Effect.Effect<ReadonlyArray<object>, SqlError, Acting>) => {
  const statement = inFormsBeside<Making, Values, S>(sql, (making, given, ...shape) =>
    recordedBy(sql, making, build(given, ...shape))
  )
  return (values, ...shape) =>
    Effect.flatMap(Acting, (actor) =>
      Effect.flatMap(DateTime.nowAsDate, (now) =>
        Effect.flatMap(traceparentNow, (traceparent) =>
          Effect.map(statement(makingOf(actor, now, traceparent), values, ...shape), (rows) => noted(actor, rows))
        )
      )
    )
}

/** The same of a change whose statement is built anew each time. */
export const onRecord = (
  sql: SqlClient,
  change: RecordedChange
): Effect.Effect<ReadonlyArray<object>, SqlError, Acting> =>
  Effect.gen(function* () {
    const actor = yield* Acting
    const now = yield* DateTime.nowAsDate
    const making = makingOf(actor, now, yield* traceparentNow)
    const rows = yield* sql`${recordedBy(sql, making, change)}`
    return noted(actor, rows)
  })

const makingOf = (
  { accountId, application, operation, requestId, key }: Actor,
  now: Date,
  traceparent: string | undefined
): Making => ({
  accountId,
  application,
  operation,
  requestId,
  now,
  traceparent,
  keyOperatorId: key?.operatorId,
  digest: key?.digest,
  fingerprint: key?.fingerprint,
  claimedUntil: key?.progress === "claimed" ? (key.claimedUntil ?? null) : undefined
})

const recordedBy = (
  sql: SqlClient,
  making: Valued<Making>,
  { change, events, touched, outcome }: RecordedChange
): Fragment => {
  const recorded = events.map((event, at) => sql`event_${sql.literal(String(at))} AS (${event}), `)
  const head = sql`WITH ${ofTrace(sql, making.traceparent)}, ${change}, ${sql.join("", false)(recorded)}
      touched AS (${touched}), left_trail AS (${trailing(sql, making, making.now)})`
  const { keyOperatorId: operatorId, digest, fingerprint, claimedUntil } = making
  if (operatorId === undefined || digest === undefined || fingerprint === undefined) return sql`${head} ${outcome}`
  const key = { operatorId, digest, fingerprint, claimedUntil }
  return sql`${head}, outcome AS MATERIALIZED (${outcome}), kept AS (${keeping(sql, key, making.now)})
      SELECT outcome.*, EXISTS (SELECT FROM kept) AS on_record FROM outcome`
}

/** What came of a change; that its key was kept is noted with the call. */
const noted = ({ key }: Actor, rows: ReadonlyArray<object>): ReadonlyArray<object> => {
  const isKept = rows.some((row) => Predicate.hasProperty(row, "on_record") && row.on_record === true)
  if (key !== undefined && isKept) key.progress = "kept"
  return rows
}

/** For a CTE `before`: one row as it is now, locked until the statement is through, so that what it becomes can be compared. */
export const asItIs = (sql: SqlClient, table: string, operatorId: Value<number>, id: Value<number>): Fragment =>
  sql`SELECT * FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = ${id} FOR NO KEY UPDATE`

/** Of a statement that has records as they were in the CTE `before`, and the whole rows as they are now in the CTE `after`. */
export const touchedBetween = (sql: SqlClient, record: string, after = "after"): Fragment => sql`
  SELECT now.operator_id, ${sql.literal(`'${record}:'`)} || now.id AS record,
    changed_fields(to_jsonb(before), to_jsonb(now)) AS fields
  FROM before JOIN ${sql(after)} now ON now.operator_id = before.operator_id AND now.id = before.id`

/** Of a statement that made or deleted the records in a CTE. */
export const touchedIn = (sql: SqlClient, record: string, cte: string): Fragment => sql`
  SELECT operator_id, ${sql.literal(`'${record}:'`)} || id AS record, '{}'::text[] AS fields FROM ${sql(cte)}`
