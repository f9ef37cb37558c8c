import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { DateRange } from "../../../contract/date-range.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { findSecretUrlOwner, type SecretUrlOwner } from "../../secret-urls.ts"
import { BusyDaysRow, READ_RECORD_INTERVAL_MS } from "./rules.ts"

// What the holder of an address reads, and what is written down of it. That is no change of a record: it notes what a stranger has read.

export const FeedByTokenRow = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  time_zone: Schema.String
})
export type FeedByTokenRow = typeof FeedByTokenRow.Type

const readFeedByToken = makeOptionalRowReader(FeedByTokenRow)

/** The feed that has a token; undefined when there is none, or the account behind it is banned or closed. */
export const findByToken = (sql: SqlClient) => {
  const findOwner = findSecretUrlOwner(sql)
  const statement = inForms(
    sql,
    ({ operatorId, id, digest }: Givens<SecretUrlOwner>) => sql`
      SELECT f.operator_id, f.id, f.property_id, f.calendar_id, operator.time_zone
      FROM property_feeds f JOIN operators operator ON operator.id = f.operator_id
      WHERE f.operator_id = ${operatorId} AND f.id = ${id} AND f.token_digest = ${digest} AND operator.status = 'active'`
  )
  return (token: string) =>
    Effect.flatMap(findOwner(token), (owner) =>
      owner === undefined ? Effect.undefined : readFeedByToken(statement(owner))
    )
}

interface BusyDaysParameters extends OperatorScoped, DateRange {
  readonly id: number
  /** Undefined where the feed is the property's own, which has nothing that was imported. */
  readonly calendarId: number | undefined
  readonly today: string
  readonly now: Date
  /** Told before that, it is written down again. */
  readonly recordedAfter: Date
}

const readBusyDays = makeOptionalRowReader(BusyDaysRow)

/**
 * What is busy in a feed. The source of a calendar hears what the others say, never what it said itself, and of nobody what
 * that only repeats. Nor does it hear from others what it says as well: two that have both sold a night would each repeat it
 * for the other's sake, also when both have given it up. Undefined when the feed is gone meanwhile.
 */
export const findBusyDays = (sql: SqlClient) => {
  const statement = inForms(sql, (parameters: Givens<BusyDaysParameters>) => {
    const { operatorId, id, calendarId, start, end, today, now, recordedAfter } = parameters
    const importedDays =
      calendarId === undefined
        ? sql``
        : sql`
          UNION SELECT i.day FROM imported_days i
          WHERE i.operator_id = f.operator_id AND i.property_id = f.property_id AND i.day BETWEEN ${start} AND ${end}
            AND NOT i.echo AND i.calendar_id <> ${calendarId}
            AND i.calendar_id <= coalesce(f.last_calendar_id, i.calendar_id)
            AND NOT EXISTS (
              SELECT FROM imported_days own WHERE own.operator_id = i.operator_id
                AND own.calendar_id = ${calendarId} AND own.day = i.day AND NOT own.echo)
            AND NOT EXISTS (
              SELECT FROM calendar_days held WHERE held.operator_id = i.operator_id
                AND held.property_id = i.property_id AND held.day = i.day AND held.stay_id IS NOT NULL)`
    return sql`
      SELECT p.deactivated_at IS NULL AS is_let, coalesce(stays.held, '{}') AS held,
        coalesce(stays.holders, '{}') AS holders, ARRAY(
          SELECT each.day - ${start}::date FROM (
            SELECT d.day FROM calendar_days d
            WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
              AND d.closed AND d.stay_id IS NULL
            ${importedDays}
          ) each ORDER BY 1
        ) AS closed,
        (f.told * datemultirange(daterange(${today}::date, NULL)))::text AS told,
        coalesce(f.told_at > ${recordedAfter} AND f.told_at <= ${now}, false) AS told_lately
      FROM property_feeds f
      JOIN properties p ON p.operator_id = f.operator_id AND p.id = f.property_id
      CROSS JOIN LATERAL (
        SELECT array_agg(d.day - ${start}::date ORDER BY d.day) AS held, array_agg(d.stay_id ORDER BY d.day) AS holders
        FROM calendar_days d
        WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
          AND d.stay_id IS NOT NULL
      ) stays
      WHERE f.operator_id = ${operatorId} AND f.id = ${id}`
  })
  return (
    { operator_id: operatorId, id, calendar_id }: FeedByTokenRow,
    today: string,
    { start, end }: DateRange,
    now: Date
  ) => {
    const recordedAfter = new Date(now.getTime() - READ_RECORD_INTERVAL_MS)
    const calendarId = calendar_id ?? undefined
    return readBusyDays(statement({ operatorId, id, calendarId, start, end, today, now, recordedAfter }))
  }
}

const readNoRows = makeRowsReader(Schema.Struct({}))

export interface RecordReadParameters extends OperatorScoped {
  readonly id: number
  readonly busyDays: string
  readonly now: Date
}

/** Writes down what is told to whoever reads the feed now. */
export const recordRead = (sql: SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, busyDays, now }: Givens<RecordReadParameters>) => sql`
      UPDATE property_feeds SET told = ${busyDays}::datemultirange, told_at = ${now}
      WHERE operator_id = ${operatorId} AND id = ${id}`
  )
  return ({ operatorId, id, busyDays, now }: RecordReadParameters) =>
    Effect.asVoid(readNoRows(statement({ operatorId, id, busyDays, now })))
}
