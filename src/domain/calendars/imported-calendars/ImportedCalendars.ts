import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type Conflict, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import type { WakeUp } from "../../../jobs/WakeUp.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../../platform/database/rows.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding, feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { readRowId } from "../../operator-rows.ts"
import type { OutboundHttp } from "../../webhooks/deliveries/OutboundHttp.ts"
import { CalendarStays } from "../calendar-stays/CalendarStays.ts"
import { CalendarQueue } from "./CalendarQueue.ts"
import { type CalendarAcceptance, makeAcceptCalendar } from "./calendar-acceptance.ts"
import { makeAddCalendar } from "./calendar-creation.ts"
import { type CalendarFetchResult, fetchCalendarNow, importHorizonOf } from "./calendar-jobs.ts"
import { changeWithCalendarLock, toLockedCalendarKey } from "./calendar-lock.ts"
import { type CalendarSettings, changeCalendarSettings } from "./calendar-settings.ts"
import { removeCalendarChange } from "./completion-statements.ts"
import { FeedReader } from "./FeedReader.ts"
import {
  CalendarState,
  calendarNotFoundError,
  type ImportedCalendar,
  ImportedCalendarRow
} from "./imported-calendar.ts"

const makeRemoveCalendar = (sql: SqlClient.SqlClient) => {
  const changeLocked = changeWithCalendarLock(sql)
  return Effect.fnUntraced(function* (operatorId: number, id: number) {
    const now = yield* DateTime.nowAsDate
    const removal = changeLocked(operatorId, id, (calendar) =>
      recordChange(sql, removeCalendarChange(sql, toLockedCalendarKey(calendar, now)))
    )
    const removedCalendar = yield* readRowId(Effect.map(removal, (rows) => rows ?? []))
    if (removedCalendar === undefined) return yield* calendarNotFoundError
  })
}

interface ImportedCalendarFilter {
  readonly operatorId: number | undefined
  readonly propertyId: number | undefined
}

export interface CalendarFetchReport extends CalendarFetchResult {
  readonly state: ImportedCalendar["state"]
}

export class ImportedCalendars extends Context.Service<
  ImportedCalendars,
  {
    /**
     * If the property imports this URL already, returns the existing calendar. Without `settings`, that calendar keeps
     * its settings.
     */
    readonly add: (
      operatorId: number,
      propertyId: number,
      url: string,
      settings?: CalendarSettings
    ) => Effect.Effect<{ readonly id: number }, NotFound | ValidationFailed, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      settings: CalendarSettings
    ) => Effect.Effect<void, NotFound, CurrentActor>
    /**
     * Accepts the last feed despite its unreadable parts, and unblocks the days that it no longer contains.
     * `seenDigest` identifies the feed that the host saw.
     */
    readonly accept: (
      operatorId: number,
      id: number,
      seenDigest: string
    ) => Effect.Effect<CalendarAcceptance, NotFound | Conflict, CurrentActor | WakeUp>
    /** Sorted by id. */
    readonly list: (filter: ImportedCalendarFilter, limit: number) => Effect.Effect<ReadonlyArray<ImportedCalendar>>
    /** Searches all operators, for the administrator. */
    readonly findOwner: (id: number) => Effect.Effect<CalendarOwner, NotFound>
    /** Unblocks the days that only this calendar blocked. */
    readonly remove: (operatorId: number, id: number) => Effect.Effect<void, NotFound, CurrentActor>
    /** Fetches the calendar now. Returns the stored status if another fetch supersedes this one. */
    readonly fetch: (
      operatorId: number,
      id: number
    ) => Effect.Effect<CalendarFetchReport, NotFound, CurrentActor | OutboundHttp | WakeUp>
  }
>()("latchkey/domain/calendars/imported-calendars/ImportedCalendars") {
  static readonly layer = Layer.effect(
    ImportedCalendars,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [queue, seals] = [yield* CalendarQueue, yield* CurrentSealer]
      return ImportedCalendars.of({
        add: makeAddCalendar(sql, seals),
        list: makeList(sql, seals),
        findOwner: makeFindOwner(sql),
        update: makeUpdate(sql),
        accept: makeAcceptCalendar(sql),
        remove: makeRemoveCalendar(sql),
        fetch: makeFetch(sql, queue, yield* FeedReader, yield* CalendarStays)
      })
    })
  ).pipe(Layer.provide([CalendarQueue.layer, CalendarStays.layer, FeedReader.layer]))
}

const readCalendarRows = makeRowsReader(ImportedCalendarRow)

const toImportedCalendar = (seals: SecretSealer) =>
  Effect.fnUntraced(function* ({ feed_id, feed_token, ...calendar }: ImportedCalendarRow) {
    const { operator_id, calendar_id } = calendar
    const url = yield* openOrWarn(seals, calendarAddressBinding(operator_id, calendar_id), calendar.url)
    const hasFeed = feed_token !== null && feed_id !== null
    const feed = hasFeed
      ? { token: yield* openOrWarn(seals, feedTokenBinding(operator_id, feed_id), feed_token) }
      : undefined
    const importedCalendar: ImportedCalendar = { ...calendar, url: url ?? null, feed }
    return importedCalendar
  })

const makeList =
  (sql: SqlClient.SqlClient, seals: SecretSealer): ImportedCalendars["Service"]["list"] =>
  ({ operatorId, propertyId }, limit) =>
    Effect.flatMap(
      readCalendarRows(sql`
      SELECT c.id AS calendar_id, c.operator_id, c.property_id, c.url, c.state, c.fetched_at, c.error, c.skip_unavailable,
        c.events, f.id AS feed_id, f.token AS feed_token
      FROM imported_calendars c
      LEFT JOIN property_feeds f
        ON f.operator_id = c.operator_id AND f.property_id = c.property_id AND f.calendar_id = c.id AND f.grant_id IS NULL
      WHERE ${operatorId === undefined ? sql`true` : sql`c.operator_id = ${operatorId}`}
        AND ${propertyId === undefined ? sql`true` : sql`c.property_id = ${propertyId}`}
      ORDER BY c.id LIMIT ${limit}`),
      Effect.forEach(toImportedCalendar(seals))
    )

const CalendarOwner = Schema.Struct({ operator_id: Schema.Int, property_id: Schema.Int })
type CalendarOwner = typeof CalendarOwner.Type
const readOwner = makeOptionalRowReader(CalendarOwner)

const makeFindOwner = (sql: SqlClient.SqlClient): ImportedCalendars["Service"]["findOwner"] =>
  Effect.fnUntraced(function* (id) {
    return (
      (yield* readOwner(sql`
        SELECT operator_id, property_id FROM imported_calendars WHERE id = ${id}`)) ??
      (yield* new NotFound({ message: `id: there is no calendar ${id}.` }))
    )
  })

const makeUpdate = (sql: SqlClient.SqlClient): ImportedCalendars["Service"]["update"] => {
  const changeSettings = changeCalendarSettings(sql)
  return Effect.fnUntraced(function* (operatorId, id, settings) {
    const calendar = yield* changeSettings(operatorId, id, settings, yield* DateTime.nowAsDate)
    if (calendar === undefined) return yield* calendarNotFoundError
  })
}

const readStatus = makeOptionalRowReader(
  Schema.Struct({ state: CalendarState, error: Schema.NullOr(Schema.String), busy_days: Schema.Int })
)

const makeFindStatus = (sql: SqlClient.SqlClient) => (operatorId: number, id: number, first: string) =>
  readStatus(sql`
      SELECT c.state, c.error, (
        SELECT count(*) FROM imported_days d
        WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND d.day >= ${first}::date) AS busy_days
      FROM imported_calendars c WHERE c.operator_id = ${operatorId} AND c.id = ${id}`)

const makeFetch = (
  sql: SqlClient.SqlClient,
  queue: CalendarQueue["Service"],
  reader: FeedReader["Service"],
  stays: CalendarStays["Service"]
): ImportedCalendars["Service"]["fetch"] => {
  const findStatus = makeFindStatus(sql)
  return Effect.fnUntraced(function* (operatorId, id) {
    const calendar = yield* queue.find(operatorId, id)
    if (calendar === undefined) return yield* calendarNotFoundError
    const result = yield* fetchCalendarNow(calendar).pipe(
      Effect.provideService(CalendarQueue, queue),
      Effect.provideService(FeedReader, reader),
      Effect.provideService(CalendarStays, stays)
    )
    if (result.outcome !== "superseded") return { ...result, state: result.outcome === "failed" ? "failing" : "ok" }
    const { first } = importHorizonOf(calendar, yield* Clock.currentTimeMillis)
    const currentStatus = yield* findStatus(operatorId, id, first)
    if (currentStatus === undefined) return yield* calendarNotFoundError
    return { ...result, ...currentStatus, error: currentStatus.error ?? undefined }
  })
}
