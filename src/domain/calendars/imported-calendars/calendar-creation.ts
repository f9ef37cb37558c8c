import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { prepareRecordedChange } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { reserveId } from "../../../platform/database/reserved-id.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { IMPORTED_CALENDARS_MAX, PROPERTY_CALENDARS_MAX } from "../../../platform/limits.ts"
import type { SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding } from "../../../platform/sealing/sealed-columns.ts"
import { type OperatorRowId, withOperatorLock } from "../../operator-rows.ts"
import { propertyExistsCondition, unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import { loadReceiverPolicy } from "../../webhooks/deliveries/receiver-url.ts"
import { type CalendarSettings, changedSettingsRecordsSql, updateSettingsSql } from "./calendar-settings.ts"
import { digestOfUrl, hostOf, parseCalendarUrl, tokenDigestsIn } from "./calendar-url.ts"

interface InsertCalendarParameters extends OperatorRowId {
  readonly propertyId: number
  /** As it is kept: sealed to the id. */
  readonly url: string
  readonly digest: Uint8Array
  /** Digests of tokens of this service in it. */
  readonly tokenDigests: ReadonlyArray<string>
  readonly host: string
  /** Undefined: no, and a calendar that is there already keeps its own. */
  readonly skipUnavailable: boolean | undefined
  readonly now: Date
}

const readInsertedCalendar = makeSingleRowReader(
  Schema.Struct({
    id: Schema.NullOr(Schema.Int),
    has_property: Schema.Boolean,
    of_property: Schema.Int,
    is_own: Schema.Boolean
  })
)

/**
 * Adds a calendar, or finds it. The caller holds the operator's lock, so that no other calendar is added meanwhile. An address of ours
 * that says what is busy in the property is refused: the property would block its own days for ever.
 */
const makeInsertCalendar = (sql: SqlClient) => {
  const statement = prepareRecordedChange(sql, (parameters: Givens<InsertCalendarParameters>) => {
    const { operatorId, id, propertyId, url, digest, tokenDigests, host, skipUnavailable, now } = parameters
    return {
      change: sql`
      known AS (
        SELECT operator_id, id FROM imported_calendars
        WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND url_digest = ${digest}
      ), room AS (
        SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS has_property,
          count(*) FILTER (WHERE property_id = ${propertyId}) AS of_property, count(*) AS of_operator,
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
        SELECT ${operatorId}, ${id}, ${propertyId}, ${url}, ${digest}, ${host}, ${skipUnavailable ?? false}::boolean, ${now}, ${now}
        FROM room
        WHERE has_property AND NOT EXISTS (SELECT FROM known) AND NOT is_own
          AND of_property < ${sql.literal(String(PROPERTY_CALENDARS_MAX))}
          AND of_operator < ${sql.literal(String(IMPORTED_CALENDARS_MAX))}
        RETURNING operator_id, id
      ), changed AS (${
        skipUnavailable === undefined
          ? sql`SELECT operator_id, id FROM known WHERE false`
          : updateSettingsSql(sql, "known", { skipUnavailable, now })
      })`,
      events: [],
      changedRecords: sql`
      SELECT operator_id, 'imported_calendar:' || id AS record, '{}'::text[] AS fields FROM made
      UNION ALL ${changedSettingsRecordsSql(sql)}`,
      outcome: sql`
      SELECT coalesce((SELECT id FROM known), (SELECT id FROM made)) AS id, has_property, of_property, is_own FROM room`
    }
  })
  return (calendar: InsertCalendarParameters) => readInsertedCalendar(statement(calendar))
}

/** Imports the calendar at an address from now on. Returns its id. The same address for the same property is the same calendar. */
export const makeAddCalendar = (sql: SqlClient, { seal }: SecretSealer) => {
  const insertCalendar = makeInsertCalendar(sql)
  const runLocked = withOperatorLock(sql)
  return Effect.fnUntraced(function* (
    operatorId: number,
    propertyId: number,
    urlText: string,
    settings: CalendarSettings | undefined
  ) {
    const url = yield* Effect.fromResult(parseCalendarUrl(urlText, yield* loadReceiverPolicy))
    const now = yield* DateTime.nowAsDate
    const newId = yield* reserveId(sql, "imported_calendars")
    const insertion = insertCalendar({
      operatorId,
      id: newId,
      propertyId,
      url: seal(calendarAddressBinding(operatorId, newId), url),
      digest: digestOfUrl(url),
      tokenDigests: tokenDigestsIn(url),
      host: hostOf(url),
      skipUnavailable: settings?.skipUnavailable,
      now
    })
    const { id, has_property, of_property, is_own } = yield* runLocked(operatorId, insertion)
    if (id !== null) return { id }
    if (!has_property) return yield* unknownPropertyIdError
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
  message: `property_id: already imports ${PROPERTY_CALENDARS_MAX} calendars, the maximum; remove one first.`
})
const tooManyCalendarsOfOperatorError = new ValidationFailed({
  message: `property_id: its operator already imports ${IMPORTED_CALENDARS_MAX} calendars, the maximum; remove one first.`
})
