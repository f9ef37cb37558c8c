import type {
  SharedPropertiesPage,
  SharedProperty,
  SharedPropertySummary
} from "../../domain/calendars/calendar-share-links/SharedCalendars.ts"
import { SHARED_PAGE_PROPERTIES_MAX, SHARED_PART_PROPERTIES_MAX } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import type { HtmlPage } from "../pages/html-page.ts"
import { formatMonthName, groupByMonth, monthTable } from "./month-table.ts"
import { formatCount, type PagePosition, pageNavigation, partPosition } from "./pagination.ts"
import { STYLE } from "./style.ts"

const DEFAULT_CALENDAR_NAME = "Free and taken days"

export const calendarName = ({ total, properties }: SharedPropertiesPage): string =>
  total === 1 ? (properties[0]?.title ?? DEFAULT_CALENDAR_NAME) : DEFAULT_CALENDAR_NAME

interface CalendarPageView {
  readonly today: string
  /** Number of properties of the whole calendar. */
  readonly total: number
  readonly position: PagePosition
  readonly properties: ReadonlyArray<SharedProperty>
  /** Absolute URL of the feed part that has these properties. */
  readonly feedUrl: string
  readonly part: number
}

export const renderCalendarPage = (view: CalendarPageView, propertySections: ReadonlyArray<Html>): HtmlPage => {
  const { position, properties, total } = view
  const name = calendarName(view)
  const title = name === DEFAULT_CALENDAR_NAME ? DEFAULT_CALENDAR_NAME : `${name} – free and taken days`
  return {
    title:
      position.count === 1
        ? title
        : `${title} – page ${formatCount(position.number)} of ${formatCount(position.count)}`,
    style: STYLE,
    body: html`<header>
<h1>${name}</h1>
${introduction(view)}</header>
${pageNavigation(position, "Pages")}${total > 1 ? propertyList(properties) : nothing}<main>
${propertySections}</main>
${pageNavigation(position, "More pages")}${footer(view)}`
  }
}

const rangeText = (position: number, size: number, total: number): string =>
  `${formatCount((position - 1) * size + 1)} to ${formatCount(Math.min(position * size, total))} of ${formatCount(total)}`

const introduction = ({ properties, today, position, total }: CalendarPageView): Html => {
  const months = groupByMonth(properties[0]?.days ?? [])
  const [first, last] = [months[0]?.month, months.at(-1)?.month]
  if (first === undefined || last === undefined)
    return html`<p>There are no properties in this calendar yet.</p>
`
  const sample = Number(today.slice(8))
  const rangeNote =
    position.count === 1 ? nothing : html` Properties ${rangeText(position.number, SHARED_PAGE_PROPERTIES_MAX, total)}.`
  return html`<p class="soft">Nights that can and cannot be booked, ${formatMonthName(first)} to ${formatMonthName(last)}.${rangeNote}</p>
<ul class="legend" aria-label="What the days look like">
<li><span class="swatch free" aria-hidden="true"><b>${sample}</b></span> Free</li>
<li><span class="swatch taken" aria-hidden="true"><b>${sample}</b></span> Taken</li>
<li><span class="swatch today" aria-hidden="true"><b>${sample}</b></span> Today</li>
</ul>
`
}

const propertyAnchor = (index: number): string => `property-${index + 1}`

const propertyList = (
  properties: ReadonlyArray<SharedPropertySummary>
): Html => html`<nav id="properties" aria-label="Properties">
<ul class="list">${properties.map(
  ({ title }, index) => html`<li><a href="#${propertyAnchor(index)}">${title}</a></li>
`
)}</ul>
</nav>
`

export const propertySection = (
  { title, days }: SharedProperty,
  index: number,
  { today, total }: Pick<CalendarPageView, "today" | "total">
): Html => {
  const months = html`<div class="months">
${groupByMonth(days).map((month) => monthTable(month, today))}</div>
`
  const anchor = propertyAnchor(index)
  const pageNote = total > SHARED_PAGE_PROPERTIES_MAX ? " of this page" : ""
  return total === 1
    ? months
    : html`<section aria-labelledby="${anchor}">
<h2 id="${anchor}">${title}</h2>
${months}<p class="online"><a href="#properties">All properties${pageNote}</a></p>
</section>
`
}

const footer = ({ feedUrl, total, part }: CalendarPageView): Html => {
  const partNote =
    partPosition(part, total).count === 1
      ? nothing
      : html`<p>It has the properties ${rangeText(part, SHARED_PART_PROPERTIES_MAX, total)}. The others are at addresses of their own, named at the end of their pages.</p>
`
  return html`<footer>
<p class="soft">A day stands for the night that begins on it: guests can arrive on a free day, and leave on the morning of a taken one.</p>
<div class="online">
<p>Keep it in your own calendar: subscribe to this address in Google Calendar, Apple Calendar or Outlook.</p>
<p><a href="${feedUrl}">${feedUrl}</a></p>
${partNote}</div>
</footer>`
}

/** Also shown for a deleted link (specification, DELETE /calendar_share_links/{id}). */
export const invalidLinkPage: HtmlPage = {
  title: "Share link invalid",
  style: STYLE,
  body: html`<main>
<h1>Share link invalid</h1>
<p>This link does not open a calendar. It may have been withdrawn, or a part of it may be missing.</p>
<p class="soft">Ask the person who sent it to you for a new link.</p>
</main>`
}

export const rejectedPage = (reason: string): HtmlPage => ({
  title: "Request not accepted",
  style: STYLE,
  body: html`<main>
<h1>Request not accepted</h1>
<p>${reason}</p>
</main>`
})

export const failedPage: HtmlPage = {
  title: "Something went wrong",
  style: STYLE,
  body: html`<main>
<h1>Something went wrong</h1>
<p>The calendar cannot be shown now. Please try again in a few minutes.</p>
</main>`
}

export const busyPage: HtmlPage = {
  title: "Please wait",
  style: STYLE,
  body: html`<main>
<h1>Please wait</h1>
<p>The service is busy. Please try again in a few seconds.</p>
</main>`
}

export const notFoundPage: HtmlPage = {
  title: "No such page",
  style: STYLE,
  body: html`<main>
<h1>No such page</h1>
<p>This calendar has fewer pages.</p>
<p><a href="?page=1">Go to the first page</a></p>
</main>`
}

export const tooManyRequestsPage = (seconds: number): HtmlPage => ({
  title: "Opened too often",
  style: STYLE,
  body: html`<main>
<h1>Opened too often</h1>
<p>This calendar was opened too often within a minute. Please try again in ${seconds} seconds.</p>
</main>`
})
