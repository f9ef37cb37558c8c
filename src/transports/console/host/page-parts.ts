import { currencyDecimals } from "../../../contract/fields.ts"
import type { ExactAmount } from "../../../contract/money.ts"
import { formatWallClock, toDayNumber } from "../../../contract/time.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { SignedInVisit } from "../visit.ts"
import { parseRecordId } from "../visit.ts"
import { currentUrlWith } from "./host-page.ts"
import { activityLogUrl } from "./urls.ts"

export const section = (
  heading: string,
  body: Html,
  id?: string
): Html => html`<section${id === undefined ? nothing : html` id="${id}"`}>
<h2>${heading}</h2>
${body}</section>
`

export interface TableColumn<Row> {
  readonly label: string
  readonly cell: (row: Row) => Html | string
  readonly isNumeric?: true
}

/** On a phone each row becomes a card, so every cell repeats its label. */
export const table = <Row>(
  { caption, empty }: { readonly caption?: string; readonly empty: string },
  columns: ReadonlyArray<TableColumn<Row>>,
  rows: ReadonlyArray<Row>
): Html =>
  rows.length === 0
    ? html`<p>${empty}</p>
`
    : html`<table class="cards">
${caption === undefined ? nothing : html`<caption>${caption}</caption>`}<thead><tr>${columns.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (
    row
  ) => html`<tr>${columns.map(({ label, cell, isNumeric }) => html`<td data-label="${label}"${isNumeric === true ? NUMBER_ATTRIBUTE : nothing}>${cell(row)}</td>`)}</tr>
`
)}</tbody>
</table>
`

const NUMBER_ATTRIBUTE: Html = { html: ' class="number"' }

const WEEKDAYS = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

export const weekdayName = (date: string): string => WEEKDAYS[((toDayNumber(date) % 7) + 7) % 7] ?? ""

/** Formats `YYYY-MM-DD` as `Wed 25 Nov 2026`. */
export const formatDay = (date: string): string => {
  const [year = "", month = "", day = ""] = date.split("-")
  return `${weekdayName(date)} ${Number(day)} ${MONTHS[Number(month) - 1] ?? ""} ${year}`
}

export const dayHtml = (date: string): Html => html`<time datetime="${date}">${formatDay(date)}</time>`

/** Formats `YYYY-MM` as `Nov 2026`. */
export const formatMonth = (month: string): string => {
  const [year = "", number = ""] = month.split("-")
  return `${MONTHS[Number(number) - 1] ?? ""} ${year}`
}

export const timeHtml = (instant: Date | string, { session }: SignedInVisit): Html => {
  const date = new Date(instant)
  return html`<time datetime="${date.toISOString()}">${formatWallClock(date, session.person.caller.timeZone).slice(0, 16)}</time>`
}

export const timeZoneNote = ({ session }: SignedInVisit): Html =>
  html`<p class="soft">Days and times are those of ${session.person.caller.timeZone}.</p>
`

/** Decimal text, or an API number of any precision. */
type MoneyAmount = string | typeof ExactAmount.Type

/** Formats an amount with its currency's decimals: `1,420.00 EUR`. */
export const formatMoney = (amount: MoneyAmount, currency: string): string => {
  const text = typeof amount === "object" ? amount.rawJSON : String(amount)
  const sign = text.startsWith("-") ? "−" : ""
  const [whole = "0", fraction = ""] = text.replace(/^-/, "").split(".")
  const decimals = currencyDecimals(currency)
  const fractionDigits = fraction.replace(/0+$/, "").padEnd(decimals, "0")
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${fractionDigits === "" ? "" : `.${fractionDigits}`} ${currency}`
}

export const moneyHtml = (amount: MoneyAmount, currency: string): Html =>
  html`<span class="number whole">${formatMoney(amount, currency)}</span>`

export const badge = (label: string, kind?: "good" | "bad" | "wait"): Html =>
  html`<span class="badge${kind === undefined ? "" : ` ${kind}`}">${label}</span>`

export const link = (url: string, text: string): Html => html`<a href="${url}">${text}</a>`

export const fact = (name: string, value: Html | string | null | undefined): Html =>
  value === null || value === undefined || value === ""
    ? nothing
    : html`<dt>${name}</dt><dd>${value}</dd>
`

export const toWords = (word: string): string => word.replaceAll("_", " ")

export const activityLogLink = (record: string): Html =>
  html`<p class="soft"><a href="${activityLogUrl(record)}">History of this</a></p>
`

export const readOffsetParam = ({ query }: SignedInVisit, name = "offset"): number => {
  const text = query.get(name) ?? ""
  return /^\d{1,7}$/.test(text) ? Number(text) : 0
}

export const pagination = (
  visit: SignedInVisit,
  {
    offset,
    limit,
    total,
    name = "offset"
  }: { readonly offset: number; readonly limit: number; readonly total: number; readonly name?: string }
): Html => {
  const previousLink =
    offset > 0
      ? link(currentUrlWith(visit, { [name]: Math.max(0, offset - limit) || undefined }), "Earlier in the list")
      : nothing
  const nextLink =
    offset + limit < total ? link(currentUrlWith(visit, { [name]: offset + limit }), "Further in the list") : nothing
  return previousLink === nothing && nextLink === nothing
    ? nothing
    : html`<nav class="pages" aria-label="Pages of the list">${previousLink} ${nextLink}</nav>
`
}

export const readDateParam = ({ query }: SignedInVisit, name: string): string | undefined => {
  const text = query.get(name) ?? ""
  return DATE_PATTERN.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true ? text : undefined
}

export const readIdParam = ({ query }: SignedInVisit, name: string): number | undefined =>
  parseRecordId(query.get(name))

export const readMonthParam = ({ query }: SignedInVisit, name = "month"): string | undefined => {
  const text = query.get(name) ?? ""
  return MONTH_PATTERN.test(text) ? text : undefined
}

/** MONTH_PATTERN and DATE_PATTERN accept only years in which computed dates stay valid. */
const MONTH_PATTERN = /^(?:19|20|21)\d{2}-(?:0[1-9]|1[0-2])$/
const DATE_PATTERN = /^(?:19|20|21)\d{2}-\d{2}-\d{2}$/

export const addMonths = (month: string, count: number): string => {
  const [year = "0", number = "1"] = month.split("-")
  const totalMonths = Number(year) * 12 + Number(number) - 1 + count
  return `${String(Math.floor(totalMonths / 12)).padStart(4, "0")}-${String((totalMonths % 12) + 1).padStart(2, "0")}`
}
