import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { insertProperty } from "../../../harness.ts"
import { MINUTE_MS, startCalendarSource } from "../imported-calendars/import-service.ts"
import { prepareStayImport } from "./stay-import.ts"

/** Adds a second calendar of the same channel. Each is fetched on its own, so that a test decides the order. */
export const prepareTwoCalendars = Effect.fnUntraced(function* ({
  isSameProperty
}: {
  readonly isSameProperty: boolean
}) {
  const host = yield* prepareStayImport
  const { as, api, operatorId, calendarId } = host
  const propertyId = isSameProperty ? host.propertyId : yield* insertProperty(operatorId, "Harbour 2")
  const source = yield* startCalendarSource
  const { imported_calendar_id: secondId } = yield* as(
    api.create_imported_calendar({ property_id: propertyId, url: source.makeUrl(), events: "stay" })
  )
  const toCalendar = (id: number, serveCalendar: (text: string) => void) => {
    const fetchNow = Effect.andThen(TestClock.adjust(17 * MINUTE_MS), as(api.fetch_imported_calendar({ id })))
    const serveAndFetch = (feed: string) =>
      Effect.andThen(
        Effect.sync(() => serveCalendar(feed)),
        fetchNow
      )
    const loadProblems = Effect.map(
      as(api.list_imported_calendars({})),
      ({ imported_calendars }) => imported_calendars.find((calendar) => calendar.id === id)?.stay_problems ?? []
    )
    return { id, fetchNow, serveAndFetch, loadProblems }
  }
  return {
    ...host,
    first: toCalendar(calendarId, host.serveCalendar),
    second: toCalendar(secondId, source.serveCalendar)
  }
})
