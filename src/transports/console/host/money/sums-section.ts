import { type Html, html, nothing } from "../../../docs/html.ts"
import type { CategorySums, CurrencyTotal, PropertySums, TransactionSums } from "../../queries/Sums.ts"
import type { SignedInVisit } from "../../visit.ts"
import { formatMoney, link, moneyHtml, section, type TableColumn, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { bigMoneyHtml, totalsList } from "../totals.ts"

const isZero = (amount: string): boolean => Number(amount) === 0

const outstandingText = (due: string, currency: string): string => `${formatMoney(due, currency)} outstanding`

const amountsCell = (paid: string, due: string, currency: string): Html =>
  html`${moneyHtml(paid, currency)}${isZero(due) ? nothing : html`<br><span class="soft">${outstandingText(due, currency)}</span>`}`

const amountColumns: ReadonlyArray<TableColumn<CurrencyTotal>> = [
  {
    label: "Income",
    cell: ({ income, income_due, currency }) => amountsCell(income, income_due, currency),
    isNumeric: true
  },
  {
    label: "Expenses",
    cell: ({ expense, expense_due, currency }) => amountsCell(expense, expense_due, currency),
    isNumeric: true
  },
  { label: "Net", cell: ({ rest, currency }) => moneyHtml(rest, currency), isNumeric: true, onPhone: "side" }
]

const propertyCell = (visit: SignedInVisit, { property_id, title }: PropertySums): Html | string =>
  property_id === null || title === null
    ? "Business-wide"
    : link(currentUrlWith(visit, { property: property_id, offset: undefined }), title)

const categoryTable = (heading: string, rows: ReadonlyArray<CategorySums>): Html =>
  html`<div><h3>${heading}</h3>
${table(
  { empty: "None in this period." },
  [
    { label: "Category", cell: ({ name, item_id }) => name ?? `Category ${item_id}` },
    {
      label: "Total",
      cell: ({ paid, due, currency }) => amountsCell(paid, due, currency),
      isNumeric: true,
      onPhone: "side"
    }
  ],
  rows
)}</div>
`

const truncationNote = (shown: number, all: number, groupNoun: string): Html =>
  all > shown
    ? html`<p class="soft">The first ${shown} of ${all} totals by ${groupNoun}. Choose a property or a shorter period to see the others.</p>
`
    : nothing

const totalOf = (label: string, paid: string, due: string, currency: string) => ({
  label,
  value: bigMoneyHtml(paid, currency),
  ...(isZero(due) ? {} : { note: outstandingText(due, currency) })
})

/** Income, expenses and net of each currency. */
export const summarySection = ({ totals }: TransactionSums): Html =>
  totals.length === 0
    ? nothing
    : section(
        "Summary",
        html`${totals.map(({ currency, ...sums }) =>
          totalsList([
            totalOf("Income", sums.income, sums.income_due, currency),
            totalOf("Expenses", sums.expense, sums.expense_due, currency),
            { label: "Net", value: bigMoneyHtml(sums.rest, currency) }
          ])
        )}`
      )

export const breakdownSection = (visit: SignedInVisit, summary: TransactionSums): Html => {
  const { totals, by_property, by_category } = summary
  if (totals.length === 0) return nothing
  return section(
    "Totals by property and category",
    html`<p class="soft">A transaction of a reservation with several properties is split between them.</p>
${table<PropertySums>(
  { empty: "" },
  [{ label: "Property", cell: (row) => propertyCell(visit, row) }, ...amountColumns],
  by_property
)}
${truncationNote(by_property.length, summary.properties_summed, "property")}
<div class="columns">
${categoryTable(
  "Income by category",
  by_category.filter(({ direction }) => direction === "income")
)}${categoryTable(
  "Expenses by category",
  by_category.filter(({ direction }) => direction === "expense")
)}</div>
${truncationNote(by_category.length, summary.categories_summed, "category")}`
  )
}
