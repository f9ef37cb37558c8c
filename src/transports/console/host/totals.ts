import { type Html, html, nothing } from "../../docs/html.ts"
import { formatMoney } from "./page-parts.ts"

/** The currency is small, so that the amount fits a third of a phone's width. */
export const bigMoneyHtml = (amount: string, currency: string): Html =>
  html`<span class="whole">${formatMoney(amount, currency).replace(/ [A-Z]{3}$/, "")}</span> <small>${currency}</small>`

export interface Total {
  readonly label: string
  readonly value: Html | string
  /** Small text below the value. */
  readonly note?: Html | string
}

/** Big figures side by side, such as income, expenses and net. */
export const totalsList = (totals: ReadonlyArray<Total>): Html => html`<dl class="totals">
${totals.map(
  ({
    label,
    value,
    note
  }) => html`<div><dt>${label}</dt><dd>${value}</dd>${note === undefined ? nothing : html`<dd class="soft">${note}</dd>`}</div>
`
)}</dl>
`
