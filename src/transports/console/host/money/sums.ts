import { type Html, html, nothing } from "../../../docs/html.ts"
import type { OfCategory, OfProperty, Summed, Total } from "../../queries/Sums.ts"
import type { SignedInVisit } from "../../visit.ts"
import { hereWith } from "../page.ts"
import { link, moneyOf, moneyText, section, table } from "../parts.ts"

// What the entries come to: what was paid, and beside it what is still outstanding.

const isNone = (amount: string): boolean => Number(amount) === 0

const amountsOf = (paid: string, due: string, currency: string): Html =>
  html`${moneyOf(paid, currency)}${isNone(due) ? nothing : html` <span class="soft">and ${moneyText(due, currency)} outstanding</span>`}`

const amountColumns = [
  {
    label: "Income",
    cell: ({ income, income_due, currency }: Total) => amountsOf(income, income_due, currency),
    number: true
  },
  {
    label: "Expenses",
    cell: ({ expense, expense_due, currency }: Total) => amountsOf(expense, expense_due, currency),
    number: true
  },
  { label: "Left", cell: ({ rest, currency }: Total) => moneyOf(rest, currency), number: true }
] as const

const propertyName = (visit: SignedInVisit, { property_id, title }: OfProperty): Html | string =>
  property_id === null || title === null
    ? "On no property"
    : link(hereWith(visit, { property: property_id, offset: undefined }), title)

const categories = (heading: string, rows: ReadonlyArray<OfCategory>): Html =>
  html`<div><h3>${heading}</h3>
${table(
  { empty: "None." },
  [
    { label: "Category", cell: ({ name, item_id }) => name ?? `Category ${item_id}` },
    { label: "Sum", cell: ({ paid, due, currency }) => amountsOf(paid, due, currency), number: true }
  ],
  rows
)}</div>
`

const more = (shown: number, all: number, what: string): Html =>
  all > shown
    ? html`<p>${shown} of ${all} sums by ${what} are shown: choose a property or a shorter period to see the others.</p>
`
    : nothing

/** The sums of a period, in all, by property and by category. */
export const sumsOf = (visit: SignedInVisit, summed: Summed): Html => {
  const { totals, by_property, by_category } = summed
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
${table<OfProperty>({ empty: "" }, [{ label: "Property", cell: (row) => propertyName(visit, row) }, ...amountColumns], by_property)}
${more(by_property.length, summed.properties_summed, "property")}
<div class="columns">
${categories(
  "Income by category",
  by_category.filter(({ direction }) => direction === "income")
)}${categories(
  "Expenses by category",
  by_category.filter(({ direction }) => direction === "expense")
)}</div>
${more(by_category.length, summed.categories_summed, "category")}`
  )
}
