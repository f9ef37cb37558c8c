import { DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { dateInZone } from "../../../contract/time.ts"
import { search_transactions } from "../../../domain/money/contract.ts"
import { MONEY_CSV_LINES } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import { PRIVATE_HEADERS } from "../../pages/document.ts"
import { framed } from "../frame.ts"
import type { Refused } from "../outcome.ts"
import { Ledger } from "../queries/Ledger.ts"
import type { SignedInPage, SignedInVisit } from "../visit.ts"
import { MONEY_CSV_PATH, moneyAddress } from "./addresses.ts"
import { reading } from "./asking.ts"
import { csvOf } from "./money/csv.ts"
import { askedIn, type MoneyAsked, shownOf, sumsAsked, unreadIn, wrongWith } from "./money/period.ts"
import { kept } from "./page.ts"
import { link } from "./parts.ts"

/** The entries of a period as a file for a spreadsheet: the ones that the page of money shows under the same query. */
export const makeMoneyCsvPage = Effect.gen(function* () {
  const ledger = yield* Ledger
  const search = reading(yield* Service, search_transactions)

  /** Why there is nothing, where it is for a property or an order that there is not. */
  const whyNone = (visit: SignedInVisit, { days, property, order }: MoneyAsked, now: Date) => {
    const today = dateInZone(now, visit.session.person.caller.timeZone)
    const asked = search(visit, {
      ...{ start_date: days?.from ?? today, end_date: days?.to ?? today, limit: 1 },
      ...(property === undefined ? {} : { property_id: property }),
      ...(order === undefined ? {} : { reservation_code: order })
    })
    return Effect.match(asked, { onSuccess: () => undefined, onFailure: (refused) => refused })
  }

  const file = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { operatorId, timeZone } = visit.session.person.caller
    const now = yield* DateTime.nowAsDate
    const asked = askedIn(visit, now)
    const wrong = unreadIn(visit) ?? wrongWith(asked)
    if (wrong !== undefined) return refused(visit, asked, wrong)
    const lines = yield* ledger.lines(operatorId, sumsAsked(asked, visit), MONEY_CSV_LINES + 1)
    if (lines.length > MONEY_CSV_LINES) return refused(visit, asked, TOO_MANY)
    const isNarrowed = asked.property !== undefined || asked.order !== undefined
    const why = lines.length === 0 && isNarrowed ? yield* whyNone(visit, asked, now) : undefined
    if (why !== undefined) return refused(visit, asked, why.words, why.status)
    return HttpServerResponse.text(csvOf(lines, timeZone), {
      contentType: "text/csv; charset=utf-8",
      headers: {
        ...PRIVATE_HEADERS,
        vary: "Cookie",
        "content-disposition": `attachment; filename="${nameOf(asked)}"`
      }
    })
  })
  const page: SignedInPage = {
    path: MONEY_CSV_PATH,
    show: (visit) => (visit.standing === undefined ? file(visit) : Effect.succeed(kept(visit))),
    acts: new Map()
  }
  return page
})

const TOO_MANY = `That is more than ${MONEY_CSV_LINES} lines: choose a shorter period or one property.`

/** Of characters that need no quoting, whatever the order is called. */
const nameOf = ({ days, order }: MoneyAsked): string =>
  days === undefined ? `money-${(order ?? "").replace(/[^\w-]/g, "")}.csv` : `money-${days.from}-to-${days.to}.csv`

/** Nothing is in the file that is not whole. */
const refused = (visit: SignedInVisit, asked: MoneyAsked, words: string, status: Refused["status"] = 422) =>
  framed(
    visit,
    {
      title: "No file",
      body: html`<p class="message error" role="alert">${words}</p>
<p>${link(moneyAddress(shownOf(asked)), "Back to the entries")}</p>
`
    },
    status
  )
