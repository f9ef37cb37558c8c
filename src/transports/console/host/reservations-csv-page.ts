import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { dateInZone, formatWallClock } from "../../../contract/time.ts"
import { RESERVATIONS_CSV_LINES_MAX } from "../../../platform/limits.ts"
import { html } from "../../docs/html.ts"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html-page.ts"
import { renderConsolePage } from "../page-frame.ts"
import { FoundStays } from "../queries/FoundStays.ts"
import type { SignedInPage, SignedInVisit } from "../visit.ts"
import { accountProblemResponse } from "./host-page.ts"
import { link } from "./page-parts.ts"
import { type FilterParameter, findIgnoredParameter, readStayFilter } from "./reservations/reservation-filter.ts"
import { renderReservationsCsv } from "./reservations/reservations-csv.ts"
import { RESERVATIONS_CSV_PATH, RESERVATIONS_PATH } from "./urls.ts"

export const makeReservationsCsvPage = Effect.gen(function* () {
  const stays = yield* FoundStays

  const renderFile = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { timeZone } = visit.session.person.caller
    const now = yield* DateTime.nowAsDate
    const ignoredParameter = findIgnoredParameter(visit)
    if (ignoredParameter !== undefined) return renderError(visit, UNREADABLE_MESSAGES[ignoredParameter])
    const clock = formatWallClock(now, timeZone)
    const rows = yield* stays.lines(readStayFilter(visit), clock, RESERVATIONS_CSV_LINES_MAX + 1)
    if (rows.length > RESERVATIONS_CSV_LINES_MAX) return renderError(visit, TOO_MANY_LINES_MESSAGE)
    return HttpServerResponse.text(renderReservationsCsv(rows), {
      contentType: "text/csv; charset=utf-8",
      headers: {
        ...PRIVATE_PAGE_HEADERS,
        vary: "Cookie",
        "content-disposition": `attachment; filename="reservations-${dateInZone(now, timeZone)}.csv"`
      }
    })
  })
  const page: SignedInPage = {
    path: RESERVATIONS_CSV_PATH,
    show: (visit) =>
      visit.accountProblem === undefined ? renderFile(visit) : Effect.succeed(accountProblemResponse(visit)),
    actions: new Map()
  }
  return page
})

const TOO_MANY_LINES_MESSAGE = `These are more than ${RESERVATIONS_CSV_LINES_MAX.toLocaleString("en")} reservations. Choose fewer dates or one property.`

const UNREADABLE_MESSAGES: Readonly<Record<FilterParameter, string>> = {
  q: "Search for a guest or a code.",
  status: "Choose a status.",
  property: "Choose a property.",
  payment: "Choose a payment status.",
  from: "Choose a check-in date.",
  to: "Choose a check-in date.",
  leaves_from: "Choose a check-out date.",
  leaves_to: "Choose a check-out date."
}

/** Renders an error page instead of an incomplete file. */
const renderError = (visit: SignedInVisit, message: string) =>
  renderConsolePage(
    visit,
    {
      title: "No file",
      body: html`<p class="message error" role="alert">${message}</p>
<p>${link(`${RESERVATIONS_PATH}${visit.query.size === 0 ? "" : `?${visit.query.toString()}`}`, "Back to the reservations")}</p>
`
    },
    422
  )
