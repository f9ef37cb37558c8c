import { dateInZone } from "../../../../contract/time.ts"
import type { Transaction } from "../../../../domain/money/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { PropertyChoices } from "../../queries/form-choices.ts"
import type { SignedInVisit } from "../../visit.ts"
import { badge, dayHtml, formatMoney, link, table } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { stayUrl } from "../urls.ts"

const amountSign = ({ direction }: Transaction): string => (direction === "income" ? "" : "−")

const sharesText = ({ shares, currency }: Transaction, titles: ReadonlyMap<number, string>): Html =>
  shares.length < 2
    ? nothing
    : html`<br><span class="soft">${shares
        .map(({ property_id, amount }) => {
          const title = property_id === null ? "Unassigned" : (titles.get(property_id) ?? "Another property")
          return `${title} ${formatMoney(amount, currency)}`
        })
        .join(", ")}</span>`

const subjectCell = (entry: Transaction, titles: ReadonlyMap<number, string>): Html => {
  const { reservation_code, property_title } = entry
  const subject = html`<span class="subject">${property_title ?? "Business-wide"}</span>`
  if (reservation_code === null) return subject
  const reservationLink = html`<a class="whole" href="${stayUrl(reservation_code)}">${reservation_code}</a>`
  return property_title === null
    ? html`${reservationLink}${sharesText(entry, titles)}`
    : html`${subject}<span class="wide-only"><br>${reservationLink}${sharesText(entry, titles)}</span>`
}

/** Phones leave out the notes of automatic entries, which repeat the category. */
const noteText = ({ note, operator_name }: Transaction): Html =>
  note === ""
    ? nothing
    : html`<span class="short-note soft${operator_name === "System" ? " wide-only" : ""}">${note}</span>`

const categoryCell = (visit: SignedInVisit, entry: Transaction): Html => {
  const { id, item_name, item_id, status } = entry
  return html`${link(currentUrlWith(visit, { change: id }), item_name ?? `Category ${item_id}`)}${status === "outstanding" ? html` ${badge("outstanding", "wait")}` : nothing}${noteText(entry)}`
}

export const entriesTable = (
  visit: SignedInVisit,
  entries: ReadonlyArray<Transaction>,
  properties: PropertyChoices
): Html => {
  const titles = new Map(properties.map(({ id, title }) => [id, title]))
  const { timeZone } = visit.session.person.caller
  return table(
    { empty: html`No transactions in this period. ${link(currentUrlWith(visit, { add: "expense" }), "Add expense")}` },
    [
      {
        label: "Date",
        cell: ({ action_at }) => dayHtml(dateInZone(new Date(action_at), timeZone)),
        onPhone: "detail"
      },
      { label: "Category", cell: (entry) => categoryCell(visit, entry), onPhone: "title" },
      { label: "Property", cell: (entry) => subjectCell(entry, titles), onPhone: "detail" },
      { label: "Payment method", cell: ({ payment_method_name }) => payment_method_name ?? "", onPhone: "none" },
      {
        label: "Amount",
        cell: (entry) =>
          html`<span class="whole">${amountSign(entry)}${formatMoney(entry.amount, entry.currency)}</span>`,
        isNumeric: true,
        onPhone: "side"
      }
    ],
    entries
  )
}
