import { DateTime, Effect } from "effect"
import { addDays, dateInZone, formatWallClock } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { ACCESS_PATH } from "../host/urls.ts"
import { UNASSIGNED_PROPERTY } from "../queries/FoundStays.ts"
import { Overview, type OverviewData, type OverviewStay } from "../queries/Overview.ts"
import { makeHostPage } from "./host-page.ts"
import { badge, formatDay, link, section, table, timeZoneNote } from "./page-parts.ts"
import { arrivalLabel } from "./stay/stay-labels.ts"
import {
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  messagesUrl,
  newReservationUrl,
  OVERVIEW_PATH,
  REPORTS_PATH,
  reservationsUrl,
  reviewsUrl,
  stayUrl
} from "./urls.ts"

export const makeOverviewPage = Effect.map(Overview, (overview) =>
  makeHostPage({
    path: OVERVIEW_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, timeZone)
        const counts = yield* overview.of(formatWallClock(now, timeZone), now)
        return {
          title: `${visit.session.operatorName}, ${formatDay(today)}`,
          body: html`${countsSection("Waits for you", PENDING_ITEMS, counts)}${countsSection("Fails", FAILING_ITEMS, counts)}
<div class="columns">
${arrivalsOrDeparturesSection("Arrivals", counts.arrivals, counts.arriving, today, { from: today, to: addDays(today, 1) })}
${arrivalsOrDeparturesSection("Departures", counts.departures, counts.leaving, today, { leaves_from: today, leaves_to: addDays(today, 1) })}
</div>
<p>${link(newReservationUrl(), "Enter a reservation")} · ${link(REPORTS_PATH, "The year: occupancy and income")}</p>
${timeZoneNote(visit)}`
        }
      })
  })
)

interface CountedItem {
  readonly key: keyof OverviewData &
    (
      | "requests"
      | "messages"
      | "reviews"
      | "check_ins"
      | "boxed"
      | "unpaid"
      | "webhooks"
      | "calendars"
      | "accounts"
      | "pushes"
    )
  readonly nouns: readonly [one: string, several: string]
  readonly url: string
}

const PENDING_ITEMS: ReadonlyArray<CountedItem> = [
  {
    key: "requests",
    nouns: ["booking request", "booking requests"],
    url: reservationsUrl({ status: "wait_accept" })
  },
  {
    key: "messages",
    nouns: ["message to answer", "messages to answer"],
    url: messagesUrl({ show: "waiting" })
  },
  { key: "reviews", nouns: ["review to write", "reviews to write"], url: reviewsUrl("waiting") },
  {
    key: "check_ins",
    nouns: ["check-in to approve", "check-ins to approve"],
    url: reservationsUrl({ status: "check_in" })
  },
  {
    key: "boxed",
    nouns: ["stay in the box, in no property", "stays in the box, in no property"],
    url: reservationsUrl({ property: UNASSIGNED_PROPERTY, status: "accepted" })
  },
  {
    key: "unpaid",
    nouns: [
      "order not paid in full, of half a year before and after",
      "orders not paid in full, of half a year before and after"
    ],
    url: reservationsUrl({ payment: "unpaid" })
  }
]

const FAILING_ITEMS: ReadonlyArray<CountedItem> = [
  { key: "webhooks", nouns: ["webhook", "webhooks"], url: `${ACCESS_PATH}#webhooks` },
  { key: "calendars", nouns: ["calendar elsewhere", "calendars elsewhere"], url: ICAL_SYNC_PATH },
  { key: "accounts", nouns: ["channel account", "channel accounts"], url: CHANNELS_PATH },
  { key: "pushes", nouns: ["push to channels", "pushes to channels"], url: `${CHANNELS_PATH}#pushes` }
]

const countsSection = (heading: string, items: ReadonlyArray<CountedItem>, counts: OverviewData): Html => {
  const nonZeroItems = items.filter(({ key }) => counts[key] > 0)
  return section(
    heading,
    nonZeroItems.length === 0
      ? html`<p>Nothing.</p>
`
      : html`<ul class="counts">
${nonZeroItems.map(
  ({
    key,
    nouns: [singular, plural],
    url
  }) => html`<li><a href="${url}"><strong>${counts[key]}</strong> ${counts[key] === 1 ? singular : plural}</a></li>
`
)}</ul>
`
  )
}

const arrivalsOrDeparturesSection = (
  heading: string,
  rows: ReadonlyArray<OverviewStay>,
  totalCount: number,
  today: string,
  dateFilter: Parameters<typeof reservationsUrl>[0]
): Html =>
  section(
    heading,
    html`${table(
      { empty: "Nobody today or tomorrow." },
      [
        { label: "Day", cell: ({ day }) => (day === today ? "Today" : "Tomorrow") },
        {
          label: "Guest",
          cell: (stay) => link(stayUrl(stay.stay_code), stay.guest_name ?? stay.stay_code)
        },
        { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
        { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), isNumeric: true },
        {
          label: "Stands",
          cell: ({ stay_status, arrival_at }) =>
            html`${arrivalLabel(stay_status)}${arrival_at === null ? nothing : html` <span class="soft">from ${arrival_at}</span>`}`
        }
      ],
      rows
    )}${totalCount > rows.length ? html`<p>${link(reservationsUrl(dateFilter), `All ${totalCount}`)}</p>` : nothing}`
  )
