import { Schema } from "effect"
import { create_quote } from "../../../domain/bookings/quotes/contract.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { formatDay, moneyHtml, type TableColumn, table } from "./page-parts.ts"

export type Quote = typeof create_quote.successSchema.Type

export const decodeQuote = Schema.decodeUnknownSync(Schema.toCodecJson(create_quote.successSchema))

interface PriceLine {
  readonly label: string
  readonly amount: number | null
}

const listPriceLines = ({ nights, fees, taxes, total }: Quote): ReadonlyArray<PriceLine> => [
  ...nights.map(({ date, price }) => ({ label: formatDay(date), amount: price })),
  ...[...fees, ...taxes].map(({ name, amount }) => ({ label: name, amount })),
  { label: "Total", amount: total }
]

const priceColumns = (currency: string): ReadonlyArray<TableColumn<PriceLine>> => [
  { label: "Item", cell: ({ label }) => label },
  {
    label: "Amount",
    cell: ({ amount }) => (amount === null ? "No price" : moneyHtml(String(amount), currency)),
    isNumeric: true,
    onPhone: "side"
  }
]

export const quoteTable = (quote: Quote): Html => {
  const { violations, currency } = quote
  const warning =
    violations.length === 0
      ? nothing
      : html`<div class="message note"><p><strong>These dates cannot be booked with this quote.</strong></p>
<ul>${violations.map(({ message }) => html`<li>${message}</li>`)}</ul></div>`
  return html`${warning}${table({ empty: "No nights." }, priceColumns(currency), listPriceLines(quote))}`
}
