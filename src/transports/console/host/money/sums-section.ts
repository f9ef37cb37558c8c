import { type Html, html, nothing } from "../../../docs/html.ts"
import type { CategorySums, CurrencyTotal, PropertySums, TransactionSums } from "../../queries/Sums.ts"
import type { SignedInVisit } from "../../visit.ts"
import { formatMoney, link, moneyHtml, section, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"

const isZero = (amount: string): boolean => Number(amount) === 0

const amountsCell = (paid: string, due: string, currency: string): Html =>
  html`${moneyHtml(paid, currency)}${isZero(due) ? nothing : html` <span class="soft">and ${formatMoney(due, currency)} outstanding</span>`}`

const amountColumns = [
  {
    label: "Income",
    cell: ({ income, income_due, currency }: CurrencyTotal) => amountsCell(income, income_due, currency),
    isNumeric: true
  },
  {
    label: "Expenses",
    cell: ({ expense, expense_due, currency }: CurrencyTotal) => amountsCell(expense, expense_due, currency),
    isNumeric: true
  },
  { label: "Left", cell: ({ rest, currency }: CurrencyTotal) => moneyHtml(rest, currency), isNumeric: true }
] as const

const propertyCell = (visit: SignedInVisit, { property_id, title }: PropertySums): Html | string =>
  property_id === null || title === null
    ? "On no property"
    : link(currentUrlWith(visit, { property: property_id, offset: undefined }), title)

const categoryTable = (heading: string, rows: ReadonlyArray<CategorySums>): Html =>
  html`<div><h3>${heading}</h3>
${table(
  { empty: "None." },
  [
    { label: "Category", cell: ({ name, item_id }) => name ?? `Category ${item_id}` },
    { label: "Sum", cell: ({ paid, due, currency }) => amountsCell(paid, due, currency), isNumeric: true }
  ],
  rows
)}</div>
`

const truncationNote = (shown: number, all: number, groupNoun: string): Html =>
  all > shown
    ? html`<p>${shown} of ${all} sums by ${groupNoun} are shown: choose a property or a shorter period to see the others.</p>
`
    : nothing

export const sumsSection = (visit: SignedInVisit, summary: TransactionSums): Html => {
  const { totals, by_property, by_category } = summary
  if (totals.length === 0) return nothing
  return section(
    "Sums",
    html`${table(
      { empty: "", caption: "In all" },
      [{ label: "Currency", cell: ({ currency }) => currency }, ...amountColumns],
      totals
    )}
<h3>By property</h3>
<p class="soft">Of an entry on a reservation of several properties each counts its share.</p>
${table<PropertySums>({ empty: "" }, [{ label: "Property", cell: (row) => propertyCell(visit, row) }, ...amountColumns], by_property)}
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
