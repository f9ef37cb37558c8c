import { addDays } from "../../../../contract/time.ts"
import { CALENDAR_DAYS_MAX, CALENDAR_LANES } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { MonthProperty, MonthStay } from "../../queries/Month.ts"
import { channelName } from "../channel-names.ts"
import { badge, formatDayRange, formatMonth, weekdayName } from "../page-parts.ts"
import { guestLabel } from "../stay/stay-labels.ts"
import { stayUrl } from "../urls.ts"
import { channelClass } from "./calendar-legend.ts"
import { type CalendarWindow, groupByMonth } from "./calendar-window.ts"
import { countLanes, placeBars, type StayBar } from "./stay-bars.ts"

interface GridContext extends CalendarWindow {
  readonly today: string
}

/**
 * Each cell is one day of one property. Stays lie above the cells, because a cell of a stay can be selected too. The
 * page's script reads the `data-` attributes.
 */
export const calendarGrid = (
  properties: ReadonlyArray<MonthProperty>,
  unassigned: ReadonlyArray<MonthStay>,
  context: GridContext
): Html => html`<div class="calendar-scroll" role="region" aria-label="Calendar" tabindex="0"><table class="calendar" data-first="${context.first}" data-days="${context.days.length}" data-most-days="${CALENDAR_DAYS_MAX}" data-today="${context.today}">
<colgroup><col class="names">${context.days.map((day) => dayColumn(day, context.today))}</colgroup>
${gridHead(context)}<tbody>
${unassignedRow(unassigned, context)}${properties.map((property) => propertyRow(property, context))}</tbody>
</table></div>
`

const isWeekend = (day: string): boolean => weekdayName(day).startsWith("S")

const PLAIN_COLUMN: Html = { html: "<col>" }
const TODAY_COLUMN: Html = { html: '<col class="today">' }
const WEEKEND_COLUMN: Html = { html: '<col class="weekend">' }

const dayColumn = (day: string, today: string): Html => {
  if (day === today) return TODAY_COLUMN
  return isWeekend(day) ? WEEKEND_COLUMN : PLAIN_COLUMN
}

const gridHead = ({ days, today }: GridContext): Html => html`<thead>
<tr class="months"><td></td>${groupByMonth(days).map(({ month, dayCount }) => html`<th scope="colgroup" colspan="${dayCount}"><span>${formatMonthHead(month, dayCount)}</span></th>`)}</tr>
<tr class="days"><th scope="col">Property</th>${days.map((day) => html`<th scope="col"${dayAttributes(day, today)}>${weekdayName(day).slice(0, 2)}<b>${Number(day.slice(8))}</b></th>`)}</tr>
</thead>
`

/** One day has no room for the year. */
const formatMonthHead = (month: string, dayCount: number): string =>
  dayCount === 1 ? (formatMonth(month).split(" ")[0] ?? "") : formatMonth(month)

const dayAttributes = (day: string, today: string): Html => {
  if (day === today) return { html: ' class="today" aria-current="date"' }
  return isWeekend(day) ? { html: ' class="weekend"' } : nothing
}

const STATUS_TEXTS: Readonly<Record<MonthStay["status"], string>> = {
  accepted: "",
  wait_accept: "Request: ",
  wait_pay: "Awaiting payment: "
}

/** Accepted stays come first, so that they are above requests. */
const toBars = (stays: ReadonlyArray<MonthStay>, { first, days }: CalendarWindow) =>
  placeBars(
    stays
      .toSorted((one, other) => Number(other.status === "accepted") - Number(one.status === "accepted"))
      .map((stay) => ({ checkIn: stay.check_in_date, checkOut: stay.check_out_date, value: stay })),
    first,
    days.length
  )

const stayBarHtml = ({ value: stay, lane, start, length, startsEarlier, endsLater }: StayBar<MonthStay>): Html => {
  const { stay_code, check_in_date, check_out_date, channel_type, status } = stay
  const name = `${STATUS_TEXTS[status]}${guestLabel(stay)}`
  const cssClass = [
    "stay",
    status === "accepted" ? channelClass(channel_type) : "request",
    `half-days-${length}`,
    ...(start % 2 === 1 ? ["from-noon"] : []),
    ...(lane > 0 ? [`lane-${Math.min(lane, CALENDAR_LANES)}`] : []),
    ...(startsEarlier ? ["starts-earlier"] : []),
    ...(endsLater ? ["ends-later"] : [])
  ].join(" ")
  return html`<a class="${cssClass}" href="${stayUrl(stay_code)}" title="${name}, ${channelName(channel_type)}, ${formatDayRange(check_in_date, check_out_date)}" data-stay="${stay_code}" data-from="${check_in_date}" data-to="${check_out_date}"${channel_type === "direct" ? nothing : FIXED_DATES_ATTRIBUTE}>${name}</a>`
}

/** Only the channel can change the dates of its reservations. */
const FIXED_DATES_ATTRIBUTE: Html = { html: " data-fixed-dates" }

const lanesAttribute = (bars: ReadonlyArray<StayBar<unknown>>): Html => {
  const lanes = Math.min(countLanes(bars), CALENDAR_LANES + 1)
  return lanes === 1 ? nothing : html` class="lanes-${lanes}"`
}

const groupByDay = (bars: ReadonlyArray<StayBar<MonthStay>>) => Map.groupBy(bars, ({ start }) => Math.floor(start / 2))

const unassignedRow = (unassigned: ReadonlyArray<MonthStay>, context: GridContext): Html => {
  const bars = toBars(unassigned, context)
  const barsByDay = groupByDay(bars)
  return html`<tr id="unassigned" data-unassigned${lanesAttribute(bars)}><th scope="row">Unassigned${unassigned.length === 0 ? html`<span class="soft">None</span>` : nothing}</th>${context.days.map((_, index) => html`<td>${(barsByDay.get(index) ?? []).map(stayBarHtml)}</td>`)}</tr>
`
}

const propertyRow = (property: MonthProperty, context: GridContext): Html => {
  const bars = toBars(property.stays, context)
  const barsByDay = groupByDay(bars)
  const texts = toDayTexts(property, context)
  return html`<tr data-property="${property.id}" data-currency="${property.currency}"${lanesAttribute(bars)}><th scope="row"><span class="title" title="${property.title}">${property.title}</span>${property.deactivated ? badge("Inactive") : nothing}</th>${context.days.map(
    (_, index) => {
      const dayBars = barsByDay.get(index)
      const text = texts[index] ?? EMPTY_CELL
      return dayBars === undefined ? text : html`${text}${dayBars.map(stayBarHtml)}`
    }
  )}</tr>
`
}

// The browser closes a cell before the next one.
const EMPTY_CELL: Html = { html: "<td>" }
const HELD_CELL: Html = { html: '<td class="held">' }
const BLOCKED_CELL: Html = { html: '<td class="blocked">Blocked' }
const IMPORTED_CELL: Html = { html: '<td class="ical">iCal' }

const listNights = ({ check_in_date, check_out_date }: MonthStay, { first, last }: CalendarWindow) => {
  const nights: Array<string> = []
  let night = check_in_date > first ? check_in_date : first
  for (; night < check_out_date && night <= last; night = addDays(night, 1)) nights.push(night)
  return nights
}

/** Returns the opening tag of each day's cell with what the day has: nothing if it is booked, or its price. */
const toDayTexts = (property: MonthProperty, context: GridContext): ReadonlyArray<Html> => {
  const held = new Set(
    property.stays.filter(({ status }) => status === "accepted").flatMap((stay) => listNights(stay, context))
  )
  const [closed, imported] = [new Set(property.closed), new Set(property.elsewhere)]
  const [prices, minimumStays] = [property.prices.split(","), property.minimum_stays.split(",")]
  return context.days.map((day, index) => {
    if (held.has(day)) return HELD_CELL
    if (closed.has(day)) return BLOCKED_CELL
    if (imported.has(day)) return IMPORTED_CELL
    return day < context.today ? EMPTY_CELL : priceCell(prices[index] ?? "", minimumStays[index] ?? "")
  })
}

const COMPACT_FROM = 10_000
const COMPACT_FORMAT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

/** Formats 120 as `120` and 12500 as `12.5K`. */
export const formatShortPrice = (price: string): string =>
  Number(price) < COMPACT_FROM ? price : COMPACT_FORMAT.format(Number(price))

const priceCell = (price: string, minimumStay: string): Html => {
  if (price === "" && minimumStay === "") return EMPTY_CELL
  return html`<td>${formatShortPrice(price)}${minimumStay === "" ? nothing : html`<i>${minimumStay}n</i>`}`
}
