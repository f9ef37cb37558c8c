import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { recordChange } from "../../../changes/recorded-change.ts"
import { ValidationFailed } from "../../../contract/errors.ts"
import { genericPlanParameter } from "../../../platform/database/parameters.ts"
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
  /** Encrypted for this `id`, so it cannot be decrypted in another row. */
  readonly url: string
  readonly digest: Uint8Array
  /** Digests of tokens of this service that the URL contains. */
  readonly tokenDigests: ReadonlyArray<string>
  readonly host: string
  /** An existing calendar keeps settings that are undefined. */
  readonly settings: CalendarSettings
  readonly now: Date
}

const readInsertedCalendar = makeSingleRowReader(
  Schema.Struct({
    id: Schema.NullOr(Schema.Int),
    has_property: Schema.Boolean,
    property_calendars: Schema.Int,
    is_own_feed: Schema.Boolean
  })
)

/**
 * The caller must hold the operator's lock, so that concurrent calls cannot exceed the limits. Rejects a feed or share
 * link of the property itself, which would keep its days blocked for ever.
 */
const makeInsertCalendar =
  (sql: SqlClient) =>
  ({ operatorId, id, propertyId, url, digest, tokenDigests, host, settings, now }: InsertCalendarParameters) =>
    readInsertedCalendar(
      recordChange(sql, {
        change: sql`
          existing_calendar AS (
            SELECT operator_id, id FROM imported_calendars
            WHERE operator_id = ${operatorId} AND property_id = ${propertyId} AND url_digest = ${digest}
          ), preconditions AS (
            SELECT ${propertyExistsCondition(sql, operatorId, propertyId)} AS has_property,
              count(*) FILTER (WHERE property_id = ${propertyId}) AS property_calendars, count(*) AS operator_calendars,
              EXISTS (
                SELECT FROM property_feeds
                WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)} AND property_id = ${propertyId}
                  AND encode(token_digest, 'hex') = ANY ((${genericPlanParameter(sql, "text[]", tokenDigests)})::text[])
              ) OR EXISTS (
                SELECT FROM calendar_share_links l
                WHERE l.operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}
                  AND encode(l.token_digest, 'hex') = ANY ((${genericPlanParameter(sql, "text[]", tokenDigests)})::text[])
                  AND (l.scope = 'entire' OR EXISTS (
                    SELECT FROM calendar_share_link_properties p
                    WHERE p.operator_id = l.operator_id AND p.link_id = l.id AND p.property_id = ${propertyId}))
              ) AS is_own_feed
            FROM imported_calendars WHERE operator_id = ${genericPlanParameter(sql, "bigint", operatorId)}
          ), new_calendar AS (
            INSERT INTO imported_calendars
              (operator_id, id, property_id, url, url_digest, host, skip_unavailable, events, channel_type, due_at, created_at)
            OVERRIDING SYSTEM VALUE
            SELECT ${operatorId}, ${id}, ${propertyId}, ${url}, ${digest}, ${host}, ${settings.skipUnavailable ?? false}::boolean,
              ${settings.events ?? "block"}::text, ${settings.channelType ?? null}::text, ${now}, ${now}
            FROM preconditions
            WHERE has_property AND NOT EXISTS (SELECT FROM existing_calendar) AND NOT is_own_feed
              AND property_calendars < ${sql.literal(String(PROPERTY_CALENDARS_MAX))}
              AND operator_calendars < ${sql.literal(String(IMPORTED_CALENDARS_MAX))}
            RETURNING operator_id, id
          ), changed AS (${updateSettingsSql(sql, "existing_calendar", settings, now)})`,
        events: [],
        changedRecords: sql`
          SELECT operator_id, 'imported_calendar:' || id AS record, '{}'::text[] AS fields FROM new_calendar
          UNION ALL ${changedSettingsRecordsSql(sql)}`,
        outcome: sql`
          SELECT coalesce((SELECT id FROM existing_calendar), (SELECT id FROM new_calendar)) AS id, has_property, property_calendars, is_own_feed FROM preconditions`
      })
    )

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
      settings: settings ?? {},
      now
    })
    const { id, has_property, property_calendars, is_own_feed } = yield* runLocked(operatorId, insertion)
    if (id !== null) return { id }
    if (!has_property) return yield* unknownPropertyIdError
    if (is_own_feed) return yield* ownFeedError
    return yield* property_calendars >= PROPERTY_CALENDARS_MAX
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
