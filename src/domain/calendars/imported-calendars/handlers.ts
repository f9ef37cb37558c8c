import { Clock, Effect } from "effect"
import { makeRunLimiter } from "../../../admission/concurrency/run-limit.ts"
import { failIfKeyIsUsed } from "../../../changes/external-action.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import { CurrentCaller } from "../../../contract/caller.ts"
import { Conflict } from "../../../contract/errors.ts"
import { toPage } from "../../../contract/page.ts"
import { dateInZone } from "../../../contract/time.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { BUSY_RETRY_SECONDS, CONCURRENT_MANUAL_FETCHES_MAX } from "../../../platform/limits.ts"
import { CurrentSealer, openOrWarn, type SecretSealer } from "../../../platform/sealing/CurrentSealer.ts"
import { calendarAddressBinding } from "../../../platform/sealing/sealed-columns.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { unknownPropertyIdError } from "../../properties/properties/ownership.ts"
import { OutboundHttp } from "../../webhooks/deliveries/OutboundHttp.ts"
import { CalendarAcceptance } from "./calendar-acceptance.ts"
import type { CalendarSettings } from "./calendar-settings.ts"
import { urlEndingOf } from "./calendar-url.ts"
import {
  type accept_imported_calendar,
  CalendarFetchOutcome,
  type create_imported_calendar,
  type delete_imported_calendar,
  type fetch_imported_calendar,
  ImportedCalendarOperations,
  type list_imported_calendars,
  type update_imported_calendar
} from "./contract.ts"
import { type CalendarFetchReport, ImportedCalendars } from "./ImportedCalendars.ts"
import { ImportedCalendarStore, type ListedCalendarRow } from "./store.ts"

export const layerImportedCalendars = layerOperations(
  Effect.gen(function* () {
    const [store, calendars] = [yield* ImportedCalendarStore, yield* ImportedCalendars]
    const [seals, outbound, wakeUp] = [yield* CurrentSealer, yield* OutboundHttp, yield* WakeUp]
    return handleOperations(ImportedCalendarOperations, {
      list_imported_calendars: listCalendars(store, seals),
      create_imported_calendar: changeHandler(createCalendar(calendars), RowId, ({ id }) => ({
        imported_calendar_id: id
      })),
      update_imported_calendar: voidChangeHandler(updateCalendar(calendars)),
      delete_imported_calendar: voidChangeHandler(deleteCalendar(calendars)),
      fetch_imported_calendar: changeHandler(
        fetchCalendar({ calendars, outbound, wakeUp, keys: yield* IdempotencyKeys }),
        CalendarFetchOutcome,
        (outcome) => outcome
      ),
      accept_imported_calendar: changeHandler(
        acceptCalendar(calendars, wakeUp),
        CalendarAcceptance,
        ({ changed_days }) => ({ changed_days })
      )
    })
  })
)

type Calendars = ImportedCalendars["Service"]

const listCalendars = (store: ImportedCalendarStore["Service"], seals: SecretSealer) =>
  Effect.fnUntraced(function* (payload: typeof list_imported_calendars.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const { property_id: propertyId } = payload
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const { rows, total } = yield* store.search({ operatorId, propertyId, today }, toPage(payload))
    if (total === 0 && propertyId !== undefined && !(yield* store.hasProperty(operatorId, propertyId)))
      return yield* unknownPropertyIdError
    return { imported_calendars: yield* Effect.forEach(rows, toListedCalendar(seals, operatorId)), total }
  })

const toListedCalendar =
  (seals: SecretSealer, operatorId: number) =>
  ({ url, ...calendar }: ListedCalendarRow) =>
    Effect.map(openOrWarn(seals, calendarAddressBinding(operatorId, calendar.id), url), (address) => ({
      ...calendar,
      url_ending: address === undefined ? null : urlEndingOf(address)
    }))

const createCalendar = (calendars: Calendars) =>
  Effect.fnUntraced(function* ({ property_id, url, ...settings }: typeof create_imported_calendar.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    return yield* calendars.add(operatorId, property_id, url, toCalendarSettings(settings))
  })

const toCalendarSettings = ({
  skip_unavailable,
  events,
  channel_type
}: Omit<typeof update_imported_calendar.payloadSchema.Type, "id">): CalendarSettings => ({
  skipUnavailable: skip_unavailable,
  events,
  channelType: channel_type
})

const updateCalendar = (calendars: Calendars) =>
  Effect.fnUntraced(function* ({ id, ...settings }: typeof update_imported_calendar.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    yield* calendars.update(operatorId, id, toCalendarSettings(settings))
  })

const deleteCalendar = (calendars: Calendars) =>
  Effect.fnUntraced(function* ({ id }: typeof delete_imported_calendar.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    yield* calendars.remove(operatorId, id)
  })

const acceptCalendar = (calendars: Calendars, wakeUp: WakeUp["Service"]) =>
  Effect.fnUntraced(function* ({ id, digest }: typeof accept_imported_calendar.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    return yield* Effect.provideService(calendars.accept(operatorId, id, digest), WakeUp, wakeUp)
  })

interface FetchServices {
  readonly calendars: Calendars
  readonly outbound: OutboundHttp["Service"]
  readonly wakeUp: WakeUp["Service"]
  readonly keys: IdempotencyKeys["Service"]
}

const fetchCalendar = ({ calendars, outbound, wakeUp, keys }: FetchServices) => {
  const runWithinLimits = makeRunLimiter({ perOperator: 1, total: CONCURRENT_MANUAL_FETCHES_MAX })
  return Effect.fnUntraced(function* ({ id }: typeof fetch_imported_calendar.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    yield* failIfKeyIsUsed(keys)
    const fetch = calendars
      .fetch(operatorId, id)
      .pipe(Effect.provideService(OutboundHttp, outbound), Effect.provideService(WakeUp, wakeUp))
    const report = yield* runWithinLimits(operatorId, fetch, (limit) =>
      limit === "perOperator" ? fetchInProgressError : fetchLimitError
    )
    return toFetchOutcome(report)
  })
}

const fetchInProgressError = new Conflict({
  message: "id: a calendar of this operator is being fetched; try again afterwards.",
  retryAfter: BUSY_RETRY_SECONDS
})

const fetchLimitError = new Conflict({
  message: "id: too many calendars are being fetched at once; try again later.",
  retryAfter: BUSY_RETRY_SECONDS
})

const toFetchOutcome = ({
  state,
  busy_days,
  changed_days,
  error,
  outcome
}: CalendarFetchReport): CalendarFetchOutcome => ({
  state,
  busy_days: busy_days ?? null,
  changed_days,
  error: error ?? null,
  is_superseded: outcome === "superseded"
})
