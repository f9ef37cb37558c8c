import { Clock, Effect } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { MONTH_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { DaysBefore } from "../queries/DaysBefore.ts"
import { Month, type MonthView } from "../queries/Month.ts"
import { StayMoves } from "../queries/StayMoves.ts"
import { CALENDAR_SCRIPT } from "../scripts.ts"
import { parseRecordId, type SignedInVisit } from "../visit.ts"
import { makeBlockActions } from "./calendar/block-actions.ts"
import { filterForm, isFiltered, readPropertyFilter, withoutFilterUrl } from "./calendar/calendar-filter.ts"
import { calendarGrid } from "./calendar/calendar-grid.ts"
import { calendarLegend } from "./calendar/calendar-legend.ts"
import { type CalendarWindow, readWindow, windowLinks } from "./calendar/calendar-window.ts"
import { makeMoveActions } from "./calendar/move-actions.ts"
import { makePriceActions } from "./calendar/price-actions.ts"
import { BOOK_ACTION, moveForm, selectionForm } from "./calendar/selection-form.ts"
import { type FailedSubmission, type HostAction, makeActionError, makeHostPage } from "./host-page.ts"
import { buttonLink, formatDayRange, link, pagination, readOffsetParam } from "./page-parts.ts"
import { emptyAccountNote } from "./start/empty-account-note.ts"
import { CALENDAR_PATH, newReservationUrl } from "./urls.ts"

export const makeCalendarPage = Effect.gen(function* () {
  const [month, service] = [yield* Month, yield* Service]
  const [daysBefore, stayMoves] = [yield* DaysBefore, yield* StayMoves]
  return makeHostPage({
    path: CALENDAR_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
        const shown = readWindow(visit, today)
        const view = yield* month.of(shown, readOffsetParam(visit), readPropertyFilter(visit))
        return {
          title: "Calendar",
          isWide: true,
          scriptPath: CALENDAR_SCRIPT.path,
          primaryAction: buttonLink(newReservationUrl(), "New reservation"),
          body: renderCalendar(visit, { view, shown, today, failedSubmission })
        }
      }),
    actions: {
      ...makeBlockActions(service, daysBefore),
      ...makePriceActions(service, daysBefore),
      ...makeMoveActions(service, stayMoves),
      [BOOK_ACTION]: bookAction
    }
  })
})

interface CalendarContext {
  readonly view: MonthView
  readonly shown: CalendarWindow
  readonly today: string
  readonly failedSubmission: FailedSubmission | undefined
}

const renderCalendar = (visit: SignedInVisit, { view, shown, today, failedSubmission }: CalendarContext): Html => {
  const { properties, unassigned, total, more } = view
  const pages = pagination(visit, { offset: readOffsetParam(visit), limit: MONTH_PROPERTIES_MAX, total })
  return html`<div class="calendar-head">${windowLinks(visit, shown)}<p class="soft">${formatDayRange(shown.first, shown.last)}</p>${filterForm(visit, view)}</div>
${properties.length === 0 ? emptyText(visit) : nothing}${calendarGrid(properties, unassigned, { ...shown, today })}
${pages}${calendarLegend(properties, unassigned)}
${more ? html`<p class="message note">More reservations exist than are shown. Show fewer days.</p>` : nothing}
${properties.length === 0 ? nothing : html`${selectionForm(visit, { properties, today, failedSubmission })}${moveForm(visit)}${HELP}`}`
}

const emptyText = (visit: SignedInVisit): Html =>
  isFiltered(readPropertyFilter(visit))
    ? html`<p class="empty">No properties match. ${link(withoutFilterUrl(visit), "Show all properties")}</p>
`
    : emptyAccountNote

/** The page's script shows the text, because it is about what the script adds. */
const HELP = html`<p class="soft calendar-help" hidden>Select days by dragging, or with the arrow keys, Shift and Space. On a touch screen, tap the first and the last day. Drag a reservation to another property or other days; on a touch screen, hold it first. By keyboard, press Enter on a reservation and choose “Move to another property” or “Change dates”.</p>
`

/** Opens the page of a new reservation with the selected nights. */
const bookAction: HostAction = {
  doneMessage: "",
  run: (_visit, form) => {
    const [first, last] = [form.get("from") ?? "", form.get("to") ?? ""]
    const property = parseRecordId(form.get("property"))
    const isDay = (day: string) => /^\d{4}-\d{2}-\d{2}$/.test(day)
    if (property === undefined || form.getAll("property").length > 1)
      return Effect.fail(makeActionError(422, "Choose one property to book."))
    return Effect.succeed({
      _tag: "GoOn" as const,
      url: newReservationUrl({
        property,
        ...(isDay(first) && isDay(last) ? { check_in_date: first, check_out_date: addDays(last, 1) } : {})
      })
    })
  }
}
