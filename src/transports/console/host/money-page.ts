import { DateTime, Effect } from "effect"
import { search_transactions, type TransactionDirection } from "../../../domain/money/contract.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { EntryChoices } from "../queries/EntryChoices.ts"
import { Sums, type TransactionSums } from "../queries/Sums.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { input, makeFieldFiller, queryForm, readChangedFields, readFilledFields, select } from "./form-fields.ts"
import {
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeHostPage,
  notFoundView,
  redirectWithout
} from "./host-page.ts"
import { entriesTable } from "./money/entries-table.ts"
import {
  DIRECTION_LABELS,
  ENTRY_CREATE_PARSERS,
  ENTRY_EDIT_PARSERS,
  editEntryForm,
  newEntryForm
} from "./money/entry-form.ts"
import {
  findPeriodError,
  isListTruncated,
  type MoneyFilter,
  type MoneyPeriod,
  readMoneyFilter,
  toListedPeriod,
  toMoneyQuery,
  toTransactionFilter
} from "./money/money-filter.ts"
import { sumsSection } from "./money/sums-section.ts"
import { formatDay, link, pagination, readIdParam, readOffsetParam, section, timeZoneNote } from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
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
    return { title: TITLE, body: newEntryForm(visit, direction, formChoices, moneyFilter, failedSubmission) }
  })

  const renderEntry = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: number,
    failedSubmission?: FailedSubmission
  ) {
    const [entry] = (yield* search(visit, { id })).transactions
    if (entry === undefined) return notFoundView(TITLE, "There is no such entry: it may have been deleted.")
    const formChoices = yield* entryChoices.of(entry.direction)
    return { title: TITLE, body: editEntryForm(visit, entry, formChoices, failedSubmission) }
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
      body: html`<p>${formatDay(period.from)} to ${formatDay(period.to)}${activeFilters(visit, moneyFilter, summary)}</p>
${filterForm(visit, period, moneyFilter, summary)}
<p class="acts noprint">${link(currentUrlWith(visit, { add: "income" }), "Enter an income")} ${link(currentUrlWith(visit, { add: "expense" }), "Enter an expense")} ${link(moneyCsvUrl(toMoneyQuery(moneyFilter)), "A file of these for a spreadsheet")} ${link("#entries", "To the entries")}</p>
${sumsSection(visit, summary)}${section(`Entries (${results.total})`, html`${isListTruncated(moneyFilter, period, summary, visit) ? html`<p>Those after ${formatDay(period.to)} are not listed: name days to see them. The sums and the file have them all.</p>` : nothing}${entriesTable(visit, results.transactions, summary.properties)}${pagination(visit, { offset, limit: ENTRIES_PER_PAGE, total: results.total })}`, "entries")}
${timeZoneNote(visit)}`
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
    actions: makeActions(makeVoidMutation(service))
  })
})

const ID_PARSER = { id: ENTRY_EDIT_PARSERS.item_id }

const makeActions = (mutate: ReturnType<typeof makeVoidMutation>): Readonly<Record<string, HostAction>> => ({
  record: {
    doneMessage: "The entry is recorded.",
    run: (visit, form) =>
      Effect.as(
        mutate(visit, form, "create_transaction", readFilledFields(form, ENTRY_CREATE_PARSERS)),
        redirectWithout(visit, "add")
      )
  },
  change: {
    doneMessage: "The entry is changed.",
    run: (visit, form) =>
      Effect.as(
        mutate(visit, form, "update_transaction", {
          ...readFilledFields(form, ID_PARSER),
          ...readChangedFields(form, ENTRY_EDIT_PARSERS)
        }),
        redirectWithout(visit, "change")
      )
  },
  settle: {
    doneMessage: "The entry is marked as paid.",
    run: (visit, form) =>
      Effect.as(
        mutate(visit, form, "update_transaction", { ...readFilledFields(form, ID_PARSER), status: "paid" }),
        redirectWithout(visit, "change")
      )
  },
  delete: {
    doneMessage: "The entry is deleted.",
    run: (visit, form) =>
      Effect.as(
        mutate(visit, form, "delete_transaction", readFilledFields(form, ID_PARSER)),
        redirectWithout(visit, "change")
      )
  }
})

const isEntryDirection = (text: string | null): text is TransactionDirection =>
  text !== null && Object.hasOwn(DIRECTION_LABELS, text)

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
  return html`, ${filterTexts.join(", ")}. ${link(unfilteredUrl, "Show all")}`
}

const filterForm = (
  visit: SignedInVisit,
  period: MoneyPeriod,
  { property, order }: MoneyFilter,
  summary?: TransactionSums
): Html => {
  const fillField = makeFieldFiller(undefined, "")
  return queryForm(
    visit.path,
    html`${input(fillField, { name: "from", label: "From", type: "date", value: period.from })}${input(fillField, { name: "to", label: "To", type: "date", value: period.to })}${
      summary === undefined
        ? nothing
        : select(fillField, {
            name: "property",
            label: "Property",
            emptyLabel: "All",
            value: property ?? "",
            options: summary.properties.map(({ id, title }) => ({ value: id, label: title }))
          })
    }${input(fillField, { name: "order", label: "Reservation", hint: "its code", value: order ?? "" })}`,
    "Show"
  )
}

const renderPeriodError = (visit: SignedInVisit, moneyFilter: MoneyFilter, periodError: string): HostView => ({
  title: "Money",
  body: html`<p class="message error" role="alert">${periodError}</p>
${moneyFilter.period === undefined ? nothing : filterForm(visit, moneyFilter.period, moneyFilter)}`
})
