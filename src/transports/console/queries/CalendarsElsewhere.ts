import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { StayProblem } from "../../../domain/calendars/calendar-stays/stay-problem.ts"
import { urlEndingOf } from "../../../domain/calendars/imported-calendars/calendar-url.ts"
import { DoorCodeSource, HouseField } from "../../../domain/calendars/property-feeds/house-calendar/house-calendar.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CALENDARS_SHOWN, HOUSE_CALENDARS_SHOWN } from "../../../platform/limits.ts"
import { CurrentSealer, openOrWarn } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding } from "../../../platform/sealing/sealed-columns.ts"
import { NamedRecord, namedRecordsSql } from "./named-records.ts"

const ImportedCalendarSummary = Schema.Struct({
  id: Schema.Int,
  property_title: Schema.String,
  /** The page shows only the host and the `ending` of the URL. The rest is secret. */
  host: Schema.String,
  /** Null if the URL cannot be decrypted. */
  ending: Schema.NullOr(Schema.String),
  state: Schema.Literals(["new", "ok", "failing"]),
  fetched_at: Schema.NullOr(Schema.String),
  /** Null if the calendar is not fetched automatically. */
  due_at: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  /**
   * Parts of the last version that could not be read. Null if there are none, or if the host accepted this version.
   * `digest` identifies it.
   */
  unreadable: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Schema.String),
  skip_unavailable: Schema.Boolean,
  events: Schema.Literals(["block", "stay"]),
  /** The host's own choice. */
  channel_type: Schema.NullOr(Schema.String),
  stay_problems: Schema.Array(StayProblem),
  busy_days: Schema.Int
})
export type ImportedCalendarSummary = typeof ImportedCalendarSummary.Type

/** The page never shows the URL. */
const HouseCalendarSummary = Schema.Struct({
  id: Schema.Int,
  property_title: Schema.String,
  fields: Schema.Array(HouseField),
  door_code_source: DoorCodeSource,
  created_at: Schema.String
})
export type HouseCalendarSummary = typeof HouseCalendarSummary.Type

const ImportedCalendars = Schema.Struct({
  /** At most {@link CALENDARS_SHOWN}. Failing calendars come first, then those that were read in part. */
  calendars: Schema.Array(ImportedCalendarSummary),
  total: Schema.Int,
  /** At most {@link HOUSE_CALENDARS_SHOWN}, the newest first. */
  house_calendars: Schema.Array(HouseCalendarSummary),
  house_calendar_total: Schema.Int,
  properties: Schema.Array(NamedRecord)
})
export type ImportedCalendarsPage = typeof ImportedCalendars.Type

const ImportedCalendarsRow = Schema.Struct({
  ...ImportedCalendars.fields,
  calendars: Schema.Array(
    Schema.Struct({ ...Struct.omit(ImportedCalendarSummary.fields, ["ending"]), url: Schema.String })
  )
})

const readRow = makeSingleRowReader(ImportedCalendarsRow)

const selectImportedCalendars = (sql: SqlClient.SqlClient, operatorId: number, today: string, offset: number) =>
  sql`
      SELECT (SELECT count(*) FROM imported_calendars WHERE operator_id = ${operatorId}) AS total,
        (SELECT coalesce(jsonb_agg(to_jsonb(row) - 'place' ORDER BY row.place), '[]') FROM (
          SELECT c.id, p.title AS property_title, c.host, c.url, c.state,
            c.fetched_at, CASE WHEN isfinite(c.due_at) THEN c.due_at END AS due_at, c.error,
            CASE WHEN c.accepted_digest IS DISTINCT FROM c.digest THEN c.unreadable END AS unreadable, c.digest,
            c.skip_unavailable, c.events, c.channel_type, c.stay_problems, c.place, (
              SELECT count(*) FROM imported_days d
              WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND d.day >= ${today}::date) AS busy_days
          FROM (
            SELECT *, row_number() OVER (ORDER BY state = 'failing' DESC, error IS NULL, id) AS place
            FROM imported_calendars WHERE operator_id = ${operatorId}
            ORDER BY place LIMIT ${sql.literal(String(CALENDARS_SHOWN))} OFFSET ${offset}
          ) c
          JOIN properties p ON p.operator_id = c.operator_id AND p.id = c.property_id
        ) row) AS calendars,
        (SELECT count(*) FROM property_feeds WHERE operator_id = ${operatorId} AND house_fields IS NOT NULL)
          AS house_calendar_total,
        (SELECT coalesce(jsonb_agg(to_jsonb(row) ORDER BY row.id DESC), '[]') FROM (
          SELECT f.id, p.title AS property_title, f.house_fields AS fields, f.door_code_source, f.created_at
          FROM property_feeds f JOIN properties p ON p.operator_id = f.operator_id AND p.id = f.property_id
          WHERE f.operator_id = ${operatorId} AND f.house_fields IS NOT NULL
          ORDER BY f.id DESC LIMIT ${sql.literal(String(HOUSE_CALENDARS_SHOWN))}
        ) row) AS house_calendars,
        ${namedRecordsSql(sql, "properties", operatorId)} AS properties`

export class CalendarsElsewhere extends Context.Service<CalendarsElsewhere>()(
  "latchkey/transports/console/queries/CalendarsElsewhere",
  {
    make: Effect.gen(function* () {
      const [sql, seals] = [yield* SqlClient.SqlClient, yield* CurrentSealer]
      return {
        /** `today` is a date in the operator's time zone. */
        of: Effect.fnUntraced(function* (today: string, offset: number) {
          const { operatorId } = yield* CurrentCaller
          const { calendars, ...page } = yield* readRow(selectImportedCalendars(sql, operatorId, today, offset))
          const openedCalendars = yield* Effect.forEach(calendars, ({ url, ...calendar }) =>
            Effect.map(openOrWarn(seals, calendarAddressBinding(operatorId, calendar.id), url), (address) => ({
              ...calendar,
              ending: address === undefined ? null : urlEndingOf(address)
            }))
          )
          return { ...page, calendars: openedCalendars }
        })
      }
    })
  }
) {
  static readonly layer = Layer.effect(CalendarsElsewhere, CalendarsElsewhere.make)
}
