import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Conflict, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import type { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import { makeOptionalRowReader, makeRowsReader, makeSingleRowReader } from "../../../platform/database/rows.ts"
import { IMPORTED_CALENDARS_MAX, PROPERTY_CALENDARS_MAX } from "../../../platform/limits.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding, feedTokenBinding } from "../../../platform/sealing/sealed-columns.ts"
import { withOperatorLock } from "../../operator-rows.ts"
import type { OutboundHttp } from "../../webhooks/deliveries/OutboundHttp.ts"
import { loadReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { CalendarQueue } from "./CalendarQueue.ts"
import { acceptCalendar, type CalendarAcceptance } from "./calendar-acceptance.ts"
import { type CalendarSettings, changeCalendarSettings } from "./calendar-settings.ts"
import { digestOfUrl, hostOf, parseCalendarUrl, tokenDigestsIn } from "./calendar-url.ts"
import { FeedReader } from "./FeedReader.ts"
import { type CalendarFetchResult, fetchCalendarNow, importHorizonOf } from "./import-worker.ts"
import { CalendarState, type ImportedCalendar, ImportedCalendarRow, noSuchCalendar } from "./imported-calendar.ts"

/** Which calendars are meant; what is undefined does not narrow it. */
export interface ImportedCalendarFilter {
  readonly operatorId: number | undefined
  readonly propertyId: number | undefined
}

/** Which calendar it is, and of which property of whom. */
export interface AddedCalendar {
  readonly calendar_id: number
  readonly operator_id: number
  readonly property_id: number
}

/** What came of a fetch, and how the calendar stands after it. */
export interface CalendarFetchReport extends CalendarFetchResult {
  readonly state: ImportedCalendar["state"]
}

/** Calendars of elsewhere that close days here. Each change is in the trail. */
export class ImportedCalendars extends Context.Service<
  ImportedCalendars,
  {
    /**
     * Follows the calendar at an address from now on. The same address for the same property is the same calendar. Without
     * `settings`, that calendar keeps its own.
     */
    readonly add: (
      propertyId: number,
      url: string,
      settings?: CalendarSettings
    ) => Effect.Effect<AddedCalendar, NotFound | ValidationFailed, CurrentActor>
    /** Changes the settings of a calendar, whose feed is then read again. */
    readonly update: (id: number, settings: CalendarSettings) => Effect.Effect<void, NotFound, CurrentActor>
    /**
     * Accepts the last feed with unreadable parts as it was read: unblocks the days that were kept. `seen` is the digest of the
     * feed that the host saw. Without it, the last feed is accepted, whichever that is.
     */
    readonly accept: (
      id: number,
      seenDigest?: string
    ) => Effect.Effect<CalendarAcceptance, NotFound | Conflict, CurrentActor | WakeUp>
    /** The first `most` that are wanted, by their ids. */
    readonly list: (filter: ImportedCalendarFilter, limit: number) => Effect.Effect<ReadonlyArray<ImportedCalendar>>
    /** Follows a calendar no more: what only it closed is open again. */
    readonly remove: (id: number) => Effect.Effect<void, NotFound | Conflict, CurrentActor>
    /** Fetches a calendar now; where another fetch of it is begun meanwhile, answers how it stands. */
    readonly fetch: (id: number) => Effect.Effect<CalendarFetchReport, NotFound, CurrentActor | OutboundHttp | WakeUp>
  }
>()("latchkey/domain/calendars/imported-calendars/ImportedCalendars") {
  static readonly layer = Layer.effect(
    ImportedCalendars,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [queue, seals] = [yield* CalendarQueue, yield* CurrentSealer]
      return ImportedCalendars.of({
        add: makeAdd(sql, seals),
        list: makeList(sql, seals),
        update: makeUpdate(sql),
        accept: acceptCalendar(queue),
        remove: makeRemove(queue),
        fetch: makeFetch(sql, queue, yield* FeedReader)
      })
    })
  ).pipe(Layer.provide([CalendarQueue.layer, FeedReader.layer]))
}

const readOwner = makeOptionalRowReader(Schema.Struct({ operator_id: Schema.Int }))

interface PropertyParameters {
  readonly propertyId: number
}

const makeFindPropertyOwner = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ propertyId }: Givens<PropertyParameters>) => sql`SELECT operator_id FROM properties WHERE id = ${propertyId}`
  )
  return (propertyId: number) => readOwner(statement({ propertyId }))
}

interface InsertCalendarParameters extends PropertyParameters {
  readonly operatorId: number
  /** To which the address is sealed. */
  readonly id: number
  /** As it is kept. */
  readonly url: string
  readonly digest: Uint8Array
  /** Digests of tokens of this service in it. */
  readonly tokenDigests: ReadonlyArray<string>
  readonly host: string
  readonly skipUnavailable: boolean
  readonly now: Date
}

const readInsertedCalendar = makeSingleRowReader(
  Schema.Struct({
    id: Schema.NullOr(Schema.Int),
    of_property: Schema.Int,
    of_operator: Schema.Int,
    is_own: Schema.Boolean
  })
)

/**
 * Adds a calendar, or finds it; in the operator's turn, so that no other is added meanwhile. An address of ours that tells what
 * is busy in the property is none to follow: it would hold its own days shut for ever.
 */
const makeInsertCalendar = (sql: SqlClient.SqlClient) => {
  const statement = prepareRecordedChange(
    sql,
    ({
      operatorId,
      id,
      propertyId,
      url,
      digest,
      tokenDigests,
      host,
      skipUnavailable,
      now
    }: Givens<InsertCalendarParameters>) => ({
      change: sql`
      known AS (
        SELECT id FROM imported_calendars
        WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND url_digest = ${digest}
      ), room AS (
        SELECT count(*) FILTER (WHERE property_id = ${propertyId}) AS of_property, count(*) AS of_operator,
          EXISTS (
            SELECT FROM property_feeds
            WHERE operator_id = ${operatorId} AND property_id = ${propertyId}
              AND encode(token_digest, 'hex') = ANY (${tokenDigests}::text[])
          ) OR EXISTS (
            SELECT FROM calendar_share_links l
            WHERE l.operator_id = ${operatorId} AND encode(l.token_digest, 'hex') = ANY (${tokenDigests}::text[])
              AND (l.scope = 'entire' OR EXISTS (
                SELECT FROM calendar_share_link_properties p
                WHERE p.operator_id = l.operator_id AND p.link_id = l.id AND p.property_id = ${propertyId}))
          ) AS is_own
        FROM imported_calendars WHERE operator_id = ${operatorId}
      ), made AS (
        INSERT INTO imported_calendars
          (operator_id, id, property_id, url, url_digest, host, skip_unavailable, due_at, created_at)
        OVERRIDING SYSTEM VALUE
        SELECT ${operatorId}, ${id}, ${propertyId}, ${url}, ${digest}, ${host}, ${skipUnavailable}::boolean, ${now}, ${now} FROM room
        WHERE NOT EXISTS (SELECT FROM known) AND NOT is_own
          AND of_property < ${sql.literal(String(PROPERTY_CALENDARS_MAX))}
          AND of_operator < ${sql.literal(String(IMPORTED_CALENDARS_MAX))}
        RETURNING operator_id, id
      )`,
      events: [],
      changedRecords: sql`SELECT operator_id, 'imported_calendar:' || id AS record, '{}'::text[] AS fields FROM made`,
      outcome: sql`
      SELECT coalesce((SELECT id FROM known), (SELECT id FROM made)) AS id, of_property, of_operator, is_own FROM room`
    })
  )
  return (calendar: InsertCalendarParameters) => readInsertedCalendar(statement(calendar))
}

const makeAdd = (sql: SqlClient.SqlClient, { seal }: SecretSealer): ImportedCalendars["Service"]["add"] => {
  const findPropertyOwner = makeFindPropertyOwner(sql)
  const insertCalendar = makeInsertCalendar(sql)
  const runLocked = withOperatorLock(sql)
  const applySettings = changeCalendarSettings(sql)
  return Effect.fnUntraced(function* (propertyId, urlText, settings) {
    const url = yield* Effect.fromResult(parseCalendarUrl(urlText, yield* loadReceiverPolicy))
    const property = yield* findPropertyOwner(propertyId)
    if (property === undefined) return yield* new NotFound({ message: `property: there is no property ${propertyId}.` })
    const operatorId = property.operator_id
    const now = yield* DateTime.nowAsDate
    const newId = yield* reserveId(sql, "imported_calendars")
    const { id, of_property, is_own } = yield* runLocked(
      operatorId,
      insertCalendar({
        operatorId,
        propertyId,
        id: newId,
        url: seal(calendarAddressBinding(operatorId, newId), url),
        digest: digestOfUrl(url),
        tokenDigests: tokenDigestsIn(url),
        host: hostOf(url),
        skipUnavailable: settings?.skipUnavailable ?? false,
        now
      })
    )
    // The property may follow the calendar already, with other settings.
    if (id !== null && settings !== undefined) yield* applySettings(id, settings, now)
    if (id !== null) return { calendar_id: id, operator_id: operatorId, property_id: propertyId }
    if (is_own) return yield* ownFeedError
    return yield* of_property >= PROPERTY_CALENDARS_MAX
      ? tooManyCalendarsOfPropertyError
      : tooManyCalendarsOfOperatorError
  })
}

const ownFeedError = new ValidationFailed({
  message: "url: must not be this property's own feed, which would keep its days blocked for ever."
})
const tooManyCalendarsOfPropertyError = new ValidationFailed({
  message: `property: already imports ${PROPERTY_CALENDARS_MAX} calendars, the maximum; remove one first.`
})
const tooManyCalendarsOfOperatorError = new ValidationFailed({
  message: `property: its operator already imports ${IMPORTED_CALENDARS_MAX} calendars, the maximum; remove one first.`
})

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

const makeList = (sql: SqlClient.SqlClient, seals: SecretSealer): ImportedCalendars["Service"]["list"] => {
  const statement = inForms(
    sql,
    ({ operatorId, propertyId, most }: Givens<ImportedCalendarFilter & { readonly most: number }>) => sql`
      SELECT c.id AS calendar_id, c.operator_id, c.property_id, c.url, c.state, c.fetched_at, c.error, c.skip_unavailable,
        f.id AS feed_id, f.token AS feed_token
      FROM imported_calendars c
      LEFT JOIN property_feeds f
        ON f.operator_id = c.operator_id AND f.property_id = c.property_id AND f.calendar_id = c.id
      WHERE ${operatorId === undefined ? sql`true` : sql`c.operator_id = ${operatorId}`}
        AND ${propertyId === undefined ? sql`true` : sql`c.property_id = ${propertyId}`}
      ORDER BY c.id LIMIT ${most}`
  )
  return (filter, limit) =>
    Effect.flatMap(readCalendarRows(statement({ ...filter, most: limit })), Effect.forEach(toImportedCalendar(seals)))
}

const concurrentFetchError = new Conflict({ message: "The calendar was fetched at the same time; try again." })

const makeUpdate = (sql: SqlClient.SqlClient): ImportedCalendars["Service"]["update"] => {
  const applySettings = changeCalendarSettings(sql)
  return Effect.fnUntraced(function* (id, settings) {
    const changed = yield* applySettings(id, settings, yield* DateTime.nowAsDate)
    if (changed === undefined) return yield* noSuchCalendar(id)
  })
}

const makeRemove = (queue: CalendarQueue["Service"]): ImportedCalendars["Service"]["remove"] =>
  Effect.fnUntraced(function* (id) {
    const now = yield* DateTime.nowAsDate
    const calendar = yield* queue.takeOne(id, now)
    if (calendar === undefined) return yield* noSuchCalendar(id)
    const removed = yield* queue.remove(calendar, importHorizonOf(calendar, now.getTime()).first, now)
    if (removed === undefined) return yield* concurrentFetchError
  })

const readStatus = makeOptionalRowReader(
  Schema.Struct({ state: CalendarState, error: Schema.NullOr(Schema.String), busy_days: Schema.Int })
)

/** How a calendar stands, and how many days from one on it says are busy. */
const makeFindStatus = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ operatorId, id, first }: Givens<{ operatorId: number; id: number; first: string }>) => sql`
      SELECT c.state, c.error, (
        SELECT count(*) FROM imported_days d
        WHERE d.operator_id = c.operator_id AND d.calendar_id = c.id AND d.day >= ${first}::date) AS busy_days
      FROM imported_calendars c WHERE c.operator_id = ${operatorId} AND c.id = ${id}`
  )
  return (operatorId: number, id: number, first: string) => readStatus(statement({ operatorId, id, first }))
}

const makeFetch = (
  sql: SqlClient.SqlClient,
  queue: CalendarQueue["Service"],
  reader: FeedReader["Service"]
): ImportedCalendars["Service"]["fetch"] => {
  const findStatus = makeFindStatus(sql)
  return Effect.fnUntraced(function* (id) {
    const now = yield* DateTime.nowAsDate
    const calendar = yield* queue.takeOne(id, now)
    if (calendar === undefined) return yield* noSuchCalendar(id)
    const result = yield* fetchCalendarNow(calendar).pipe(
      Effect.provideService(CalendarQueue, queue),
      Effect.provideService(FeedReader, reader)
    )
    if (result.outcome !== "overtaken") return { ...result, state: result.outcome === "failed" ? "failing" : "ok" }
    const currentStatus = yield* findStatus(calendar.operator_id, id, importHorizonOf(calendar, now.getTime()).first)
    if (currentStatus === undefined) return yield* noSuchCalendar(id)
    return { ...result, ...currentStatus, error: currentStatus.error ?? undefined }
  })
}
