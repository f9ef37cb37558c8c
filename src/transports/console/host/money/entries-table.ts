import type { Transaction } from "../../../../domain/money/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PropertyChoices } from "../../queries/form-choices.ts"
import type { SignedInVisit } from "../../visit.ts"
import { badge, formatMoney, link, table, timeHtml } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"

const amountSign = ({ direction }: Transaction): string => (direction === "income" ? "" : "−")

const sharesText = ({ shares, currency }: Transaction, titles: ReadonlyMap<number, string>): Html =>
  shares.length < 2
    ? nothing
    : html`<br><span class="soft">${shares
        .map(({ property_id, amount }) => {
          const title = property_id === null ? "in the box" : (titles.get(property_id) ?? "another property")
          return `${title} ${formatMoney(amount, currency)}`
        })
        .join(", ")}</span>`

const subjectCell = (entry: Transaction, titles: ReadonlyMap<number, string>): Html => {
  const { reservation_code, property_title } = entry
  if (reservation_code === null) return html`${property_title ?? "The business"}`
  const propertyNote = property_title === null ? nothing : html` <span class="soft">${property_title}</span>`
  return html`${link(stayUrl(reservation_code), reservation_code)}${propertyNote}${sharesText(entry, titles)}`
}

export const entriesTable = (
  visit: SignedInVisit,
  entries: ReadonlyArray<Transaction>,
  properties: PropertyChoices
): Html => {
  const titles = new Map(properties.map(({ id, title }) => [id, title]))
  return table(
    { empty: "Nothing was entered." },
    [
      { label: "Time", cell: ({ action_at }) => timeHtml(action_at, visit) },
      {
        label: "Category",
        cell: ({ item_name, item_id, status }) =>
          html`${item_name ?? `Category ${item_id}`}${status === "outstanding" ? html` ${badge("outstanding", "wait")}` : nothing}`
      },
      { label: "On", cell: (entry) => subjectCell(entry, titles) },
      {
        label: "Amount",
        cell: (entry) =>
          html`<span class="whole">${amountSign(entry)}${formatMoney(entry.amount, entry.currency)}</span>`,
        isNumeric: true
      },
      { label: "Paid by", cell: ({ payment_method_name }) => payment_method_name ?? "" },
      { label: "Note", cell: ({ note }) => html`<span class="name">${note}</span>` },
      { label: "Entered by", cell: ({ operator_name }) => operator_name },
      { label: "Entry", cell: ({ id }) => link(currentUrlWith(visit, { change: id }), "Change") }
    ],
    entries
  )
}
