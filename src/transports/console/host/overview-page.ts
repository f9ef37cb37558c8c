import { DateTime, Effect } from "effect"
import { addDays, dateInZone, formatWallClock } from "../../../contract/time.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { Overview, type OverviewData, type OverviewRequest, type OverviewStay } from "../queries/Overview.ts"
import type { SignedInVisit } from "../visit.ts"
import { channelName } from "./channel-names.ts"
import { makeHostPage } from "./host-page.ts"
import { guestStatusBadge, makeStatusAction, nextStatusForm } from "./overview/guest-status.ts"
import { attentionSection, toDoSection } from "./overview/overview-counts.ts"
import {
  badge,
  buttonLink,
  formatDay,
  formatDayRange,
  link,
  pluralize,
  section,
  table,
  timeHtml,
  timeZoneNote
} from "./page-parts.ts"
import { emptyAccountNote } from "./start/empty-account-note.ts"
import { newReservationUrl, OVERVIEW_PATH, REPORTS_PATH, reservationsUrl, stayUrl } from "./urls.ts"

export const makeOverviewPage = Effect.gen(function* () {
  const [overview, service] = [yield* Overview, yield* Service]
  return makeHostPage({
    path: OVERVIEW_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, timeZone)
        const data = yield* overview.of(formatWallClock(now, timeZone), now)
        return {
          title: `${visit.session.operatorName}, ${formatDay(today)}`,
          primaryAction: buttonLink(newReservationUrl(), "New reservation"),
          body: html`${data.has_property ? nothing : emptyAccountNote}${toDoSection(data)}${requestsSection(visit, data)}${attentionSection(data)}${guestsSections(visit, data, today)}<p>${link(REPORTS_PATH, "Reports: occupancy and income")}</p>
${timeZoneNote(visit)}`
        }
      }),
    actions: makeStatusAction(service)
  })
})

const guestLink = ({ stay_code, guest_name }: { readonly stay_code: string; readonly guest_name: string | null }) =>
  link(stayUrl(stay_code), guest_name ?? stay_code)

const propertyCell = ({ property_title }: { readonly property_title: string | null }): Html | string =>
  property_title ?? badge("Unassigned", "wait")

const guestCount = ({ number_of_guests }: { readonly number_of_guests: number }): Html =>
  html`<span class="whole">${pluralize(number_of_guests, "guest")}</span>`

const requestsSection = (visit: SignedInVisit, { requests, latest_requests }: OverviewData): Html =>
  requests === 0
    ? nothing
    : section(
        "Booking requests",
        html`<div class="day-list">${table<OverviewRequest>(
          { empty: "No booking requests." },
          [
            { label: "Guest", cell: guestLink },
            { label: "Property", cell: propertyCell, onPhone: "detail" },
            {
              label: "Dates",
              cell: ({ check_in_date, check_out_date }) => formatDayRange(check_in_date, check_out_date),
              onPhone: "detail"
            },
            {
              label: "Guests",
              cell: guestCount,
              onPhone: "detail"
            },
            { label: "Channel", cell: ({ channel_type }) => channelName(channel_type), onPhone: "detail" },
            {
              label: "Expires",
              cell: ({ expires_at }) => (expires_at === null ? "" : timeHtml(expires_at, visit))
            },
            {
              label: "Action",
              cell: ({ stay_code, guest_name }) =>
                html`<a class="button" href="${stayUrl(stay_code)}" aria-label="Answer ${guest_name ?? stay_code}">Answer</a>`,
              onPhone: "side"
            }
          ],
          latest_requests
        )}</div>${requests > latest_requests.length ? html`<p>${link(reservationsUrl({ status: "wait_accept" }), `All ${pluralize(requests, "booking request")}`)}</p>` : nothing}`
      )

const guestsSections = (visit: SignedInVisit, data: OverviewData, today: string): Html => {
  const tomorrow = addDays(today, 1)
  return html`${guestsSection(visit, { today, list: "arrivals", rows: data.arrivals, total: data.arriving, url: reservationsUrl({ from: today, to: tomorrow }) })}${guestsSection(visit, { today, list: "departures", rows: data.departures, total: data.leaving, url: reservationsUrl({ leaves_from: today, leaves_to: tomorrow }) })}`
}

interface GuestList {
  readonly today: string
  readonly list: "arrivals" | "departures"
  readonly rows: ReadonlyArray<OverviewStay>
  readonly total: number
  readonly url: string
}

const guestsSection = (visit: SignedInVisit, { today, list, rows, total, url }: GuestList): Html =>
  section(
    list === "arrivals" ? "Arrivals" : "Departures",
    html`<div class="day-list">${table<OverviewStay>(
      { empty: list === "arrivals" ? "No arrivals today or tomorrow." : "No departures today or tomorrow." },
      [
        { label: "Guest", cell: guestLink },
        { label: "Day", cell: (stay) => dayText(list, stay, today), onPhone: "detail" },
        { label: "Property", cell: propertyCell, onPhone: "detail" },
        { label: "Guests", cell: guestCount, onPhone: "detail" },
        { label: "Status", cell: (stay) => guestStatusBadge(stay, today), onPhone: "detail" },
        { label: "Action", cell: (stay) => nextStatusForm(visit, stay, { today, list }) ?? nothing, onPhone: "side" }
      ],
      rows
    )}</div>${total > rows.length ? html`<p>${link(url, `All ${total}`)}</p>` : nothing}`
  )

const dayText = (list: GuestList["list"], { day, arrival_at, check_out_time }: OverviewStay, today: string): string => {
  const dayName = day === today ? "Today" : "Tomorrow"
  if (list === "departures") return `${dayName}, until ${check_out_time}`
  return arrival_at === null ? dayName : `${dayName}, from ${arrival_at}`
}
