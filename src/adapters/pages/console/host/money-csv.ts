import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Ledger } from "../../../../desk/Ledger.ts"
import { html } from "../../../../documents/html.ts"
import { MONEY_CSV_LINES } from "../../../../limits.ts"
import { PRIVATE_HEADERS } from "../../document.ts"
import { framed } from "../frame.ts"
import type { SignedInPage, SignedInVisit } from "../visit.ts"
import { MONEY_CSV_PATH, moneyAddress } from "./addresses.ts"
import { csvOf } from "./money/csv.ts"
import { askedIn, type MoneyAsked, shownOf, sumsAsked, wrongWith } from "./money/period.ts"
import { kept } from "./page.ts"
import { link } from "./parts.ts"

/** The entries of a period as a file for a spreadsheet: the ones that the page of money shows under the same query. */
export const makeMoneyCsvPage = Effect.map(Ledger, (ledger): SignedInPage => {
  const file = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { operatorId, timeZone } = visit.session.person.caller
    const asked = askedIn(visit, yield* DateTime.nowAsDate)
    const wrong = wrongWith(asked)
    if (wrong !== undefined) return refused(visit, asked, wrong)
    const lines = yield* ledger.lines(operatorId, sumsAsked(asked, visit), MONEY_CSV_LINES + 1)
    if (lines.length > MONEY_CSV_LINES) return refused(visit, asked, TOO_MANY)
    return HttpServerResponse.text(csvOf(lines, timeZone), {
      contentType: "text/csv; charset=utf-8",
      headers: {
        ...PRIVATE_HEADERS,
        vary: "Cookie",
        "content-disposition": `attachment; filename="${nameOf(asked)}"`
      }
    })
  })
  return {
    path: MONEY_CSV_PATH,
    show: (visit) => (visit.standing === undefined ? file(visit) : Effect.succeed(kept(visit))),
    acts: new Map()
  }
})

const TOO_MANY = `That is more than ${MONEY_CSV_LINES} lines: choose a shorter period or one property.`

/** Of characters that need no quoting, whatever the order is called. */
const nameOf = ({ days, order }: MoneyAsked): string =>
  days === undefined ? `money-${(order ?? "").replace(/[^\w-]/g, "")}.csv` : `money-${days.from}-to-${days.to}.csv`

/** Nothing is in the file that is not whole. */
const refused = (visit: SignedInVisit, asked: MoneyAsked, words: string) =>
  framed(
    visit,
    {
      title: "No file",
      body: html`<p class="message error" role="alert">${words}</p>
<p>${link(moneyAddress(shownOf(asked)), "Back to the entries")}</p>
`
    },
    422
  )
