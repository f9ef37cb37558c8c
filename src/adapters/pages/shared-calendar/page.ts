import type { SharedCalendar, SharedProperty } from "../../../resources/calendar-share-links/SharedCalendars.ts"
import type { Document } from "../document.ts"
import { type Html, html, nothing } from "../html.ts"
import { monthName, monthsOf, monthTable } from "./month.ts"
import { STYLE } from "./style.ts"

const SEVERAL = "Free and taken days"

/** What a calendar is called: its property, when there is just one. */
export const calendarName = ({ properties }: SharedCalendar): string =>
  properties.length === 1 ? (properties[0]?.title ?? SEVERAL) : SEVERAL

/** The page of a calendar; `feedUrl` is the absolute address of the same as a feed. */
export const calendarPage = (calendar: SharedCalendar, feedUrl: string): Document => {
  const { properties } = calendar
  const name = calendarName(calendar)
  return {
    title: name === SEVERAL ? SEVERAL : `${name} – free and taken days`,
    style: STYLE,
    body: html`<header>
<h1>${name}</h1>
${introduction(calendar)}</header>
${properties.length > 1 ? listOf(properties) : nothing}<main>
${properties.map((property, index) => sectionOf(property, index, calendar))}</main>
${footer(feedUrl)}`
  }
}

const introduction = ({ properties, today }: SharedCalendar): Html => {
  const months = monthsOf(properties[0]?.days ?? [])
  const [first, last] = [months[0]?.month, months.at(-1)?.month]
  if (first === undefined || last === undefined)
    return html`<p>There are no properties in this calendar yet.</p>
`
  const sample = Number(today.slice(8))
  return html`<p class="soft">Nights that can and cannot be booked, ${monthName(first)} to ${monthName(last)}.</p>
<ul class="legend" aria-label="What the days look like">
<li><span class="swatch free" aria-hidden="true"><b>${sample}</b></span> Free</li>
<li><span class="swatch taken" aria-hidden="true"><b>${sample}</b></span> Taken</li>
<li><span class="swatch today" aria-hidden="true"><b>${sample}</b></span> Today</li>
</ul>
`
}

const anchorOf = (index: number): string => `property-${index + 1}`

const listOf = (properties: ReadonlyArray<SharedProperty>): Html => html`<nav id="properties" aria-label="Properties">
<ul class="list">${properties.map(
  ({ title }, index) => html`<li><a href="#${anchorOf(index)}">${title}</a></li>
`
)}</ul>
</nav>
`

const sectionOf = (property: SharedProperty, index: number, { properties, today }: SharedCalendar): Html => {
  const months = html`<div class="months">
${monthsOf(property.days).map((month) => monthTable(month, today))}</div>
`
  const anchor = anchorOf(index)
  // The one property of a calendar is its headline already.
  return properties.length === 1
    ? months
    : html`<section aria-labelledby="${anchor}">
<h2 id="${anchor}">${property.title}</h2>
${months}<p class="online"><a href="#properties">All properties</a></p>
</section>
`
}

const footer = (feedUrl: string): Html => html`<footer>
<p class="soft">A day stands for the night that begins on it: guests can arrive on a free day, and leave on the morning of a taken one.</p>
<div class="online">
<p>Keep it in your own calendar: subscribe to this address in Google Calendar, Apple Calendar or Outlook.</p>
<p><a href="${feedUrl}">${feedUrl}</a></p>
</div>
</footer>`

/** What the holder of a link reads that opens nothing (specification, DELETE /calendar_share_links/{id}). */
export const invalidPage: Document = {
  title: "Share link invalid",
  style: STYLE,
  body: html`<main>
<h1>Share link invalid</h1>
<p>This link does not open a calendar. It may have been taken back, or a part of it may be missing.</p>
<p class="soft">Ask whoever gave it to you for a new one.</p>
</main>`
}

export const failedPage: Document = {
  title: "Something went wrong",
  style: STYLE,
  body: html`<main>
<h1>Something went wrong</h1>
<p>The calendar cannot be shown at the moment. Please try again in a few minutes.</p>
</main>`
}
