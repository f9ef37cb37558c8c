import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { search_transactions } from "../../../domain/money/contract.ts"
import { MONEY_CSV_LINES_MAX } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { renderConsolePage } from "../page-frame.ts"
import { Ledger } from "../queries/Ledger.ts"
import type { SignedInPage, SignedInVisit } from "../visit.ts"
import { makeQuery } from "./api-operations.ts"
import { csvResponse } from "./csv.ts"
import { formatActionError } from "./field-errors.ts"
import { accountProblemResponse } from "./host-page.ts"
import { renderMoneyCsv } from "./money/money-csv.ts"
import {
  findPeriodError,
  findUnreadableParam,
  type MoneyFilter,
  readMoneyFilter,
  toMoneyQuery,
  toTransactionFilter
} from "./money/money-filter.ts"
import { link } from "./page-parts.ts"
import { MONEY_CSV_PATH, moneyUrl } from "./urls.ts"

export const makeMoneyCsvPage = Effect.gen(function* () {
  const ledger = yield* Ledger
  const search = makeQuery(yield* Service, search_transactions)

  const findQueryError = (visit: SignedInVisit, { period, property, order }: MoneyFilter, now: Date) => {
    const today = dateInZone(now, visit.session.person.caller.timeZone)
    const transactions = search(visit, {
      ...{ start_date: period?.from ?? today, end_date: period?.to ?? today, limit: 1 },
      ...(property === undefined ? {} : { property_id: property }),
      ...(order === undefined ? {} : { reservation_code: order })
    })
    return Effect.match(transactions, { onSuccess: () => undefined, onFailure: (error) => error })
  }

  const renderFile = Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { timeZone } = visit.session.person.caller
    const now = yield* DateTime.nowAsDate
    const moneyFilter = readMoneyFilter(visit, now)
    const queryError = findUnreadableParam(visit) ?? findPeriodError(moneyFilter)
    if (queryError !== undefined) return renderError(visit, moneyFilter, queryError)
    const lines = yield* ledger.lines(toTransactionFilter(moneyFilter, visit), MONEY_CSV_LINES_MAX + 1)
    if (lines.length > MONEY_CSV_LINES_MAX) return renderError(visit, moneyFilter, TOO_MANY_LINES_MESSAGE)
    const isNarrowed = moneyFilter.property !== undefined || moneyFilter.order !== undefined
    const notFoundError = lines.length === 0 && isNarrowed ? yield* findQueryError(visit, moneyFilter, now) : undefined
    if (notFoundError !== undefined)
      return renderError(visit, moneyFilter, formatActionError(notFoundError), notFoundError.status)
    return csvResponse(renderMoneyCsv(lines, timeZone), toCsvFileName(moneyFilter))
  })
  const page: SignedInPage = {
    path: MONEY_CSV_PATH,
    show: (visit) =>
      visit.accountProblem === undefined ? renderFile(visit) : Effect.succeed(accountProblemResponse(visit)),
    actions: new Map()
  }
  return page
})

const TOO_MANY_LINES_MESSAGE = `The export has more than ${MONEY_CSV_LINES_MAX.toLocaleString("en")} lines. Choose a shorter period or one property.`

const toCsvFileName = ({ period, order }: MoneyFilter): string =>
  period === undefined
    ? `money-${(order ?? "").replace(/[^\w-]/g, "")}.csv`
    : `money-${period.from}-to-${period.to}.csv`

/** Renders an error page instead of an incomplete file. */
const renderError = (
  visit: SignedInVisit,
  moneyFilter: MoneyFilter,
  message: string,
  status: ActionError["status"] = 422
) =>
  renderConsolePage(
    visit,
    {
      title: "Export CSV",
      body: html`<p class="message error" role="alert">${message}</p>
<p>${link(moneyUrl(toMoneyQuery(moneyFilter)), "Back to Money")}</p>
`
    },
    status
  )
