import { DateTime, Effect } from "effect"
import { addDays, dateInZone, wallClockText } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { ACCESS_PATH } from "../frame.ts"
import { IN_BOX } from "../queries/FoundStays.ts"
import { type Coming, Overview, type Shown } from "../queries/Overview.ts"
import {
  CALENDARS_PATH,
  CHANNELS_PATH,
  messagesAddress,
  newReservationAddress,
  OVERVIEW_PATH,
  reservationsAddress,
  reviewsAddress,
  stayAddress,
  YEAR_PATH
} from "./addresses.ts"
import { hostPage } from "./page.ts"
import { badge, dayText, link, section, table, zoneOf } from "./parts.ts"
import { whereabouts } from "./stay/words.ts"

/** The first page after signing in: who comes and goes, what waits for an answer, what fails. Each number leads to what it counts. */
export const makeOverviewPage = Effect.map(Overview, (overview) =>
  hostPage({
    path: OVERVIEW_PATH,
    show: (visit) =>
      Effect.gen(function* () {
        const { operatorId, timeZone } = visit.session.person.caller
        const now = yield* DateTime.nowAsDate
        const today = dateInZone(now, timeZone)
        const shown = yield* overview.of(operatorId, wallClockText(now, timeZone), now)
        return {
          title: `${visit.session.operatorName}, ${dayText(today)}`,
          body: html`${counted("Waits for you", WAITING, shown)}${counted("Fails", FAILING, shown)}
<div class="columns">
${comings("Arrivals", shown.arrivals, shown.arriving, today, { from: today, to: addDays(today, 1) })}
${comings("Departures", shown.departures, shown.leaving, today, { leaves_from: today, leaves_to: addDays(today, 1) })}
</div>
<p>${link(newReservationAddress(), "Enter a reservation")} · ${link(YEAR_PATH, "The year: occupancy and income")}</p>
${zoneOf(visit)}`
        }
      })
  })
)

/** Something that is counted, and where it is seen. */
interface Counted {
  readonly of: keyof Shown &
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
  /** Of one, and of several. */
  readonly words: readonly [one: string, several: string]
  readonly address: string
}

const WAITING: ReadonlyArray<Counted> = [
  {
    of: "requests",
    words: ["booking request", "booking requests"],
    address: reservationsAddress({ status: "wait_accept" })
  },
  {
    of: "messages",
    words: ["message to answer", "messages to answer"],
    address: messagesAddress({ show: "waiting" })
  },
  { of: "reviews", words: ["review to write", "reviews to write"], address: reviewsAddress("waiting") },
  {
    of: "check_ins",
    words: ["check-in to approve", "check-ins to approve"],
    address: reservationsAddress({ status: "check_in" })
  },
  {
    of: "boxed",
    words: ["stay in the box, in no property", "stays in the box, in no property"],
    address: reservationsAddress({ property: IN_BOX, status: "accepted" })
  },
  {
    of: "unpaid",
    words: [
      "order not paid in full, of half a year before and after",
      "orders not paid in full, of half a year before and after"
    ],
    address: reservationsAddress({ payment: "unpaid" })
  }
]

const FAILING: ReadonlyArray<Counted> = [
  { of: "webhooks", words: ["webhook", "webhooks"], address: `${ACCESS_PATH}#webhooks` },
  { of: "calendars", words: ["calendar elsewhere", "calendars elsewhere"], address: CALENDARS_PATH },
  { of: "accounts", words: ["channel account", "channel accounts"], address: CHANNELS_PATH },
  { of: "pushes", words: ["push to channels", "pushes to channels"], address: `${CHANNELS_PATH}#pushes` }
]

/** What there is of them; where there is nothing, that is said in words. */
const counted = (heading: string, all: ReadonlyArray<Counted>, shown: Shown): Html => {
  const some = all.filter(({ of }) => shown[of] > 0)
  return section(
    heading,
    some.length === 0
      ? html`<p>Nothing.</p>
`
      : html`<ul class="counts">
${some.map(
  ({
    of,
    words: [one, several],
    address
  }) => html`<li><a href="${address}"><strong>${shown[of]}</strong> ${shown[of] === 1 ? one : several}</a></li>
`
)}</ul>
`
  )
}

const comings = (
  heading: string,
  rows: ReadonlyArray<Coming>,
  total: number,
  today: string,
  days: Parameters<typeof reservationsAddress>[0]
): Html =>
  section(
    heading,
    html`${table(
      { empty: "Nobody today or tomorrow." },
      [
        { label: "Day", cell: ({ day }) => (day === today ? "Today" : "Tomorrow") },
        {
          label: "Guest",
          cell: (coming) => link(stayAddress(coming.stay_code), coming.guest_name ?? coming.stay_code)
        },
        { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
        { label: "Guests", cell: ({ number_of_guests }) => String(number_of_guests), number: true },
        {
          label: "Stands",
          cell: ({ stay_status, arrival_at }) =>
            html`${whereabouts(stay_status)}${arrival_at === null ? nothing : html` <span class="soft">from ${arrival_at}</span>`}`
        }
      ],
      rows
    )}${total > rows.length ? html`<p>${link(reservationsAddress(days), `All ${total}`)}</p>` : nothing}`
  )
