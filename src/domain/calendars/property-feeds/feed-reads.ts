import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { DateRange } from "../../../contract/date-range.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import type { OperatorScoped } from "../../operator-rows.ts"
import { findSecretUrlOwner } from "../../secret-urls.ts"
import { FeedRow } from "./feed-rows.ts"
import { BusyDaysRow, READ_RECORD_INTERVAL_MS } from "./rules.ts"

// Recording a read writes no audit entry, because an anonymous reader causes it.

export const FeedByTokenRow = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  property_id: Schema.Int,
  calendar_id: Schema.NullOr(Schema.Int),
  house_fields: FeedRow.fields.house_fields,
  door_code_source: FeedRow.fields.door_code_source,
  time_zone: Schema.String
})
export type FeedByTokenRow = typeof FeedByTokenRow.Type

const readFeedByToken = makeOptionalRowReader(FeedByTokenRow)

export const findByToken = (sql: SqlClient) => {
  const findOwner = findSecretUrlOwner(sql)
  return (token: string) =>
    Effect.flatMap(findOwner(token), (owner) =>
      owner === undefined
        ? Effect.undefined
        : readFeedByToken(sql`
          SELECT f.operator_id, f.id, f.property_id, f.calendar_id, f.house_fields, f.door_code_source, operator.time_zone
          FROM property_feeds f JOIN operators operator ON operator.id = f.operator_id
          WHERE f.operator_id = ${owner.operatorId} AND f.id = ${owner.id} AND f.token_digest = ${owner.digest} AND operator.status = 'active'`)
    )
}

interface BusyDaysParameters extends OperatorScoped, DateRange {
  readonly id: number
  /** As in {@link PropertyFeed}. The property's own feed leaves out imported days. */
  readonly calendarId: number | undefined
  readonly today: string
  readonly now: Date
  /** If the last recorded read is older than this time, the next one is recorded even if its days are unchanged. */
  readonly recordedAfter: Date
}

/**
 * Whether the calendar has a booking for this night of the stay of `d`. Its marketplace must not read its own booking. It
 * must read nights that the booking no longer has but the stay still holds, so that it does not sell them again.
 */
const isOwnNightCondition = (sql: SqlClient, calendarId: number): Fragment => sql`EXISTS (
  SELECT FROM calendar_stays link
  JOIN stays s ON s.operator_id = link.operator_id AND s.stay_code = link.reservation_code
  WHERE link.operator_id = d.operator_id AND link.calendar_id = ${calendarId} AND link.state = 'following'
    AND s.id = d.stay_id AND d.day >= link.check_in_date AND d.day < link.check_out_date)`

const readBusyDays = makeOptionalRowReader(BusyDaysRow)

/**
 * The feed for a calendar has the imported days of the other calendars, except:
 *
 * - Days that the calendar blocks itself. Otherwise two marketplaces that both sold a night would repeat it to each
 *   other for ever.
 * - Nights of bookings of the calendar itself.
 * - Days that another calendar only repeats from our feeds (`echo`).
 */
export const findBusyDays = (sql: SqlClient) => {
  const statement = (parameters: BusyDaysParameters) => {
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
              SELECT FROM imported_days own_day WHERE own_day.operator_id = i.operator_id
                AND own_day.calendar_id = ${calendarId} AND own_day.day = i.day AND NOT own_day.echo)
            AND NOT EXISTS (
              SELECT FROM calendar_days stay_day WHERE stay_day.operator_id = i.operator_id
                AND stay_day.property_id = i.property_id AND stay_day.day = i.day AND stay_day.stay_id IS NOT NULL)`
    return sql`
      SELECT p.deactivated_at IS NULL AS is_active, coalesce(stay.days, '{}') AS stay_days,
        coalesce(stay.ids, '{}') AS stay_ids, ARRAY(
          SELECT each.day - ${start}::date FROM (
            SELECT d.day FROM calendar_days d
            WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
              AND d.closed AND d.stay_id IS NULL
            ${importedDays}
          ) each ORDER BY 1
        ) AS unavailable_days,
        (f.told * datemultirange(daterange(${today}::date, NULL)))::text AS reported_days,
        coalesce(f.told_at > ${recordedAfter} AND f.told_at <= ${now}, false) AS is_report_recent
      FROM property_feeds f
      JOIN properties p ON p.operator_id = f.operator_id AND p.id = f.property_id
      CROSS JOIN LATERAL (
        SELECT array_agg(d.day - ${start}::date ORDER BY d.day) AS days, array_agg(d.stay_id ORDER BY d.day) AS ids
        FROM calendar_days d
        WHERE d.operator_id = f.operator_id AND d.property_id = f.property_id AND d.day BETWEEN ${start} AND ${end}
          AND d.stay_id IS NOT NULL ${calendarId === undefined ? sql`` : sql`AND NOT ${isOwnNightCondition(sql, calendarId)}`}
      ) stay
      WHERE f.operator_id = ${operatorId} AND f.id = ${id}`
  }
  return (
    { operator_id: operatorId, id, calendar_id }: Pick<FeedByTokenRow, "operator_id" | "id" | "calendar_id">,
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

export const recordRead =
  (sql: SqlClient) =>
  ({ operatorId, id, busyDays, now }: RecordReadParameters) =>
    Effect.asVoid(
      readNoRows(sql`
        UPDATE property_feeds SET told = ${busyDays}::datemultirange, told_at = ${now}
        WHERE operator_id = ${operatorId} AND id = ${id}`)
    )
