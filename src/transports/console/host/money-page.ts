import { DateTime, Effect } from "effect"
import { addDays } from "../../../contract/time.ts"
import { search_transactions, type TransactionDirection } from "../../../domain/money/contract.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { EntryChoices } from "../queries/EntryChoices.ts"
import { Sums, type TransactionSums } from "../queries/Sums.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery } from "./api-operations.ts"
import { filterForm, input, makeFieldFiller, select } from "./form-fields.ts"
import { type FailedSubmission, type HostView, makeHostPage, notFoundView } from "./host-page.ts"
import { entriesTable } from "./money/entries-table.ts"
import { makeEntryActions } from "./money/entry-actions.ts"
import { DIRECTION_LABELS, editEntryForm, newEntryForm } from "./money/entry-form.ts"
import {
  findPeriodError,
  isListTruncated,
  type MoneyFilter,
  type MoneyPeriod,
  readMoneyFilter,
  toListedPeriod,
  toMoneyQuery,
  toMonthPeriod,
  toTransactionFilter
} from "./money/money-filter.ts"
import { breakdownSection, summarySection } from "./money/sums-section.ts"
import {
  buttonLink,
  formatDay,
  formatDayRange,
  formatMonth,
  link,
  pagination,
  readIdParam,
  readOffsetParam,
  section,
  timeZoneNote
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { periodSteps } from "./period-steps.ts"
import { MONEY_PATH, moneyCsvUrl } from "./urls.ts"

const ENTRIES_PER_PAGE = 50

export const makeMoneyPage = Effect.gen(function* () {
  const [service, sumsQuery, entryChoices] = [yield* Service, yield* Sums, yield* EntryChoices]
  const search = makeQuery(service, search_transactions)
  const TITLE = "Money"

  const renderNewEntry = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    direction: TransactionDirection,
    moneyFilter: MoneyFilter,
    failedSubmission?: FailedSubmission
  ) {
    const formChoices = yield* entryChoices.of(direction, moneyFilter.order, moneyFilter.property)
    return {
      title: DIRECTION_LABELS[direction].addTitle,
      body: newEntryForm(visit, direction, formChoices, moneyFilter, failedSubmission)
    }
  })

  const renderEntry = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: number,
    failedSubmission?: FailedSubmission
  ) {
    const [entry] = (yield* search(visit, { id })).transactions
    if (entry === undefined) return notFoundView(TITLE, "This transaction does not exist. It may have been deleted.")
    const formChoices = yield* entryChoices.of(entry.direction)
    return {
      title: DIRECTION_LABELS[entry.direction].title,
      body: editEntryForm(visit, entry, formChoices, failedSubmission)
    }
  })

  const renderList = Effect.fnUntraced(function* (visit: SignedInVisit, moneyFilter: MoneyFilter, now: Date) {
    const summary = yield* sumsQuery.of(toTransactionFilter(moneyFilter, visit))
    const period = toListedPeriod(moneyFilter, summary, visit, now)
    const offset = readOffsetParam(visit)
    const results = yield* search(visit, {
      ...{ start_date: period.from, end_date: period.to, limit: ENTRIES_PER_PAGE, offset },
      ...(moneyFilter.property === undefined ? {} : { property_id: moneyFilter.property }),
      ...(moneyFilter.order === undefined ? {} : { reservation_code: moneyFilter.order })
    })
    return {
      title: TITLE,
      primaryAction: addButtons(visit),
      body: html`${periodNavigation(visit, moneyFilter, period)}
${activeFilters(visit, moneyFilter, summary)}${moneyFilterForm(visit, period, moneyFilter, summary)}${summarySection(summary)}
${section(`Transactions (${results.total})`, html`${isListTruncated(moneyFilter, period, summary, visit) ? truncationNote(period) : nothing}${entriesTable(visit, results.transactions, summary.properties)}${pagination(visit, { offset, limit: ENTRIES_PER_PAGE, total: results.total })}`, "entries")}
${breakdownSection(visit, summary)}${timeZoneNote(visit)}`
    }
  })

  const renderPage = Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const now = yield* DateTime.nowAsDate
    const moneyFilter = readMoneyFilter(visit, now)
    const direction = visit.query.get("add")
    const entryId = readIdParam(visit, "change")
    if (isEntryDirection(direction)) return yield* renderNewEntry(visit, direction, moneyFilter, failedSubmission)
    if (entryId !== undefined) return yield* renderEntry(visit, entryId, failedSubmission)
    const periodError = findPeriodError(moneyFilter)
    return periodError === undefined
      ? yield* renderList(visit, moneyFilter, now)
      : renderPeriodError(visit, moneyFilter, periodError)
  })

  return makeHostPage({
    path: MONEY_PATH,
    show: (visit, failedSubmission) =>
      Effect.catch(renderPage(visit, failedSubmission), (error) =>
        error.status === 404 ? Effect.succeed(notFoundView(TITLE, error.message)) : Effect.fail(error)
      ),
    actions: makeEntryActions(service)
  })
})

const isEntryDirection = (text: string | null): text is TransactionDirection =>
  text !== null && Object.hasOwn(DIRECTION_LABELS, text)

const addButtons = (visit: SignedInVisit): Html =>
  html`<div class="acts noprint">${buttonLink(currentUrlWith(visit, { add: "income" }), DIRECTION_LABELS.income.addTitle, "plain")} ${buttonLink(currentUrlWith(visit, { add: "expense" }), DIRECTION_LABELS.expense.addTitle)}</div>`

const truncationNote = ({ to }: MoneyPeriod): Html =>
  html`<p>Transactions after ${formatDay(to)} are not listed. Choose dates to see them. The totals and the export include them.</p>`

const periodNavigation = (visit: SignedInVisit, moneyFilter: MoneyFilter, period: MoneyPeriod): Html => {
  const monthStep = (day: string) => {
    const month = toMonthPeriod(day)
    return {
      url: currentUrlWith(visit, { ...month, offset: undefined }),
      label: formatMonth(month.from.slice(0, 7))
    }
  }
  return periodSteps(
    monthStep(addDays(`${period.from.slice(0, 7)}-01`, -1)),
    formatDayRange(period.from, period.to),
    monthStep(addDays(toMonthPeriod(period.to).to, 1)),
    link(moneyCsvUrl(toMoneyQuery(moneyFilter)), "Export CSV")
  )
}

const activeFilters = (
  visit: SignedInVisit,
  { property, order }: MoneyFilter,
  { properties }: TransactionSums
): Html => {
  if (property === undefined && order === undefined) return nothing
  const title = properties.find(({ id }) => id === property)?.title
  const filterTexts = [
    ...(title === undefined ? [] : [title]),
    ...(order === undefined ? [] : [`reservation ${order}`])
  ]
  const unfilteredUrl = currentUrlWith(visit, { property: undefined, order: undefined, offset: undefined })
  return html`<p>Only ${filterTexts.join(", ")}. ${link(unfilteredUrl, "Show all")}</p>
`
}

const moneyFilterForm = (
  visit: SignedInVisit,
  period: MoneyPeriod,
  { property, order }: MoneyFilter,
  summary?: TransactionSums
): Html => {
  const fillField = makeFieldFiller(undefined, "")
  return filterForm(
    visit.path,
    html`${input(fillField, { name: "from", label: "From", type: "date", value: period.from })}${input(fillField, { name: "to", label: "To", type: "date", value: period.to })}${
      summary === undefined
        ? nothing
        : select(fillField, {
            name: "property",
            label: "Property",
            emptyLabel: "All properties",
            value: property ?? "",
            options: summary.properties.map(({ id, title }) => ({ value: id, label: title }))
          })
    }${input(fillField, { name: "order", label: "Reservation code", value: order ?? "" })}`,
    summary === undefined
  )
}

const renderPeriodError = (visit: SignedInVisit, moneyFilter: MoneyFilter, periodError: string): HostView => ({
  title: "Money",
  body: html`<p class="message error" role="alert">${periodError}</p>
${moneyFilter.period === undefined ? nothing : moneyFilterForm(visit, moneyFilter.period, moneyFilter)}`
})
