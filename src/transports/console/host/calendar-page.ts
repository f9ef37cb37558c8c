import { Clock, Effect } from "effect"
import { addDays, dateInZone, daysInRange } from "../../../contract/time.ts"
import { search_room_types } from "../../../domain/properties/properties/contract.ts"
import { MONTH_PROPERTIES_MAX, PAGE_MAX } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { Month, type MonthProperty, type MonthStay, type MonthView } from "../queries/Month.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { makeBasePriceSection, type PriceSpan } from "./calendar/base-prices.ts"
import { type CalendarCell, type DateSpan, toCalendarRows } from "./calendar/calendar-rows.ts"
import {
  daySelectionForm,
  type RoomTypeChoices,
  readPriceSpan,
  roomTypeDaysForm,
  selectedDaysSection,
  toPropertySpan
} from "./calendar/selected-days.ts"
import { parseNumber } from "./form-fields.ts"
import { type FailedSubmission, type HostAction, makeHostPage } from "./host-page.ts"
import {
  addMonths,
  dayHtml,
  formatMonth,
  link,
  pagination,
  readMonthParam,
  readOffsetParam,
  section,
  table,
  weekdayName
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { CALENDAR_PATH, stayUrl } from "./urls.ts"

export const makeCalendarPage = Effect.gen(function* () {
  const [month, service] = [yield* Month, yield* Service]
  const basePrices = makeBasePriceSection(service)
  const showPrices = makeShowPrices(basePrices)
  const listRoomTypes = makeQuery(service, search_room_types)
  return makeHostPage({
    path: CALENDAR_PATH,
    show: (visit, failedSubmission) =>
      Effect.gen(function* () {
        const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
        const priceSpan = readPriceSpan(visit)
        const selectedDays = toPropertySpan(priceSpan)
        const displayedMonth = readMonthParam(visit) ?? (priceSpan?.first ?? today).slice(0, 7)
        const monthRange = { first: `${displayedMonth}-01`, last: lastDayOfMonth(displayedMonth) }
        const offset = readOffsetParam(visit)
        const monthView = yield* month.of(monthRange, offset)
        // The page hides the room type form while days of a property are shown. This saves one statement.
        const roomTypes = selectedDays === undefined ? yield* listRoomTypes(visit, { limit: PAGE_MAX }) : NO_ROOM_TYPES
        const selectedDaysHtml =
          selectedDays === undefined
            ? nothing
            : selectedDaysSection(
                visit,
                selectedDays,
                yield* month.ofProperty(selectedDays, selectedDays.property),
                today
              )
        const pricesHtml = yield* showPrices(visit, { span: priceSpan, today, roomTypes, failedSubmission })
        return {
          title: `Calendar, ${formatMonth(displayedMonth)}`,
          isWide: true,
          body: html`${monthNavigation(visit, displayedMonth)}${selectedDaysHtml}${pricesHtml}${monthGrid(monthView, monthRange, today)}
${pagination(visit, { offset, limit: MONTH_PROPERTIES_MAX, total: monthView.total })}${LEGEND}
${monthView.more ? html`<p class="message note">There are more stays in this month than are shown.</p>` : nothing}
${daySelectionForm(visit, monthView.properties, monthRange, today)}${roomTypeDaysForm(visit, roomTypes, monthRange, today)}${unassignedStaysSection(monthView.boxed)}`
        }
      }),
    actions: { ...basePrices.actions, ...makeAvailabilityActions(service) }
  })
})

const NO_ROOM_TYPES: RoomTypeChoices = { room_types: [], total: 0 }

interface PriceSectionContext {
  readonly span: PriceSpan | undefined
  readonly today: string
  readonly roomTypes: RoomTypeChoices
  readonly failedSubmission: FailedSubmission | undefined
}

/** Base prices of the past are not shown. */
const makeShowPrices =
  (basePrices: ReturnType<typeof makeBasePriceSection>) =>
  (visit: SignedInVisit, { span, today, roomTypes, failedSubmission }: PriceSectionContext) => {
    if (span === undefined || span.last < today) return Effect.succeed(nothing)
    const { target } = span
    const roomType = target.type === "room_type" ? roomTypes.room_types.find(({ id }) => id === target.id) : undefined
    const shownSpan = { ...span, first: span.first < today ? today : span.first, title: roomType?.title }
    return basePrices.show(visit, shownSpan, failedSubmission)
  }

const makeAvailabilityActions = (service: Service["Service"]) => {
  const mutate = makeVoidMutation(service)
  const makeAction = (available: boolean, message: string): HostAction => ({
    doneMessage: message,
    run: (visit, form) =>
      mutate(visit, form, "update_availabilities", {
        property_ids: [parseNumber(form.get("property") ?? "")],
        available,
        start_date: form.get("from") ?? "",
        end_date: form.get("to") ?? ""
      })
  })
  return {
    close_days: makeAction(false, "The days are closed. Nights that are sold stay sold."),
    open_days: makeAction(true, "The days are open again, but for what is sold or busy elsewhere.")
  }
}

const lastDayOfMonth = (month: string): string => addDays(`${addMonths(month, 1)}-01`, -1)

const monthNavigation = (visit: SignedInVisit, month: string): Html => {
  const monthLink = (otherMonth: string) =>
    link(currentUrlWith(visit, { month: otherMonth, ...NO_SELECTION }), formatMonth(otherMonth))
  return html`<nav class="pages" aria-label="Months">${monthLink(addMonths(month, -1))} ${link(currentUrlWith(visit, { month: undefined, ...NO_SELECTION }), "This month")} ${monthLink(addMonths(month, 1))}</nav>
`
}

const NO_SELECTION = { property: undefined, room_type: undefined, from: undefined, to: undefined }

type CalendarEntry = { readonly kind: "stay"; readonly stay: MonthStay } | { readonly kind: "closed" | "elsewhere" }

const groupConsecutiveDays = (
  days: ReadonlyArray<string>,
  kind: "closed" | "elsewhere"
): ReadonlyArray<DateSpan<CalendarEntry>> => {
  const spans: Array<DateSpan<CalendarEntry>> = []
  for (const day of days.toSorted()) {
    const last = spans.at(-1)
    if (last !== undefined && last.end === day) spans[spans.length - 1] = { ...last, end: addDays(day, 1) }
    else spans.push({ from: day, end: addDays(day, 1), value: { kind } })
  }
  return spans
}

/** Lists accepted stays first, so that `toCalendarRows` shows them above requests. */
const toEntrySpans = ({ stays, closed, elsewhere }: MonthProperty): ReadonlyArray<DateSpan<CalendarEntry>> => {
  const staySpans = stays
    .toSorted((first, second) => Number(second.accepted) - Number(first.accepted))
    .map((stay) => ({ from: stay.check_in_date, end: stay.check_out_date, value: { kind: "stay", stay } as const }))
  return [
    ...staySpans.filter(({ value }) => value.stay.accepted),
    ...groupConsecutiveDays(closed, "closed"),
    ...groupConsecutiveDays(elsewhere, "elsewhere"),
    ...staySpans.filter(({ value }) => !value.stay.accepted)
  ]
}

const monthGrid = (
  { properties }: MonthView,
  { first, last }: { readonly first: string; readonly last: string },
  today: string
): Html => {
  const days = Array.from({ length: daysInRange(first, last) }, (_, index) => addDays(first, index))
  return properties.length === 0
    ? html`<p>There is no property yet.</p>
`
    : html`<div class="scroll" role="region" aria-label="The month" tabindex="0"><table class="month">
<thead><tr><th scope="row">Property</th>${days.map((day) => html`<th scope="col"${day === today ? TODAY_ATTRIBUTE : nothing}>${weekdayName(day).slice(0, 2)}<br>${Number(day.slice(8))}</th>`)}</tr></thead>
<tbody>
${properties.map((property) => propertyRows(property, days))}</tbody>
</table></div>
`
}

const TODAY_ATTRIBUTE: Html = { html: ' class="today"' }

const propertyRows = (property: MonthProperty, days: ReadonlyArray<string>): Html => {
  const calendarRows = toCalendarRows(toEntrySpans(property), days[0] ?? "", days.length)
  const propertyHeader = html`<th scope="row"${calendarRows.length > 1 ? html` rowspan="${calendarRows.length}"` : nothing}>${property.title}${property.deactivated ? html` <span class="soft">off</span>` : nothing}</th>`
  return html`${calendarRows.map(
    (
      calendarRow,
      index
    ) => html`<tr>${index === 0 ? propertyHeader : nothing}${calendarRow.map((cell) => calendarCell(cell, days))}</tr>
`
  )}`
}

const calendarCell = (
  { start, days: dayCount, value, startsEarlier, endsLater }: CalendarCell<CalendarEntry>,
  days: ReadonlyArray<string>
): Html => {
  if (value === undefined) return isWeekend(days[start] ?? "") ? WEEKEND_CELL : FREE_CELL
  const colspanAttribute = dayCount > 1 ? html` colspan="${dayCount}"` : nothing
  if (value.kind !== "stay") return html`<td class="${value.kind}"${colspanAttribute}>${SYMBOLS[value.kind]}</td>`
  const { stay_code, guest_name, accepted } = value.stay
  const name = guest_name ?? stay_code
  return html`<td class="stay${accepted ? "" : " request"}"${colspanAttribute}><a href="${stayUrl(stay_code)}" title="${name}">${startsEarlier ? "◂ " : ""}${accepted ? "" : "? "}${name}${endsLater ? " ▸" : ""}</a></td>`
}

const FREE_CELL: Html = { html: "<td></td>" }
const WEEKEND_CELL: Html = { html: '<td class="weekend"></td>' }
const SYMBOLS = { closed: "×", elsewhere: "≡" } as const

const isWeekend = (day: string): boolean => weekdayName(day).startsWith("S")

const LEGEND = html`<p class="soft">A name: a stay, from its first night to its last; ? asks for the nights and holds none yet; × closed by you; ≡ busy in a calendar elsewhere; ◂ ▸ goes on beyond the month.</p>
`

const unassignedStaysSection = (unassignedStays: ReadonlyArray<MonthStay>): Html =>
  section(
    "In the reservation box",
    table(
      { empty: "No stay of this month is without a property." },
      [
        { label: "Guest", cell: ({ stay_code, guest_name }) => link(stayUrl(stay_code), guest_name ?? stay_code) },
        { label: "Check-in", cell: ({ check_in_date }) => dayHtml(check_in_date) },
        { label: "Check-out", cell: ({ check_out_date }) => dayHtml(check_out_date) }
      ],
      unassignedStays
    ),
    "box"
  )
